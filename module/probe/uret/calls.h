/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of return-probed functions: one table for each address space.
 *
 * The key is the address of the stack word that holds the return address.  Two live calls never
 * share that word, so it does not matter which thread enters a call and which one returns from
 * it.  If a jump enters a function, the word already holds the trampoline's address.  The
 * instances of that function join those of the call that is there.  Any other instance that is
 * found at the key is stale: longjmp() has left its call, or the stack is gone.
 *
 *	struct calls ── table ──▶ [bucket][bucket][bucket] ...
 *	                             │ live ──▶ instance ──▶ instance
 *	                             │ spare ─▶ instance, to be used again
 *
 * A bucket has its own lock, and its own spare instances, which are not in use.  A call at the same
 * stack address as an earlier one reuses the instance of that call.  If there is no spare instance,
 * the hit is deferred to task context.  There the program allocates an instance, and is charged for
 * it.  The table grows in task context, too.
 */
#ifndef _UPROBES_CALLS_H
#define _UPROBES_CALLS_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "uret_types.h"
#include "core/calls_types.h"
#include "core/consumer_types.h"

struct probed_mm;

/* The maximum number of instances of a process; further calls are missed. */
#define CALLS_MAX		262144

/*
 * The maximum number of calls in a bucket, which a trap walks over.  A call has an instance for
 * each return probe of the function, of which %TRAP_CONSUMERS count here at most.  This is also the
 * maximum number of functions that jumps can enter in the frame of one call.
 */
#define CALLS_BUCKET_MAX	128U

#define CALLS_MIN_BITS		8U
#define CALLS_MAX_BITS		18U

/* With fewer instances, do not search for stale ones. */
#define CALLS_PRUNE_MIN		256U

/* With CALLS_MAX instances, wait this long before the next search for stale ones. */
#define CALLS_PRUNE_INTERVAL	HZ

/*
 * Two keys share a bucket by chance only (Dietzfelbinger et al., multiply-shift hashing).  But the
 * keys of a recursion are at equal distances.  Without the exclusive or, one factor in ten thousand
 * would put more of them into one bucket than there may be.
 */
static __always_inline struct call_bucket *call_bucket(struct call_table *table, unsigned long sp)
{
	return &table->buckets[(sp ^ sp >> 9) * table->factor >> table->shift];
}

/* Check in debug builds that the number of instances that a trap walks over is bounded. */
static inline void calls_check(const struct calls *calls, const struct call_bucket *bucket)
{
	const struct uret_instance *inst;
	unsigned int n = 0;

	/* Beyond %TRAP_CONSUMERS, the last call may have any number of them. */
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING) || READ_ONCE(calls->widest) == TRAP_CONSUMERS)
		return;
	for (inst = bucket->live; inst; inst = inst->next)
		n++;
	WARN_ON_ONCE(n > (CALLS_BUCKET_MAX + 1) * READ_ONCE(calls->widest));
}

struct call_bucket *calls_lock_moved(struct call_table *table, struct call_bucket *bucket,
				     unsigned long sp);

/**
 * calls_lock() - lock the bucket of a key
 * @calls: the calls; the table exists
 * @sp: address of the stack word
 *
 * Context: interrupts off, which is also the RCU read side of the table.
 * Return: the bucket, to be unlocked with calls_unlock().
 */
static __always_inline struct call_bucket *calls_lock(struct calls *calls, unsigned long sp)
{
	struct call_table *table = rcu_dereference_sched(calls->table);
	struct call_bucket *bucket = call_bucket(table, sp);

	/* Otherwise the compiler keeps the operands of the address to access the bucket. */
	OPTIMIZER_HIDE_VAR(bucket);
	raw_spin_lock(&bucket->lock);
	if (unlikely(bucket->moved))
		bucket = calls_lock_moved(table, bucket, sp);
	calls_check(calls, bucket);
	return bucket;
}

static __always_inline void calls_unlock(struct call_bucket *bucket)
{
	raw_spin_unlock(&bucket->lock);
}

/**
 * calls_live_at() - check whether a walk over all buckets must lock the bucket at a position
 * @calls: the calls; the table exists
 * @pos: position in the walk: at first 0, then the sum of all @step, until that is 0 again
 * @step: set to the length of the bucket in the walk
 *
 * The table may grow during the walk, because a position is a hash.
 *
 * Context: interrupts off.
 * Return: false if there is no call in the bucket.
 */
