// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers and their sets.
 */
#include <linux/file.h>
#include <linux/rcupdate.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "consumer.h"
#include "counts.h"
#include "filter.h"
#include "pad_keys.h"
#include "plan.h"
#include "probe_file.h"
#include "refusal.h"

/* Number of consumers whose memory is not freed yet; unloading waits until it is zero. */
static atomic_t consumers_left = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(consumers_gone);
static struct workqueue_struct *probe_wq;

/* The work function that unregisters a consumer whose process is gone. */
static work_func_t consumer_end;

/* There may be thousands of consumers.  An object has room for the pointer in consumer::solo. */
static struct kmem_cache *consumer_cache;

static void consumer_set_count(struct consumer_set *set, struct consumer *c);
static enum dispatch consumer_dispatch(const struct consumer *c);

/* Initialize the set in the consumer itself.  The consumer is not live yet. */
static void consumer_set_solo_init(struct consumer *c)
{
	c->solo.solo = true;
	consumer_set_count(&c->solo, c);
}

/* Set whether handlers are called.  For consumer::solo, a trap may check the dispatch alone. */
static void consumer_set_live(struct consumer *c, bool live)
{
	WRITE_ONCE(c->run.live, live);
	WRITE_ONCE(c->solo.dispatch, live ? consumer_dispatch(c) : DISPATCH_MANY);
}

/* Check whether handlers of a consumer may be called in task context. */
static bool consumer_sleeps(const struct consumer *c)
{
	return c->type == CONSUMER_RETURN || !c->atomic || c->u->task_handler;
}

/* Convert uprobe::ring_reads and ring_words to numbers as in pad_recording::regs. */
static u32 reads_of(u32 mask, u16 words)
{
	u32 reads = (u32)words << PAD_WORD;
	unsigned long regs = mask;
	unsigned int i;
	int reg;

	for_each_set_bit(i, &regs, BITS_PER_LONG) {
		reg = arch_reg_number(i * sizeof(long));
		if (reg >= 0)
			reads |= BIT(reg);
	}
	return reads;
}

/* Convert uprobe::ring_loads.  Return 0 or -ENOMEM. */
static int consumer_set_loads(struct consumer *c)
{
	const struct uprobe *u = c->u;
	unsigned int i, k;

	if (!u->nr_ring_loads)
		return 0;
	c->pads.loads = kcalloc(u->nr_ring_loads, sizeof(*c->pads.loads), GFP_KERNEL);
	if (!c->pads.loads)
		return -ENOMEM;
	c->pads.nr_loads = u->nr_ring_loads;
	for (i = 0; i < u->nr_ring_loads; i++) {
		const struct uprobe_load *from = &u->ring_loads[i];
		struct pad_load *to = &c->pads.loads[i];

		to->from = from->word ? PAD_WORD + from->reg : arch_reg_number(from->reg);
		to->steps = from->steps;
		to->size = from->size;
		to->string = from->string;
		for (k = 0; k < from->steps; k++)
			to->offset[k] = from->offset[k];
	}
	return 0;
}

static struct pad_operand operand_of(const struct uprobe_number *number)
{
	return (struct pad_operand) {
		.reg = number->word ? PAD_WORD + number->reg : arch_reg_number(number->reg),
		.size = number->size,
		.is_signed = number->is_signed,
		.load = number->load,
	};
}

/* Find out what pads can add up of a probe; a size of 0 if it has no histogram. */
static void consumer_set_histogram(struct consumer *c)
{
	const struct uprobe_histogram *h = c->u->histogram;
	struct pad_histogram *to = &c->pads.histogram;

	if (!h)
		return;
	to->value = operand_of(&h->value);
	to->key = h->keys ? operand_of(&h->keys->number) : to->key;
	if (to->value.load || to->key.load) {
		to->nr_loads = c->pads.nr_loads;
		to->loads = c->pads.loads;
	}
}

