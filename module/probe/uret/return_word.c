// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes: find out which words are return addresses.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "return_word.h"
#include "arch.h"
#include "retaddr.h"
#include "core/calls_types.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "jump/jump_text.h"

/**
 * struct surroundings - the text around the address that a word holds
 * @before: text in front of the address
 * @after: text from the address on
 */
struct surroundings {
	u8 before[sizeof(u64)];
	u8 after[RETADDR_AFTER];
};

static_assert(sizeof(u64) > RETADDR_CALL_MAX);

/* Keep a word, unless mappings have changed since the count was @changes. */
static void keep(struct return_words *words, unsigned long word, int changes)
{
	WRITE_ONCE(words->known[(u8)word], word);
	/* Pairs with return_words_prune(): it clears the word, or its new count is seen here. */
	smp_mb();
	if (unlikely(atomic_read(&words->changes) != changes))
		return_word_clear(words, (u8)word);
}

/* Context: any. */
void return_words_init(struct return_words *words)
{
	return_word_clear(words, 0);
}

/* Read the count of changes of mappings, before the text is read. */
static int changes_now(const struct return_words *words)
{
	int changes = atomic_read(&words->changes);

	/* Pairs with return_words_prune(). */
	smp_rmb();
	return changes;
}

/* Replace our breakpoints by the original bytes in a copy of text.  Context: RCU read side. */
static void without_probes(const struct probed_mm *pmm, unsigned long addr, u8 *text, size_t len)
{
	const struct site *site;
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] != ARCH_BREAKPOINT)
			continue;
		site = site_find(pmm->mm, addr + i);
		if (site && site->kind == SITE_PROBE)
			text[i] = site->plan->text[0];
	}
	jumps_show_text(pmm, addr, text, len);
}

/**
 * return_word_look() - find out in a trap whether a word is a return address
 * @pmm: the current task's address space
 * @word: the word at the stack pointer when a function is entered
 *
 * It is one if a call instruction ends at this address, in memory that can be executed.
 *
 * Context: the trap.
 * Return: the kind of the word, as far as a trap can tell.
 */
enum word_kind return_word_look(struct probed_mm *pmm, unsigned long word)
{
	int changes = changes_now(&pmm->uret.words);
	u8 before[sizeof(u64)];
	int executable;

	if (word >= arch_limit(pmm->mode) || word < sizeof(before))
		return WORD_DATA;
	executable = arch_executable(pmm->mm, word);
	/* A debugger may have put a breakpoint there: see of_debugger(). */
	if (executable <= 0)
		return executable || current->ptrace ? WORD_UNCLEAR : WORD_DATA;
	if (copy_from_user_nofault(before, (void __user *)(word - sizeof(before)), sizeof(before)))
		return WORD_UNCLEAR;
	without_probes(pmm, word - sizeof(before), before, sizeof(before));
	if (!retaddr_behind_call(before + sizeof(before), pmm->mode))
		return WORD_UNCLEAR;
	keep(&pmm->uret.words, word, changes);
	return WORD_RETURN;
}

/**
 * struct lies - the memory that a word points to
 * @executable: it can be executed
 * @of_kernel: it is the kernel's: the vDSO, or the trampoline of the kernel's return probes
 * @nameless: it is not in a file that has a name: a compiler has generated it at run time
 * @anonymous: it is memory without a file, such as the stack
 */
struct lies {
	bool executable;
	bool anonymous;
	bool of_kernel;
	bool nameless;
};

/* Look up the memory that a word points to.  Context: may sleep; takes the mmap lock. */
static struct lies where_lies(struct mm_struct *mm, unsigned long word)
{
	const struct vm_area_struct *vma;
	struct lies lies = {};

	if (mmap_read_lock_killable(mm))
		return lies;
	vma = find_vma(mm, word);
	if (vma && vma->vm_start <= word)
		lies.anonymous = !vma->vm_ops;
	if (vma && vma->vm_start <= word && vma->vm_flags & VM_EXEC) {
		lies.executable = true;
		lies.of_kernel = !vma->vm_file && vma->vm_ops && vma->vm_ops->name;
		lies.nameless = !vma->vm_file || !file_inode(vma->vm_file)->i_nlink;
	}
	mmap_read_unlock(mm);
	return lies;
}

/*
 * Check whether a debugger makes the current task call the function.  gdb lets such calls return to
 * a breakpoint on the stack, and treats the fault there as the trap of that breakpoint.
 */
