// SPDX-License-Identifier: GPL-2.0
/*
 * Finding out that the current task is in a call that another has entered.
 */
#include <linux/mm.h>
#include <linux/poison.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "image.h"
#include "instance.h"
#include "roaming.h"
#include "stray.h"
#include "task.h"

/* So much of a stack is searched, and so much of it is read at once, in bytes. */
#define SEARCH_MAX	SZ_256K
#define SEARCH_PIECE	512

/* A list that another task changes is followed so often, and so far. */
#define LIST_TRIES	3
#define LIST_MAX	20000U

/**
 * struct suspicion - whether there are calls
 * @mm: in this address space
 * @found: there are, of another task than the current
 */
struct suspicion {
	const struct mm_struct *mm;
	bool found;
};

static void suspicion_look(struct utask *utask, void *data)
{
	struct suspicion *s = data;

	if (utask->mm == s->mm && READ_ONCE(utask->task) != current &&
	    READ_ONCE(utask->nr_instances))
		s->found = true;
}

/**
 * stray_suspected() - may the current task be in another's call?
 * @mm: its address space
 *
 * Context: any, the trap included.
 */
bool stray_suspected(struct mm_struct *mm)
{
	struct suspicion s = { .mm = mm };

	utask_for_each(suspicion_look, &s);
	return s.found;
}

/**
 * struct stray - a place on a stack that may be that of a call
 * @mm: the address space
 * @sp: the place
 * @found: it is, of another task than the current
 */
struct stray {
	const struct mm_struct *mm;
	unsigned long sp;
	bool found;
};

/*
 * The list may be changed meanwhile: the memory stays (instances are freed after a grace
 * period), but the way may end in another list, or at an instance that is in none.  A call
 * that is suspended is found unless others in the same bucket come and go each time.  Where
 * the way does not end, it counts as found.
 */
static bool list_has(const struct hlist_head *list, unsigned long sp)
{
	const struct hlist_node *node = READ_ONCE(list->first);
	unsigned int n;

	for (n = 0; node && n < LIST_MAX; n++, node = READ_ONCE(node->next)) {
		/* Of hlist_del(). */
		if (node == LIST_POISON1)
			return false;
		if (READ_ONCE(hlist_entry(node, struct uret_instance, in_task)->ri.sp) == sp)
			return true;
	}
	return node;
}

static void stray_find(struct utask *utask, void *data)
{
	struct stray *stray = data;
	unsigned int i;

	if (utask->mm != stray->mm || READ_ONCE(utask->task) == current)
		return;
	for (i = 0; i < LIST_TRIES && !stray->found; i++)
		stray->found = list_has(instance_bucket(utask, stray->sp), stray->sp);
}

/* Whether the trampoline's address at @sp is there for a call that another task has entered. */
static bool call_is_anothers(struct utask *utask, unsigned long sp)
{
	struct stray stray = { .mm = current->mm, .sp = sp };
	bool own;

	preempt_disable();
	own = utask && instance_at(utask, sp);
	preempt_enable();
	if (own)
		return false;
	utask_for_each(stray_find, &stray);
	return stray.found;
}

/*
 * Looks for such a call from where the task is on its stack to the end of the mapping, or as
 * far as SEARCH_MAX.  Most of what looks like one was left there by calls long ago.
 * Context: may sleep.
 */
static bool stack_has_stray(unsigned long trampoline)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct utask *utask = utask_find(current);
	unsigned int i, n, size = arch_word_size(regs);
	unsigned long at, end;
	union {
		u64 w64[SEARCH_PIECE / sizeof(u64)];
		u32 w32[SEARCH_PIECE / sizeof(u32)];
	} words;

	at = ALIGN(regs->sp, size);
	end = at + SEARCH_MAX;
	for (; at < end; at += n) {
		/* Pieces do not cross the ends of pages. */
		n = SEARCH_PIECE - (at & (SEARCH_PIECE - 1));
		if (copy_from_user(&words, (void __user *)at, n))
			return false;
		for (i = 0; i < n / size; i++) {
			if ((size == sizeof(u64) ? words.w64[i] : words.w32[i]) == trampoline &&
			    call_is_anothers(utask, at + i * size))
				return true;
		}
		cond_resched();
	}
	return false;
}

/**
 * stray_look() - find out before the current task's stack is read by itself
 * @may_sleep: whether the caller can
 *
 * If the task is in a call of another's, roaming_begin() has been called on return, so that
 * the call is known like the task's own.
 *
 * Context: as @may_sleep says; the trap otherwise.
 * Return: false when it takes a context that can sleep.
 */
bool stray_look(bool may_sleep)
{
	struct mm_struct *mm = current->mm;
	struct roaming *roaming;
	struct image *image;
	bool alone;

	rcu_read_lock();
	image = image_lookup(mm);
	/* There are no other threads, nor have they left calls; or it has been found out. */
	roaming = image ? READ_ONCE(image->roaming) : NULL;
	alone = !image || (roaming && !roaming_partial(roaming)) ||
		(atomic_read(&mm->mm_users) == 1 && !READ_ONCE(image->orphans.nr));
	rcu_read_unlock();
	if (alone || !stray_suspected(mm))
		return true;
	if (!may_sleep)
		return false;
	image = image_find(mm);
	if (!image)
		return true;
	if (image->trampoline && stack_has_stray(image->trampoline))
		roaming_begin(image);
	image_put(image);
	return true;
}