/* Find out what a consumer has to do with the times of calls. */
static void consumer_set_timing(struct consumer *c)
{
	const struct uprobe *u = c->u, *entry = u->timer ? u->timer->entry : NULL;

	if (!entry)
		return;
	c->pads.below = u->timer_below;
	c->timing = u == entry ? TIMING_BEGIN : TIMING_END;
	c->pads.from_entry = c->in_every_process ? u->offset - entry->offset :
					      (s64)(u->vaddr - entry->vaddr);
}

static void consumer_free(struct consumer *c)
{
	if (c->run.sleeps)
		percpu_ref_exit(&c->run.active);
	if (c->type == CONSUMER_RETURN)
		percpu_ref_exit(&c->calls);
	counts_end(c);
	consumer_forget_refusal(c);
	plan_put(c->insn.plan);
	kvfree(c->pads.values);
	kfree(c->pads.loads);
	kfree(rcu_access_pointer(c->filter));
	if (c->file.counted)
		fput(c->file.counted);
	if (c->places.list != c->places.few)
		kvfree(c->places.list);
	kmem_cache_free(consumer_cache, c);
	if (atomic_dec_and_test(&consumers_left))
		wake_up_all(&consumers_gone);
}

static void consumer_free_rcu(struct rcu_head *head)
{
	consumer_free(container_of(head, struct consumer, free));
}

static void consumer_inactive(struct percpu_ref *ref)
{
	complete_all(&container_of(ref, struct consumer, run.active)->run.idle);
}

static void consumer_uncalled(struct percpu_ref *ref)
{
	consumer_put(container_of(ref, struct consumer, calls));
}

/**
 * consumer_create() - create the consumer of a probe that is being registered
 * @u: the client's structure
 * @type: its kind
 *
 * Context: may sleep.
 * Return: the consumer, claimed, disabled and not attached, or ERR_PTR(-ENOMEM).
 */
struct consumer *consumer_create(struct uprobe *u, enum consumer_type type)
{
	struct uretprobe *rp = type == CONSUMER_RETURN ?
		container_of(u, struct uretprobe, u) : NULL;
	struct filter *filter = filter_make(u->conditions, u->nr_conditions);
	struct consumer *c;

	if (IS_ERR(filter))
		return ERR_CAST(filter);
	c = kmem_cache_alloc(consumer_cache, GFP_KERNEL);
	if (!c)
		goto free_filter;

	*c = (struct consumer){};
	c->u = u;
	c->type = type;
	c->filtered = filter;
	RCU_INIT_POINTER(c->filter, filter);
	c->counts = u->flags & UPROBE_COUNT;
	c->rings = u->ring_handler;
	c->pads.reads = reads_of(u->ring_reads, u->ring_words);
	c->keyed = u->histogram && u->histogram->keys;
	if (c->keyed)
		c->pads.keys_id = keys_id(u->histogram->keys);
	c->atomic = c->counts || u->flags & UPROBE_ATOMIC;
	c->run.sleeps = consumer_sleeps(c);
	if (consumer_set_loads(c))
		goto free;
	consumer_set_histogram(c);
	if (c->pads.histogram.value.size && counts_begin_values(c))
		goto free;
	if (counts_begin(c))
		goto free;
	if (c->run.sleeps && percpu_ref_init(&c->run.active, consumer_inactive,
					     PERCPU_REF_INIT_DEAD | PERCPU_REF_ALLOW_REINIT,
					     GFP_KERNEL))
		goto free_stats;
	if (rp && percpu_ref_init(&c->calls, consumer_uncalled, 0, GFP_KERNEL))
		goto free_active;
	c->data_size = rp ? rp->data_size : 0;
	c->atomic_entry = c->atomic && type == CONSUMER_ENTRY;
	c->in_every_process = u->path || u->file || u->inode;
	consumer_set_timing(c);
	c->inherits = !c->in_every_process && u->flags & UPROBE_INHERIT;
	c->in_task = rp ? rp->entry_handler && !c->atomic : !c->atomic;
	c->reg.claimed = true;
	if (c->run.sleeps) {
		init_completion(&c->run.idle);
		complete_all(&c->run.idle);
	}
	refcount_set(&c->refs, rp ? 2 : 1);	/* the registration's and @calls' */
	spin_lock_init(&c->places.lock);
	c->places.list = c->places.few;
	c->places.room = PLACES_FEW;
	INIT_LIST_HEAD(&c->places.ref_ctrs);
	INIT_LIST_HEAD(&c->places.pads);
	INIT_LIST_HEAD(&c->bound.node);
	INIT_LIST_HEAD(&c->file.node);
	INIT_WORK(&c->bound.end, consumer_end);
	c->file.place.offset = u->offset;
	c->file.ref_ctr_offset = u->ref_ctr_offset;
	c->insn.expect_len = u->expect ? u->expect_len : 0;
	memcpy(c->insn.expect, u->expect, c->insn.expect_len);
	consumer_set_solo_init(c);
	atomic_inc(&consumers_left);
	return c;

free_active:
	if (c->run.sleeps)
		percpu_ref_exit(&c->run.active);
free_stats:
	counts_end(c);
free:
	kvfree(c->pads.values);
	kfree(c->pads.loads);
	kmem_cache_free(consumer_cache, c);
free_filter:
	kfree(filter);
	return ERR_PTR(-ENOMEM);
}

