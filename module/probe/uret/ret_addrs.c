// SPDX-License-Identifier: GPL-2.0
/*
 * Return addresses on the stacks of a process: translate them, and restore them for a thread that
 * is going to read its stack.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "ret_addrs.h"
#include "arch.h"
#include "calls.h"
#include "core/calls_types.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/slots.h"
#include "core/ssol_area.h"
#include "jump/pad_area.h"
#include "jump/pad_trap.h"

/*
 * Maximum number of attempts to restore a word whose page can be faulted in each time.  Other
 * threads may remove the page, but not this many times in a row.  A shadow stack never allows the
 * exchange.
 */
#define RESTORE_TRIES	100U

/* If the word at @sp is @from, set it to @to.  Set @was to the old word.  False without a page. */
static bool word_swap(unsigned long sp, unsigned long from, unsigned long to,
		      unsigned int size, unsigned long *was)
{
	u64 __user *at64 = (u64 __user *)sp;
	u32 __user *at32 = (u32 __user *)sp;
	u64 old64 = from;
	u32 old32 = from;

	if (!user_access_begin(at64, size))
		return false;
	if (size == sizeof(u64)) {
		unsafe_try_cmpxchg_user(at64, &old64, (u64)to, fault);
		*was = old64;
	} else {
		unsafe_try_cmpxchg_user(at32, &old32, (u32)to, fault);
		*was = old32;
	}
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

/*
 * Restore the return address of a call in the current task's address space, if the word holds the
 * trampoline's address.  Set @was to the old word.  Another thread may own the stack, so the
 * exchange is atomic; the word is aligned.  Return false if the page is absent, or shared with a
 * forked process.
 */
static bool stack_restore(const struct uret_instance *inst, unsigned long *was)
{
	bool there;

	pagefault_disable();
	there = word_swap(inst->ri.sp, inst->trampoline, inst->ri.ret_addr, inst->word, was);
	pagefault_enable();
	return there;
}

/*
 * Mark a call whose return address was restored.  The call is not followed any more, and counts as
 * missed if it is @under_way.  The instance stays: a thread may have just popped the trampoline's
 * address, and not have executed the trampoline yet.  Context: the bucket locked.
 */
static void set_restored(struct uret_instance *inst, bool under_way)
{
	if (under_way && READ_ONCE(inst->consumer->run.live))
		consumer_missed(inst->consumer);
	inst->restored = true;
	inst->restored_at = jiffies;
}

/**
 * struct unwound - the calls that a thread may find when it walks its stack
 * @start: start of the part of its stack that is in use
 * @end: first address behind this part
 * @owner: thread id of this thread
 * @all: calls of other threads are included
 */
struct unwound {
	unsigned long start;
	unsigned long end;
	pid_t owner;
	bool all;
};

static bool is_unwound(const struct unwound *u, const struct uret_instance *inst)
{
	return !inst->restored && (u->all || inst->owner == u->owner ||
				   (inst->ri.sp >= u->start && inst->ri.sp < u->end));
}

/*
 * Restore the calls in a bucket that @u selects, without sleeping.  The page of @gone cannot be
 * faulted in.  Return: the stack address of another call whose page is absent, or 0.
 * Context: the bucket locked.
 */
static unsigned long bucket_restored(struct call_bucket *bucket, const struct unwound *u,
				     unsigned long gone)
{
	struct uret_instance *inst;
	unsigned long absent = 0, was;

	for (inst = bucket->live; inst; inst = inst->next) {
		bool there;

		if (!is_unwound(u, inst))
			continue;
		there = stack_restore(inst, &was);
		if (!there && inst->ri.sp != gone)
			absent = inst->ri.sp;
		else	/* With any other word, the call is stale.  Instances may share the word. */
			set_restored(inst, there && (was == inst->trampoline ||
						     was == inst->ri.ret_addr));
	}
	return absent;
}

/* Restore all calls in a trap.  Return false if that takes a context that can sleep. */
static bool restore_in_trap(struct calls *calls)
{
	const struct unwound u = { .all = true };
	pid_t sole = READ_ONCE(calls->sole);
	struct call_bucket *bucket;
	unsigned long absent = 0;
	u64 pos = 0, step;

	if (sole == CALLS_NOBODY)
		return true;
	/*
	 * Go to task context if there are too many calls, or calls of other threads, which need
	 * not be restored.
	 */
	if (sole != current->pid || calls_buckets(calls) > 1UL << CALLS_MIN_BITS ||
	    atomic_read(&calls->nr) > 1 << CALLS_MIN_BITS)
		return false;
	do {
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			absent = bucket_restored(bucket, &u, 0);
			calls_unlock(bucket);
		}
		pos += step;
	} while (pos && !absent);
	return !absent;
}

