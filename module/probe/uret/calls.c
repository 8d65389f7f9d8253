// SPDX-License-Identifier: GPL-2.0
/*
 * The table of calls: create it, grow it, and manage the instances in it.
 */
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/percpu-refcount.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "calls.h"
#include "core/calls_types.h"
#include "core/consumer.h"

/* The minimum size of an instance: a size of kmalloc() that has some room for data. */
#define INSTANCE_SIZE	96

static_assert(sizeof(struct uret_instance) + sizeof(u64) <= INSTANCE_SIZE);

/* The slow path of calls_lock(), while the table grows. */
struct call_bucket *calls_lock_moved(struct call_table *table, struct call_bucket *bucket,
				     unsigned long sp)
{
	while (bucket->moved) {
		raw_spin_unlock(&bucket->lock);
		/* Pairs with calls_grow(). */
		table = smp_load_acquire(&table->next);
		bucket = call_bucket(table, sp);
		raw_spin_lock(&bucket->lock);
	}
	return bucket;
}

/*
 * A program at the limit of its memory cgroup misses calls, and is not killed: the kernel kills no
 * task for an allocation with __GFP_RETRY_MAYFAIL.  With __GFP_NORETRY, an allocation might fail
 * although most of the memory holds files that are not in use.
 */
#define INSTANCE_GFP	(__GFP_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

static struct call_table *table_alloc(unsigned int bits, u64 factor)
{
	struct call_table *table;
	unsigned long i;

	table = kvzalloc(struct_size(table, buckets, 1UL << bits), GFP_KERNEL | INSTANCE_GFP);
	if (!table)
		return NULL;
	table->factor = factor;
	table->bits = bits;
	table->shift = 64 - bits;
	for (i = 0; i < 1UL << bits; i++)
		raw_spin_lock_init(&table->buckets[i].lock);
	return table;
}

/* Move the contents of one bucket; look-ups follow call_table::next from then on. */
static void bucket_move(struct call_table *new, struct call_bucket *bucket)
{
	struct uret_instance *inst, *turned = NULL;
	struct call_bucket *to = NULL;

	raw_spin_lock_irq(&bucket->lock);
	/* Pairs with calls_live_at(), which must not take a bucket that is moving for empty. */
	WRITE_ONCE(bucket->moved, true);
	smp_wmb();	/* see above */
	/* Reverse the list twice, to keep the order of the instances of a call. */
	while ((inst = bucket->live)) {
		WRITE_ONCE(bucket->live, inst->next);
		inst->next = turned;
		turned = inst;
	}
	while ((inst = turned)) {
		turned = inst->next;
		to = call_bucket(new, inst->ri.sp);
		raw_spin_lock_nested(&to->lock, SINGLE_DEPTH_NESTING);
		inst->next = to->live;
		to->live = inst;
		raw_spin_unlock(&to->lock);
	}
	/* Move a spare instance by the stack address of its last call, where it is reused. */
	while ((inst = bucket->spare)) {
		bucket->spare = inst->next;
		to = call_bucket(new, inst->ri.sp);
		raw_spin_lock_nested(&to->lock, SINGLE_DEPTH_NESTING);
		inst->next = to->spare;
		to->spare = inst;
		raw_spin_unlock(&to->lock);
	}
	raw_spin_unlock_irq(&bucket->lock);
}

/**
 * calls_grow() - grow the table, if there are more instances than buckets
 * @calls: the calls
 *
 * The new table has four times as many buckets.  If there is no memory, the old table stays.
 *
 * Context: may sleep.
 */
void calls_grow(struct calls *calls)
{
	struct call_table *old, *new;
	unsigned long i;

	if (atomic_read(&calls->nr) <= calls_buckets(calls) ||
	    test_and_set_bit_lock(0, &calls->growing))
		return;
	old = rcu_dereference_protected(calls->table, true);
	/* Another thread may have just grown the table. */
	if (old->bits == CALLS_MAX_BITS || atomic_read(&calls->nr) <= 1 << old->bits)
		goto unlock;
	new = table_alloc(min(old->bits + 2, CALLS_MAX_BITS), old->factor);
	if (!new)
		goto unlock;
	/* Pairs with calls_lock_moved(). */
	smp_store_release(&old->next, new);
	for (i = 0; i < 1UL << old->bits; i++) {
		bucket_move(new, &old->buckets[i]);
		cond_resched();
	}
	rcu_assign_pointer(calls->table, new);
	kvfree_rcu(old, rcu);
unlock:
	clear_bit_unlock(0, &calls->growing);
}