void consumer_get(struct consumer *c)
{
	refcount_inc(&c->refs);
}

/**
 * consumer_put() - drop a reference
 * @c: the consumer
 *
 * The memory is freed a grace period after the last reference is dropped.
 *
 * Context: any.
 */
void consumer_put(struct consumer *c)
{
	if (refcount_dec_and_test(&c->refs))
		call_rcu(&c->free, consumer_free_rcu);
}

/**
 * consumer_enable() - start calling handlers
 * @c: the consumer; consumer_shut() has not been called
 *
 * No published consumer set contains @c yet.
 *
 * Context: may sleep; @c is claimed by the caller.
 */
void consumer_enable(struct consumer *c)
{
	if (c->run.live)
		return;
	if (c->run.sleeps) {
		reinit_completion(&c->run.idle);
		percpu_ref_reinit(&c->run.active);
	}
	consumer_set_live(c, true);
}

/**
 * consumer_disable() - stop calling handlers
 * @c: the consumer
 *
 * Handlers may still be running; consumer_wait() waits for them.
 *
 * Context: may sleep; @c is claimed by the caller.
 */
void consumer_disable(struct consumer *c)
{
	if (!c->run.live)
		return;
	consumer_set_live(c, false);
	if (c->run.sleeps)
		percpu_ref_kill(&c->run.active);
}

/**
 * consumer_set_filter() - replace the conditions of a consumer
 * @c: the consumer
 * @filter: the new conditions, or NULL
 *
 * Context: may sleep; @c is claimed by the caller, who syncs its sites afterwards.
 */
void consumer_set_filter(struct consumer *c, struct filter *filter)
{
	struct filter *old = rcu_replace_pointer(c->filter, filter, true);

	if (filter)
		WRITE_ONCE(c->filtered, true);
	consumer_set_live(c, c->run.live);
	if (old)
		kfree_rcu(old, rcu);
}

/**
 * consumer_shut() - stop calling handlers, and refuse further attachments
 * @c: the consumer
 *
 * Context: may sleep; @c is claimed by the caller.
 */
void consumer_shut(struct consumer *c)
{
	spin_lock(&c->places.lock);
	c->places.dying = true;
	spin_unlock(&c->places.lock);
	consumer_disable(c);
}

/**
 * consumer_wait() - wait for the handlers of a disabled consumer
 * @c: the consumer; in no consumer set, and a grace period has passed since it was removed
 *
 * Context: may sleep; @c is claimed by the caller.
 */
void consumer_wait(struct consumer *c)
{
	if (c->run.sleeps)
		wait_for_completion(&c->run.idle);
}

/**
 * consumer_release() - end a registration
 * @c: the consumer, after consumer_shut() and consumer_wait(); it has no attachment
 *
 * Move the counts to the client's structure, and mark that structure as not registered.  The
 * module does not use it any more.  Drop the reference of the registration.
 *
 * Context: may sleep; @c is claimed by the caller, and kdata_mutex is held unless no other thread
 * can claim @c.
 */