/* Fault in the page of a stack address.  Return false if that is not possible. */
static bool page_bring(unsigned long at)
{
	/* Do not store to it: another thread may use the word by now. */
	return !fault_in_safe_writeable((char __user *)at, 1);
}

/* Restore the calls that @u selects, in all buckets.  Context: may sleep. */
static void restore_all(struct calls *calls, const struct unwound *u)
{
	unsigned long absent, gone = 0, last = 0;
	struct call_bucket *bucket;
	unsigned int tries = 0;
	u64 pos = 0, step;

	do {
		absent = 0;
		local_irq_disable();
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			absent = bucket_restored(bucket, u, gone);
			calls_unlock(bucket);
		}
		local_irq_enable();
		cond_resched();
		if (!absent) {
			pos += step;
			continue;
		}
		/* Other threads can remove pages again and again: limit the number of attempts. */
		tries = absent == last ? tries + 1 : 1;
		last = absent;
		gone = tries == RESTORE_TRIES || !page_bring(absent) ? absent : 0;
	} while ((pos || absent) && !fatal_signal_pending(current));
}

/* Restore the call at one stack address.  Context: may sleep. */
static void restored_at(struct calls *calls, unsigned long at)
{
	const struct unwound u = { .start = at, .end = at + 1 };
	struct call_bucket *bucket;
	unsigned long absent, gone = 0;
	unsigned int tries = 0;

	do {
		local_irq_disable();
		bucket = calls_lock(calls, at);
		absent = bucket_restored(bucket, &u, gone);
		calls_unlock(bucket);
		local_irq_enable();
		if (absent)
			gone = ++tries == RESTORE_TRIES || !page_bring(at) ? at : 0;
	} while (absent && !fatal_signal_pending(current));
}

/* How much of a stack is read at once, in bytes. */
#define PIECE	512

/*
 * Find the calls by the words of the stack: the word of a call holds the trampoline's address.  The
 * address space may have had several trampolines, each in its own area.  Context: may sleep.
 */
static void restore_words(struct probed_mm *pmm, const struct unwound *u, unsigned int size)
{
	union {
		u64 w64[PIECE / sizeof(u64)];
		u32 w32[PIECE / sizeof(u32)];
	} words;
	unsigned long at, word, low = ULONG_MAX, high = 0;
	/* Pairs with pmm_add_area(): so many areas are complete. */
	unsigned int i, n, nr = smp_load_acquire(&pmm->areas.nr);

	for (i = 0; i < nr; i++) {
		low = min(low, ssol_area_trampoline(pmm->areas.list[i]));
		high = max(high, ssol_area_trampoline(pmm->areas.list[i]));
	}
	for (at = ALIGN(u->start, size); at < u->end; at += n) {
		/* A piece does not cross the end of a page. */
		n = min(PIECE - (at & (PIECE - 1)), u->end - at);
		if (copy_from_user(&words, (void __user *)at, n))
			return;
		for (i = 0; i < n / size; i++) {
			word = size == sizeof(u64) ? words.w64[i] : words.w32[i];
			if (word >= low && word <= high)
				restored_at(&pmm->uret.calls, at + i * size);
		}
		cond_resched();
	}
}

/*
 * Fill in which part of its stack the current task uses.  Return true if it is on the stack that it
 * began with: it has not come there from another stack.  C libraries keep the data that the thread
 * pointer refers to at the end of a thread's stack.  The first thread is an exception.
 */
static bool stack_used(struct unwound *u)
{
	unsigned long there = thread_group_leader(current) ? current->mm->start_stack :
		arch_thread_pointer();
	const struct vm_area_struct *vma;
	bool base = false;

	u->end = u->start;
	if (mmap_read_lock_killable(current->mm))
		return false;
	vma = find_vma(current->mm, u->start);
	if (vma && vma->vm_start <= u->start) {
		u->end = vma->vm_end;
		base = there >= u->start && there < u->end;
	}
	mmap_read_unlock(current->mm);
	/* A signal stack may lie within the first stack. */
	return base && !on_sig_stack(u->start);
}

/*
 * On its first stack, a thread can find only calls between its stack pointer and the end.  On
 * another stack, it may also find calls of its own elsewhere.  Other stacks are an alternate signal
 * stack, or a segment of a stack that grows by segments.  Context: may sleep.
 */