static inline bool calls_live_at(const struct calls *calls, u64 pos, u64 *step)
{
	const struct call_table *table = rcu_dereference_sched(calls->table);
	const struct call_bucket *bucket = &table->buckets[pos >> table->shift];

	*step = 1ULL << table->shift;
	if (READ_ONCE(bucket->live))
		return true;
	/* Pairs with bucket_move(). */
	smp_rmb();
	return READ_ONCE(bucket->moved);
}

/**
 * calls_lock_next() - lock a bucket in a walk over all buckets
 * @calls: as for calls_live_at()
 * @pos: as for calls_live_at()
 * @step: as for calls_live_at()
 *
 * Context: interrupts off.
 * Return: the bucket, to be unlocked with calls_unlock().
 */
static inline struct call_bucket *calls_lock_next(struct calls *calls, u64 pos, u64 *step)
{
	struct call_table *table = rcu_dereference_sched(calls->table);
	struct call_bucket *bucket = &table->buckets[pos >> table->shift];

	*step = 1ULL << table->shift;
	raw_spin_lock(&bucket->lock);
	while (bucket->moved) {
		raw_spin_unlock(&bucket->lock);
		/* Pairs with calls_grow(). */
		table = smp_load_acquire(&table->next);
		*step = 1ULL << table->shift;
		bucket = &table->buckets[pos >> table->shift];
		raw_spin_lock(&bucket->lock);
	}
	return bucket;
}

/**
 * bucket_find() - find the instances of a call
 * @bucket: the bucket of @sp, locked
 * @sp: address of the stack word
 *
 * Return: the link to the newest instance, or a link that is NULL.
 */
static __always_inline struct uret_instance **bucket_find(struct call_bucket *bucket,
							  unsigned long sp)
{
	struct uret_instance **link = &bucket->live;

	while (*link && (*link)->ri.sp != sp)
		link = &(*link)->next;
	return link;
}

/* Remove all instances of the call at @link from the bucket, which is locked. */
static __always_inline struct uret_instance *bucket_cut(struct uret_instance **link)
{
	struct uret_instance *first = *link, *last = first;

	while (unlikely(last->next && last->next->ri.sp == first->ri.sp))
		last = last->next;
	*link = last->next;
	last->next = NULL;
	return first;
}

void calls_enter_another(struct calls *calls);

/* Note that the current task enters a call. */
static __always_inline void calls_enter(struct calls *calls)
{
	pid_t sole = READ_ONCE(calls->sole);

	if (unlikely(sole != current->pid && sole != CALLS_MANY))
		calls_enter_another(calls);
}

static inline bool calls_there(const struct calls *calls)
{
	return rcu_access_pointer(calls->table);
}

/* Get the number of buckets.  Context: any. */
static inline unsigned long calls_buckets(const struct calls *calls)
{
	unsigned long buckets;

	rcu_read_lock();
	buckets = 1UL << rcu_dereference(calls->table)->bits;
	rcu_read_unlock();
	return buckets;
}

void calls_init(struct calls *calls);
int calls_make(struct calls *calls);
void calls_end(struct calls *calls);
void calls_grow(struct calls *calls);
struct uret_instance *instance_alloc(size_t data_size, gfp_t gfp);
struct uret_instance *calls_alloc(struct calls *calls, size_t data_size);
void calls_free(struct calls *calls, struct uret_instance *inst);
void instance_copy(struct uret_instance *copy, const struct uret_instance *inst);
struct uret_instance *instance_take(struct call_bucket *bucket, size_t data_size);
void instances_recycle(struct calls *calls, struct uret_instance *list);
void calls_drop(struct calls *calls, unsigned long sp);
void calls_link_restored(struct calls *calls, struct uret_instance *inst);
bool bucket_full(const struct calls *calls, const struct call_bucket *bucket);
int calls_link(struct calls *calls, struct uret_instance **list, unsigned long sp, bool chained);
void calls_discard(struct uret_instance **copies);
bool calls_real(struct calls *calls, unsigned long sp, unsigned long *ret_addr);

#endif /* _UPROBES_CALLS_H */