static bool of_debugger(const struct lies *lies, unsigned long word)
{
	u8 byte;

	/* The debugger has just written this byte, so its page is present. */
	return current->ptrace && lies->anonymous &&
	       !copy_from_user_nofault(&byte, (void __user *)word, sizeof(byte)) &&
	       byte == ARCH_BREAKPOINT;
}

/* Check whether a signal handler of the current task returns to an address. */
static bool is_restorer(unsigned long word)
{
	const struct sighand_struct *sighand = rcu_dereference_protected(current->sighand, true);
	unsigned int i;

	for (i = 0; i < _NSIG; i++) {
		if (word == (unsigned long)READ_ONCE(sighand->action[i].sa.sa_restorer))
			return true;
	}
	return false;
}

/* Check whether another owner's breakpoint may cover the first byte of a call that ends at @end. */
static bool behind_breakpoint(const u8 *end)
{
	/* Several breakpoints in a row fill a gap between functions. */
	return end[-1] != ARCH_BREAKPOINT &&
	       memchr(end - RETADDR_CALL_MAX, ARCH_BREAKPOINT, RETADDR_CALL_MAX - 1);
}

/*
 * Check whether a function may return to a word.  Some functions were not entered by a call, and
 * return all the same: a signal handler, the first function of a coroutine, and a function whose
 * return address was pushed before a jump.  In code without a named file, such an address may be
 * anywhere, except where compilers let functions begin.
 */
static bool returned_to(const struct surroundings *text, const struct lies *lies,
			unsigned long word, enum uinsn_mode mode)
{
	const u8 *end = text->before + sizeof(text->before);

	return lies->of_kernel || retaddr_behind_call(end, mode) || retaddr_behind_jump(end) ||
	       behind_breakpoint(end) || is_restorer(word) ||
	       text->after[0] == ARCH_BREAKPOINT || retaddr_of_frame(text->after, mode) ||
	       (lies->nameless && word & 15);
}

/**
 * return_word_is() - find out in task context whether a word is a return address
 * @pmm: the current task's address space
 * @word: the word at the stack pointer when a function is entered
 * @regs: user registers
 *
 * Context: may sleep; takes the mmap lock.
 */
bool return_word_is(struct probed_mm *pmm, unsigned long word, const struct pt_regs *regs)
{
	int changes = changes_now(&pmm->uret.words), mode = arch_code_mode(regs);
	const struct lies lies = where_lies(pmm->mm, word);
	struct surroundings text = {};
	bool hidden;

	if (!lies.executable || mode < 0)
		return of_debugger(&lies, word);
	/* The text in front of the address may be missing, and the text behind it may end early. */
	hidden = copy_from_user(text.after, (void __user *)word, sizeof(text.after)) ==
		sizeof(text.after);
	if (copy_from_user(text.before, (void __user *)(word - sizeof(text.before)),
			   sizeof(text.before)))
		memset(text.before, 0, sizeof(text.before));
	rcu_read_lock();
	without_probes(pmm, word - sizeof(text.before), text.before, sizeof(text.before));
	without_probes(pmm, word, text.after, sizeof(text.after));
	rcu_read_unlock();
	/* Memory that can be executed and not read holds only code. */
	if (!hidden && !returned_to(&text, &lies, word, mode))
		return false;
	/* Keep no word that points to a trampoline: the probed mm may use this trampoline later. */
	if (text.after[0] != ARCH_BREAKPOINT)
		keep(&pmm->uret.words, word, changes);
	return true;
}

/**
 * return_words_prune() - forget the words of a range whose mapping has changed
 * @pmm: the address space
 * @start: first address of the range
 * @end: first address behind the range
 *
 * Context: any; the kernel has removed the pages.
 */
void return_words_prune(struct probed_mm *pmm, unsigned long start, unsigned long end)
{
	struct return_words *words = &pmm->uret.words;
	unsigned long word;
	unsigned int i;

	atomic_inc(&words->changes);
	/* Pairs with keep(), and changes_now(). */
	smp_mb__after_atomic();
	for (i = 0; i < RETURN_WORDS; i++) {
		word = READ_ONCE(words->known[i]);
		/* The text in front of the address was read, too. */
		if (word >= start && word - sizeof(u64) < end)
			return_word_clear(words, i);
	}
}