static void restore_in_task(struct probed_mm *pmm)
{
	const struct pt_regs *regs = task_pt_regs(current);
	struct unwound u = { .start = regs->sp, .owner = current->pid };
	unsigned int size = arch_word_size(regs);

	if (stack_used(&u) && (u.end - u.start) / size < calls_buckets(&pmm->uret.calls)) {
		restore_words(pmm, &u, size);
		return;
	}
	/* The signal may have interrupted a coroutine that has calls of any thread. */
	u.all = READ_ONCE(pmm->uret.calls.mixed) && on_sig_stack(regs->sp);
	restore_all(&pmm->uret.calls, &u);
}

/**
 * ret_addrs_restore() - restore the return addresses of the current task's calls
 * @may_sleep: whether the caller can sleep
 *
 * The current task is going to read its stack.  The calls on this stack are not followed any more,
 * and count as missed.  The same holds for other calls of the task, which it may have entered on
 * another stack.
 *
 * Context: as @may_sleep says; the trap otherwise.
 * Return: false if a context that can sleep is needed for the rest.
 */
bool ret_addrs_restore(bool may_sleep)
{
	struct probed_mm *pmm;

	if (!may_sleep) {
		pmm = pmm_lookup(current->mm);
		return !pmm || !calls_there(&pmm->uret.calls) || restore_in_trap(&pmm->uret.calls);
	}
	pmm = pmm_find(current->mm);
	if (!pmm)
		return true;
	if (calls_there(&pmm->uret.calls))
		restore_in_task(pmm);
	pmm_put(pmm);
	return true;
}

/**
 * ret_addr_restore() - restore a return address before the kernel's return probe sees it
 * @pmm: the current task's address space
 * @regs: user registers at the entry of a function
 * @shared: restore only calls of functions whose breakpoint has another owner, too
 *
 * A function that a jump has entered finds our trampoline's address.  The kernel's return probe on
 * it expects the real address, or its own trampoline's.  Our exchange is the later one (see
 * hit_pass_on()), so the restored word is what the kernel expects.  The calls are not followed any
 * more, and count as missed.
 *
 * Context: the trap.
 */
void ret_addr_restore(struct probed_mm *pmm, const struct pt_regs *regs, bool shared)
{
	struct uret_instance *inst;
	struct call_bucket *bucket;
	unsigned long was;

	if (!calls_there(&pmm->uret.calls))
		return;
	bucket = calls_lock(&pmm->uret.calls, regs->sp);
	inst = *bucket_find(bucket, regs->sp);
	if (inst && !inst->restored && inst->shared >= shared && stack_restore(inst, &was)) {
		for (; inst && inst->ri.sp == regs->sp; inst = inst->next)
			set_restored(inst, was == inst->trampoline);
	}
	calls_unlock(bucket);
}

/**
 * ret_addr_real() - translate an address of this module to the program's address
 * @task: the current task, or one that does not run
 * @pc: an address
 * @sp: stack address at which @pc was found, or the stack pointer if @pc is the ip
 *
 * Context: any.
 * Return: for the trampoline, the real return address; for an address in a slot or in a pad, the
 * address of the instruction; @pc otherwise.
 */
unsigned long ret_addr_real(struct task_struct *task, unsigned long pc, unsigned long sp)
{
	const struct jump *jump;
	struct probed_mm *pmm;
	struct site *site;

	if (!task->mm)
		return pc;
	rcu_read_lock();
	pmm = pmm_lookup(task->mm);
	if (pmm && pc == READ_ONCE(pmm->uret.trampoline)) {
		if (!calls_real(&pmm->uret.calls, sp, &pc) &&
		    !calls_real(&pmm->uret.calls, sp - sizeof(long), &pc))
			calls_real(&pmm->uret.calls, sp - sizeof(u32), &pc);
	} else if (pmm) {
		site = site_of_slot(pmm, pc);
		jump = jump_of_pad(pmm, pc);
		if (site)
			pc = site_original_ip(site, pc);
		else if (jump)
			pc = pad_original_ip(jump, pc);
	}
	rcu_read_unlock();
	return pc;
}

/* Check whether @pc is the trampoline's address on the stack for the call @ri.  Context: any. */
bool ret_addr_is_trampoline(const struct uretprobe_instance *ri, unsigned long pc)
{
	return container_of(ri, struct uret_instance, ri)->trampoline == pc;
}