void consumer_release(struct consumer *c)
{
	counts_move(c);
	c->reg.gone = true;
	if (c->type == CONSUMER_RETURN)
		percpu_ref_kill(&c->calls);
	consumer_put(c);
}

/**
 * consumer_end_later() - queue the unregistration of a consumer
 * @c: the consumer
 *
 * Context: any; consumer::places.lock not held.
 */
void consumer_end_later(struct consumer *c)
{
	bool first;

	spin_lock(&c->places.lock);
	first = !c->bound.ending;
	c->bound.ending = true;
	spin_unlock(&c->places.lock);
	if (first) {
		consumer_get(c);
		queue_work(probe_wq, &c->bound.end);
	}
}

/**
 * consumer_active_get() - pin a consumer to call a handler that may sleep
 * @c: the consumer
 *
 * Context: any; the caller holds a reference to @c.
 * Return: false if the consumer is disabled or being unregistered, or never calls handlers in task
 * context.
 */
bool consumer_active_get(struct consumer *c)
{
	return c->run.sleeps && percpu_ref_tryget_live(&c->run.active);
}

/**
 * consumer_set_alloc() - allocate an empty consumer set
 * @nr: number of consumers that it has room for
 * @gfp: allocation flags
 *
 * Context: as @gfp says.
 * Return: the set with one reference, or NULL if there is no memory.
 */
struct consumer_set *consumer_set_alloc(unsigned int nr, gfp_t gfp)
{
	struct consumer_set *set;

	set = kzalloc(struct_size(set, consumers, nr), gfp);
	if (set) {
		refcount_set(&set->refs, 1);
		refcount_set(&set->sites, 1);
	}
	return set;
}

/* Find the dispatch of a set with this consumer alone. */
static enum dispatch consumer_dispatch(const struct consumer *c)
{
	const struct uretprobe *rp = container_of(c->u, struct uretprobe, u);

	if (rcu_access_pointer(c->filter))
		return DISPATCH_FILTER;
	if (c->counts)
		return DISPATCH_COUNT;
	if (c->rings)
		return DISPATCH_RING;
	if (c->type == CONSUMER_ENTRY)
		return c->atomic ? DISPATCH_ATOMIC : DISPATCH_TASK;
	return rp->entry_handler || c->data_size ? DISPATCH_MANY : DISPATCH_RETURN;
}

static void consumer_set_count(struct consumer_set *set, struct consumer *c)
{
	set->trapless = (c->counts || c->rings) && (set->trapless || !set->nr);
	set->consumers[set->nr++] = c;
	set->retry_on_nomem |= c->retry_on_nomem;
	if (c->type == CONSUMER_RETURN) {
		set->nr_return++;
		set->nr_return_in_task += c->in_task;
	} else if (c->atomic) {
		set->nr_atomic++;
	} else {
		set->nr_sleepable++;
	}
	if (consumer_set_crowded(set)) {
		set->nr_sleepable += set->nr_atomic;
		set->nr_atomic = 0;
		set->nr_return_in_task = set->nr_return;
		set->retry_on_nomem = true;
	}
}

/* Add a consumer to a set that is not published yet.  Context: any. */
void consumer_set_append(struct consumer_set *set, struct consumer *c)
{
	consumer_get(c);
	consumer_set_count(set, c);
}

/* Return the set of @c alone, with a reference taken.  Context: any; the caller pins @c. */
struct consumer_set *consumer_set_solo(struct consumer *c)
{
	consumer_get(c);
	return &c->solo;
}

/**
 * consumer_set_get() - take a reference to a set
 * @set: the set
 *
 * Context: RCU read side, in which the set was found.
 * Return: false if the set has a single consumer, which has been unregistered.
 */
bool consumer_set_get(struct consumer_set *set)
{
	if (set->solo)
		return refcount_inc_not_zero(&set->consumers[0]->refs);
	/* The last site drops its reference after this read side: see consumer_set_retire(). */
	refcount_inc(&set->refs);
	return true;
}

/**
 * consumer_set_put() - drop a reference to a set
 * @set: the set, or NULL
 *
 * Context: any.
 */