static size_t instance_size(size_t data_size)
{
	return max_t(size_t, INSTANCE_SIZE, sizeof(struct uret_instance) + data_size);
}

/**
 * instance_alloc() - allocate an instance
 * @data_size: bytes of data that it must have room for
 * @gfp: GFP_KERNEL, GFP_NOWAIT or GFP_ATOMIC
 *
 * The program determines the number of instances, so it is charged for them.
 *
 * Return: the instance, uninitialised, to be freed with kfree(); or NULL.
 */
struct uret_instance *instance_alloc(size_t data_size, gfp_t gfp)
{
	size_t size = instance_size(data_size);
	struct uret_instance *inst = kmalloc(size, gfp | INSTANCE_GFP);

	if (inst)
		inst->room = size - sizeof(*inst);
	return inst;
}

/*
 * The cost of an instance of @size bytes: with the pointer to its memory cgroup, and the
 * buckets of a table that has just grown to four times the number of instances, and of the old one.
 */
static size_t instance_cost(size_t size)
{
	return kmalloc_size_roundup(size) + sizeof(void *) + 5 * sizeof(struct call_bucket);
}

/*
 * Get the number of instances that, with their table, may take an eighth of the memory that the
 * current task's process may have.  The rest is for the program: if instances filled its memory
 * cgroup, the kernel would kill it at its next fault.
 */
static unsigned int calls_allowed(size_t size)
{
	u64 pages = totalram_pages();
#ifdef CONFIG_MEMCG
	struct mem_cgroup *payer = get_mem_cgroup_from_mm(current->mm), *memcg;

	for (memcg = payer; memcg; memcg = parent_mem_cgroup(memcg))
		pages = min3(pages, (u64)READ_ONCE(memcg->memory.max),
			     (u64)READ_ONCE(memcg->memory.high));
	mem_cgroup_put(payer);
#endif
	return min_t(u64, CALLS_MAX, pages * PAGE_SIZE / 8 / instance_cost(size));
}

/* Check whether a process may have @nr instances. */
static bool calls_fit(struct calls *calls, unsigned int nr, size_t size)
{
	if (likely(nr <= READ_ONCE(calls->most)))
		return true;
	if (time_before(jiffies, READ_ONCE(calls->reclaim_after)))
		return false;
	/* The limits may have changed. */
	WRITE_ONCE(calls->most, calls_allowed(size));
	return nr <= READ_ONCE(calls->most);
}

/* After an allocation has failed, others fail without reclaiming memory for this time. */
#define RECLAIM_PAUSE		(HZ / 50)

/* So many times the duration of the allocation is added, which has tried again and again. */
#define RECLAIM_PAUSES		8

/**
 * calls_alloc() - allocate an instance for a table
 * @calls: the calls that it is for
 * @data_size: bytes of data that it must have room for
 *
 * A program at the limit of its memory cgroup reclaims memory for the first call that it misses,
 * and not for each of the next ones: an attempt takes far longer than the call.
 *
 * Context: may sleep; the current task is charged.
 * Return: the instance, uninitialised; NULL if there is no memory, or the process has too many.
 */
struct uret_instance *calls_alloc(struct calls *calls, size_t data_size)
{
	bool reclaim = !time_before(jiffies, READ_ONCE(calls->reclaim_after));
	unsigned long begin = jiffies;
	struct uret_instance *inst = NULL;

	if (calls_fit(calls, atomic_inc_return(&calls->nr), instance_size(data_size)))
		inst = instance_alloc(data_size, reclaim ? GFP_KERNEL : GFP_NOWAIT);
	if (!inst && reclaim)
		WRITE_ONCE(calls->reclaim_after, jiffies + RECLAIM_PAUSE +
			   RECLAIM_PAUSES * (jiffies - begin));
	if (!inst)
		atomic_dec(&calls->nr);
	return inst;
}

