/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of processes whose coroutines go from thread to thread.
 *
 * As a rule a task returns from the calls that it has entered, so that its
 * return instances are its own (task.h) and a hit takes no lock for them.  A
 * task that returns to the trampoline from a call that it has not entered
 * shows a process where that does not hold: it suspends a stack in one thread
 * and goes on with it in another.  From then on the instances of all its
 * threads are kept in one place, under a lock, and hits there take the long
 * way (image::resumptions).  The same is found out where a task is going to
 * read its own stack, as exceptions do (stray.h).
 *
 * What a child of vfork() has got as copies stays its own: it returns through
 * frames that its parent will return through, too.
 */
#ifndef _UPROBES_ROAMING_H
#define _UPROBES_ROAMING_H

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>

#include "retprobe.h"

struct image;
struct mm_struct;
struct uret_instance;
struct utask;

/* Logarithms of how many buckets there are for calls, by how many there are at first. */
#define ROAMING_BITS	8U
#define ROAMING_BITS_MAX	16U

/**
 * struct roaming - the calls under way in one address space
 * @lock: protects what follows; taken with interrupts off, the trap included, and
 *	nothing is taken within but the locks of reserves
 * @rcu: for look-ups by other tasks
 * @mm: the address space
 * @in_list: in the list of all, which release_tasks() reads
 * @partial: tasks have calls of their own that are still to be moved here; changed with the
 *	machine stopped
 * @nr: how many calls there are, without those in @put_back
 * @nr_put_back: how many there are in that
 * @prune_at: how many there are to be when the stale ones are looked for
 * @prune_after: and not before this, in jiffies, where there are RETPROBE_PROCESS_MAX
 * @key: of the hash, as programs choose the places
 * @lowest: of the trampolines of all that have been in @calls
 * @highest: the same
 * @bits: logarithm of how many buckets each of the following has
 * @put_back: instances whose return address has been put back, by their place on
 *	the stack, newest first.  A thread may have taken the trampoline's off its
 *	stack just then, and still arrive there
 * @calls: the other instances, likewise
 *
 * Made by roaming_begin(), and goes with the image.
 */
struct roaming {
	raw_spinlock_t lock;
	struct rcu_head rcu;	/* kfree_rcu() wants it near the start */
	struct mm_struct *mm;
	struct list_head in_list;
	bool partial;
	unsigned int nr;
	unsigned int nr_put_back;
	unsigned int prune_at;
	unsigned long prune_after;
	siphash_key_t key;
	unsigned long lowest;
	unsigned long highest;
	unsigned int bits;
	struct hlist_head *put_back;
	struct hlist_head calls[];
};

void roaming_begin(struct image *image);
void roaming_enlist(struct roaming *r);
void roaming_end(struct image *image);
struct uret_instance *roaming_claim(struct roaming *r, struct utask *utask,
				    unsigned long trampoline, const struct pt_regs *regs);
bool roaming_real(struct roaming *r, unsigned long sp, unsigned long *ret_addr);
bool roaming_link(struct roaming *r, struct hlist_head *fresh, unsigned long sp, bool chained,
		  bool written);
void roaming_prune(struct roaming *r);
void roaming_lift(struct roaming *r, unsigned long sp, bool shared);
bool roaming_put_back(struct roaming *r, bool may_sleep);
int roaming_copy(struct roaming *r, struct hlist_head *copies);
void roaming_for_each(void (*fn)(struct mm_struct *mm, const struct uret_instance *inst,
				 void *data), void *data);
struct uret_instance *roaming_returned(struct mm_struct *mm, unsigned long trampoline,
				       const struct pt_regs *regs, bool nearest);

/* Whether a call that is not known here may be, after another roaming_begin(). */
static inline bool roaming_partial(const struct roaming *r)
{
	return READ_ONCE(r->partial);
}

static inline unsigned int roaming_buckets(const struct roaming *r)
{
	return 1U << r->bits;
}

/* Whether the stale ones among the calls are to be looked for, which takes task context. */
static inline bool roaming_crowded(const struct roaming *r)
{
	unsigned int nr = READ_ONCE(r->nr);

	return nr >= READ_ONCE(r->prune_at) &&
	       (nr < RETPROBE_PROCESS_MAX || time_after_eq(jiffies, READ_ONCE(r->prune_after)));
}

#endif /* _UPROBES_ROAMING_H */