void consumer_set_put(struct consumer_set *set)
{
	unsigned int i;

	if (set && set->solo) {
		consumer_put(set->consumers[0]);
	} else if (set && refcount_dec_and_test(&set->refs)) {
		for (i = 0; i < set->nr; i++)
			consumer_put(set->consumers[i]);
		kfree(set);
	}
}

static void consumer_set_retired(struct rcu_head *head)
{
	consumer_set_put(container_of(head, struct consumer_set, rcu));
}

/* Take an offer back if it is all that keeps the set: no site of another process needs it. */
static void consumer_set_withdraw(struct consumer *c, struct consumer_set *set)
{
	bool unused;

	spin_lock(&c->places.lock);
	unused = c->places.set == set && refcount_read(&set->sites) == 1;
	if (unused)
		c->places.set = NULL;
	spin_unlock(&c->places.lock);
	if (unused && refcount_dec_and_test(&set->sites))
		call_rcu(&set->rcu, consumer_set_retired);
}

/**
 * consumer_set_retire() - note that a site has another set now
 * @set: the set that traps no longer find there, or NULL
 *
 * The reference of the last site is dropped after traps in flight, so that they can take one of
 * their own.
 *
 * Context: any, but consumer::places.lock is not held.
 */
void consumer_set_retire(struct consumer_set *set)
{
	struct consumer *last;

	if (!set || set->solo) {
		consumer_set_put(set);
		return;
	}
	last = set->consumers[set->nr - 1];
	consumer_get(last);
	if (refcount_dec_and_test(&set->sites))
		call_rcu(&set->rcu, consumer_set_retired);
	else if (READ_ONCE(last->places.set) == set)
		consumer_set_withdraw(last, set);
	consumer_put(last);
}

/**
 * consumer_set_offer() - offer a set to the sites of other processes
 * @c: the last consumer of the set
 * @set: the set, which a site has
 *
 * The offer ends with the last of these sites, or with the next offer.
 *
 * Context: any; consumer::places.lock not held.
 */
void consumer_set_offer(struct consumer *c, struct consumer_set *set)
{
	refcount_inc(&set->sites);
	spin_lock(&c->places.lock);
	swap(c->places.set, set);
	spin_unlock(&c->places.lock);
	consumer_set_retire(set);
}

/**
 * consumer_set_offered() - get the set that consumer_set_offer() has offered
 * @c: the last consumer of the set
 *
 * Context: any; consumer::places.lock not held.
 * Return: the set, for one more site; or NULL.
 */
struct consumer_set *consumer_set_offered(struct consumer *c)
{
	struct consumer_set *set;

	spin_lock(&c->places.lock);
	set = c->places.set;
	if (set)
		refcount_inc(&set->sites);
	spin_unlock(&c->places.lock);
	return set;
}

/* A cache with a constructor is exempt from init_on_alloc.  consumer_create() sets all fields. */
static void consumer_construct(void *consumer)
{
}

/**
 * probe_init() - prepare for consumers
 * @end: work function of consumer::bound.end: unregister the consumer, and drop a reference
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int probe_init(work_func_t end)
{
	int ret;

	consumer_end = end;
	consumer_cache = kmem_cache_create("uprobes_consumer",
					   offsetof(struct consumer, solo.consumers[1]),
					   __alignof__(struct consumer), 0,
					   consumer_construct);
	if (!consumer_cache)
		return -ENOMEM;
	probe_wq = alloc_workqueue("uprobes_free", WQ_UNBOUND, 0);
	if (!probe_wq) {
		ret = -ENOMEM;
		goto destroy_cache;
	}
	ret = probe_file_init();
	if (!ret)
		return 0;
	destroy_workqueue(probe_wq);
destroy_cache:
	kmem_cache_destroy(consumer_cache);
	return ret;
}

/**
 * probe_exit() - wait until no consumer is left in memory
 *
 * All consumers are unregistered, and all return instances are freed.
 *
 * Context: may sleep.
 */
void probe_exit(void)
{
	wait_event(consumers_gone, !atomic_read(&consumers_left));
	rcu_barrier();
	destroy_workqueue(probe_wq);
	counts_exit();
	probe_file_exit();
	kmem_cache_destroy(consumer_cache);
}