/* Free an instance of a table that names no consumer.  Context: any that can free memory. */
void calls_free(struct calls *calls, struct uret_instance *inst)
{
	atomic_dec(&calls->nr);
	kfree(inst);
}

/* Copy an instance, for the same call.  @copy has enough room.  Context: any. */
void instance_copy(struct uret_instance *copy, const struct uret_instance *inst)
{
	u16 room = copy->room;

	memcpy(copy, inst, sizeof(*copy) + inst->consumer->data_size);
	copy->room = room;
	percpu_ref_get(&copy->consumer->calls);
}

/**
 * instance_take() - take a spare instance from a bucket
 * @bucket: the bucket, locked
 * @data_size: bytes of data that it must have room for
 *
 * Return: the instance, uninitialised, or NULL.
 */
struct uret_instance *instance_take(struct call_bucket *bucket, size_t data_size)
{
	struct uret_instance **link = &bucket->spare, *inst;
	unsigned int i;

	for (i = 0; i < CALLS_BUCKET_MAX && (inst = *link); i++, link = &inst->next) {
		if (inst->room >= data_size) {
			*link = inst->next;
			return inst;
		}
	}
	return NULL;
}

/**
 * instances_recycle() - make instances of a call spare ones, as they are not needed any more
 * @calls: the calls of their address space
 * @list: the instances, which are in no bucket, or NULL
 *
 * Context: any, traps included.
 */
void instances_recycle(struct calls *calls, struct uret_instance *list)
{
	struct uret_instance *last;
	struct call_bucket *bucket;
	unsigned long flags;

	if (!list)
		return;
	for (last = list; ; last = last->next) {
		percpu_ref_put(&last->consumer->calls);
		if (!last->next)
			break;
	}
	local_irq_save(flags);
	bucket = calls_lock(calls, list->ri.sp);
	last->next = bucket->spare;
	bucket->spare = list;
	calls_unlock(bucket);
	local_irq_restore(flags);
}

/**
 * calls_drop() - drop a stale call, because another one is entered at its stack address
 * @calls: the calls
 * @sp: address of the stack word
 *
 * Context: any, traps included.
 */
void calls_drop(struct calls *calls, unsigned long sp)
{
	struct uret_instance **link, *stale = NULL;
	struct call_bucket *bucket;
	unsigned long flags;

	local_irq_save(flags);
	bucket = calls_lock(calls, sp);
	link = bucket_find(bucket, sp);
	if (*link)
		stale = bucket_cut(link);
	calls_unlock(bucket);
	local_irq_restore(flags);
	instances_recycle(calls, stale);
}

/**
 * calls_link_restored() - keep the return address of a call that is not followed
 * @calls: the calls
 * @inst: an instance of the call, whose return address could not be restored
 *
 * Context: any, traps included.
 */
void calls_link_restored(struct calls *calls, struct uret_instance *inst)
{
	struct uret_instance **link;
	struct call_bucket *bucket;
	unsigned long flags;

	inst->restored = true;
	inst->restored_at = jiffies;
	local_irq_save(flags);
	bucket = calls_lock(calls, inst->ri.sp);
	link = bucket_find(bucket, inst->ri.sp);
	inst->next = *link;
	*link = inst;
	calls_unlock(bucket);
	local_irq_restore(flags);
}

/* The slow path of calls_enter(). */
void calls_enter_another(struct calls *calls)
{
	if (cmpxchg(&calls->sole, CALLS_NOBODY, current->pid) != CALLS_NOBODY)
		WRITE_ONCE(calls->sole, CALLS_MANY);
}

/* Check whether a bucket has the maximum number of instances.  Context: the bucket locked. */
bool bucket_full(const struct calls *calls, const struct call_bucket *bucket)
{
	unsigned int n = CALLS_BUCKET_MAX * READ_ONCE(calls->widest);
	const struct uret_instance *inst = bucket->live;

	while (inst && n--)
		inst = inst->next;
	return inst;
}

/**
 * calls_link() - insert the instances of a call into the table
 * @calls: the calls of its address space
 * @list: its instances, the newest last; afterwards the instances that are not needed
 * @sp: address of the stack word, which holds the trampoline's address
 * @chained: the word held this address before, for the call from which a jump has entered this one
 *
 * If a consumer is not live any more, its instance is not needed: a walk over all calls may have
 * missed it.
 *
 * Context: any, traps included.
 * Return: number of linked instances; -EAGAIN if the call cannot be followed.
 */
int calls_link(struct calls *calls, struct uret_instance **list, unsigned long sp, bool chained)
{
	struct uret_instance *inst, *todo = *list, *dropped = NULL, **link, **at;
	struct call_bucket *bucket;
	unsigned long flags;
	int linked = -EAGAIN;

	local_irq_save(flags);
	bucket = calls_lock(calls, sp);
	link = bucket_find(bucket, sp);
	/* If the call to join is gone or restored, the word was restored meanwhile. */
	if (bucket_full(calls, bucket) || (chained && (!*link || (*link)->restored)))
		goto unlock;
	if (*link && !chained)
		dropped = bucket_cut(link);
	linked = 0;
	while ((inst = todo)) {
		todo = inst->next;
		at = READ_ONCE(inst->consumer->run.live) ? link : &dropped;
		linked += at == link;
		inst->next = *at;
		*at = inst;
	}
	*list = dropped;
	calls_enter(calls);
unlock:
	calls_unlock(bucket);
	local_irq_restore(flags);
	return linked;
}

/**
 * calls_discard() - free copies of calls that are not needed
 * @copies: the copies from calls_copy(); empty afterwards
 *
 * Context: may sleep.
 */
void calls_discard(struct uret_instance **copies)
{
	struct uret_instance *inst;

	while ((inst = *copies)) {
		*copies = inst->next;
		percpu_ref_put(&inst->consumer->calls);
		kfree(inst);
		cond_resched();
	}
}

/**
 * calls_real() - look up the real return address of a call
 * @calls: the calls of an address space
 * @sp: address of the stack word
 * @ret_addr: set to the real return address
 *
 * Context: any.  An NMI that has interrupted the holder of the bucket's lock finds nothing.
 * Return: false if no call is known there.
 */
bool calls_real(struct calls *calls, unsigned long sp, unsigned long *ret_addr)
{
	struct call_bucket *bucket;
	struct uret_instance *inst;
	struct call_table *table;
	unsigned long flags;

	if (!calls_there(calls))
		return false;
	local_irq_save(flags);
	if (in_nmi()) {
		table = rcu_dereference_sched(calls->table);
		bucket = call_bucket(table, sp);
		if (!raw_spin_trylock(&bucket->lock)) {
			local_irq_restore(flags);
			return false;
		}
	} else {
		bucket = calls_lock(calls, sp);
	}
	inst = *bucket_find(bucket, sp);
	if (inst)
		*ret_addr = inst->ri.ret_addr;
	calls_unlock(bucket);
	local_irq_restore(flags);
	return inst;
}

/* Context: any. */
void calls_init(struct calls *calls)
{
	calls->prune_at = CALLS_PRUNE_MIN;
	calls->widest = 1;
}

/**
 * calls_make() - create the table, if there is none yet
 * @calls: the calls
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0 or -ENOMEM.
 */
int calls_make(struct calls *calls)
{
	struct call_table *table;

	if (calls_there(calls))
		return 0;
	table = table_alloc(CALLS_MIN_BITS, get_random_u64() | 1);
	if (!table)
		return -ENOMEM;
	/* Pairs with calls_lock(): the table is complete. */
	rcu_assign_pointer(calls->table, table);
	return 0;
}

static void instances_end(struct uret_instance *inst, bool live)
{
	struct uret_instance *next;

	for (; inst; inst = next) {
		next = inst->next;
		if (live)
			percpu_ref_put(&inst->consumer->calls);
		kfree(inst);
	}
}

/**
 * calls_end() - free the calls of an address space that is gone
 * @calls: the calls, which no thread can find any more
 *
 * Context: may sleep.
 */
void calls_end(struct calls *calls)
{
	struct call_table *table = rcu_dereference_protected(calls->table, true);
	unsigned long i;

	if (!table)
		return;
	for (i = 0; i < 1UL << table->bits; i++) {
		instances_end(table->buckets[i].live, true);
		instances_end(table->buckets[i].spare, false);
		cond_resched();
	}
	kvfree(table);
	RCU_INIT_POINTER(calls->table, NULL);
}
