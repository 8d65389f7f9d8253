// SPDX-License-Identifier: GPL-2.0
/*
 * The hits and misses of consumers: counters per CPU, and those of pads.  The histograms of pads.
 */
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/slab.h>

#include "counts.h"
#include "consumer_types.h"
#include "jump_types.h"
#include "pad_keys.h"
#include "pad_values.h"
#include "pmm_types.h"

/*
 * Covers the move of counts from a consumer to the client's structure, and from a pad to the
 * consumer.  Readers never wait for a writer on their own CPU, as interrupts are off there.
 */
static DEFINE_RAW_SPINLOCK(totals_lock);
static seqcount_raw_spinlock_t totals_seq = SEQCNT_RAW_SPINLOCK_ZERO(totals_seq, &totals_lock);

/**
 * struct stats_block - counters of several consumers
 * @refs: one for each consumer that uses it, and one while it is the newest block
 * @used: number of counters that are handed out; a counter is handed out only once
 * @stats: the counters
 *
 * The kernel's percpu allocator searches through all small pieces that it has handed out.  So ten
 * thousand consumers must not allocate one piece each.
 */
struct stats_block {
	refcount_t refs;
	unsigned int used;
	struct consumer_stats __percpu *stats;
};

/* Counters in a block.  A single probe thus takes 1 KiB of each CPU's memory. */
#define STATS_BLOCK	64

static_assert(sizeof(struct consumer_stats) * STATS_BLOCK == 1024);

/*
 * Protects consumer_pads::values, and keeps a pad with a histogram in consumer::places.pads: it
 * takes too long for totals_seq to read histograms.  Taken after probed_mm::lock.
 */
static DEFINE_MUTEX(values_mutex);

/* The newest block, or NULL; under stats_mutex. */
static struct stats_block *stats_newest;
static DEFINE_MUTEX(stats_mutex);

static void stats_block_put(struct stats_block *block)
{
	if (block && refcount_dec_and_test(&block->refs)) {
		free_percpu(block->stats);
		kfree(block);
	}
}

static struct stats_block *stats_block_make(void)
{
	struct stats_block *block = kzalloc(sizeof(*block), GFP_KERNEL);

	if (!block)
		return NULL;
	block->stats = __alloc_percpu(STATS_BLOCK * sizeof(*block->stats),
				      __alignof__(*block->stats));
	if (!block->stats) {
		kfree(block);
		return NULL;
	}
	refcount_set(&block->refs, 1);
	return block;
}

/* Get counters for a consumer.  Context: may sleep.  Return 0 or -ENOMEM. */
int counts_begin(struct consumer *c)
{
	mutex_lock(&stats_mutex);
	if (!stats_newest || stats_newest->used == STATS_BLOCK) {
		stats_block_put(stats_newest);
		stats_newest = stats_block_make();
	}
	c->stats.block = stats_newest;
	if (c->stats.block) {
		refcount_inc(&c->stats.block->refs);
		c->stats.counts = c->stats.block->stats + c->stats.block->used++;
	}
	mutex_unlock(&stats_mutex);
	return c->stats.block ? 0 : -ENOMEM;
}

/* Give the counters of a consumer back.  Context: any. */
void counts_end(struct consumer *c)
{
	stats_block_put(c->stats.block);
}

/* Free the newest block, as no consumer is left.  Context: any. */
void counts_exit(void)
{
	stats_block_put(stats_newest);
	stats_newest = NULL;
}

/* Get the number of hits that a pad has counted.  The program can write to the counter. */
static u64 pad_hits(const struct pad_count *pads)
{
	if (!pads->word)
		return 0;
	return min(pad_counter_read(pads->word, pads->cpus) - pads->base, pad_most(pads));
}

/* Give up after this number of handlers have changed a number at the same moment. */
#define RAISE_TRIES	64

/* Let a number be @value, if that is larger. */
static void raise(u64 *number, u64 value)
{
	s64 was = READ_ONCE(*number);
	unsigned int i;

	for (i = 0; i < RAISE_TRIES && (u64)was < value; i++) {
		if (atomic64_try_cmpxchg((atomic64_t *)number, &was, value))
			break;
	}
}

static void add_to(u64 *number, u64 value)
{
	atomic64_add(value, (atomic64_t *)number);
}

/**
 * timer_add() - add the time of a call
 * @timer: the timer
 * @ns: the time, in nanoseconds
 *
 * Context: any.
 */
void timer_add(struct uprobe_timer *timer, u64 ns)
{
	struct uprobe_values *values = &timer->__values;

	raise(&values->largest, ns);
	raise(&values->least, ~ns);
	add_to(&values->sum, ns);
	/* Pairs with timer_values(). */
	smp_mb__before_atomic();
	add_to(&values->buckets[pad_bucket(ns)], 1);
}

/* Note that a call has been left without a return.  Context: any. */
void timer_add_left(struct uprobe_timer *timer)
{
	add_to(&timer->__left, 1);
}

/* Add what pads have added. */
static void timer_join(struct uprobe_timer *timer, const struct uprobe_values *from)
{
	struct uprobe_values *to = &timer->__values;
	unsigned int i;

	if (!values_any(from))
		return;
	raise(&to->largest, from->largest);
	raise(&to->least, ~from->least);
	add_to(&to->sum, from->sum);
	for (i = 0; i < PAD_BUCKETS; i++)
		add_to(&to->buckets[i], from->buckets[i]);
}

/* Begin to count the hits of a pad. */
static void count_begin(struct pad_count *count)
{
	unsigned int i;

	if (!count->values)
		count->base = pad_counter_read(count->word, count->cpus);
	for (i = 0; count->values && i < pad_values_nr(count->cpus); i++)
		values_begin(pad_values_of(count->values, count->cpus, i));
	if (count->cpus && count->cpus->keys)
		pad_keys_begin(count->cpus, count->consumer->pads.keys_id);
	count->since = ktime_get_mono_fast_ns();
}

/* Get the number of histograms of a consumer: one, or one for each key and for all others. */
static unsigned int histograms(const struct consumer *c)
{
	return c->keyed ? UPROBE_KEYS + 1 : 1;
}

/* Get what earlier registrations have added, for each key if there are keys. */
static struct uprobe_values *values_ended(struct uprobe_histogram *histogram)
{
	return histogram->keys ? histogram->keys->__values : &histogram->__values;
}

/**
 * counts_begin_values() - make room for the values that pads add up
 * @c: the consumer, which has a histogram
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int counts_begin_values(struct consumer *c)
{
	struct uprobe_values *ended = values_ended(c->u->histogram);
	unsigned int i;

	c->pads.values = kvmalloc_array(histograms(c), sizeof(*c->pads.values), GFP_KERNEL_ACCOUNT);
	if (!c->pads.values)
		return -ENOMEM;
	for (i = 0; i < histograms(c); i++) {
		values_clear(&c->pads.values[i]);
		if (!values_any(&ended[i]))
			values_clear(&ended[i]);
	}
	return 0;
}

/* Likewise, of a consumer with a timer: most have no pad that times calls. */
static bool counts_begin_times(struct consumer *c)
{
	struct uprobe_values *values;

	if (READ_ONCE(c->pads.values))
		return true;
	values = kmalloc(sizeof(*values), GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN);
	if (!values)
		return false;
	values_clear(values);
	mutex_lock(&values_mutex);
	/* Another process may have got it meanwhile. */
	if (c->pads.values)
		kfree(values);
	else
		WRITE_ONCE(c->pads.values, values);
	mutex_unlock(&values_mutex);
	return true;
}

/**
 * consumer_count_pad() - begin to count the hits of a pad, unless that has begun before
 * @c: the consumer; if the pad has a histogram, no other one counts them
 * @jump: the jump to the pad, which counts, or has a histogram; jump::word or jump::values stays
 *	for a grace period after consumer_end_pads()
 *
 * Context: may sleep; probed_mm::lock of the site held.
 * Return: false if there is no memory.
 */
bool consumer_count_pad(struct consumer *c, struct jump *jump)
{
	struct pad_count *count;
	unsigned long flags;

	for (count = jump->counts; count; count = count->next) {
		if (count->consumer == c)
			return true;
	}
	if (c->timing && !counts_begin_times(c))
		return false;
	count = kmalloc(sizeof(*count), GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN);
	if (!count)
		return false;
	count->consumer = c;
	count->word = jump->word;
	count->cpus = jump->cpus;
	count->values = jump->values;
	count_begin(count);
	/* Its histogram begins anew. */
	if (count->values) {
		jump->looked = 0;
		jump->looked_sum = 0;
	}
	count->next = jump->counts;
	jump->counts = count;
	raw_spin_lock_irqsave(&totals_lock, flags);
	list_add_tail_rcu(&count->in_consumer, &c->places.pads);
	raw_spin_unlock_irqrestore(&totals_lock, flags);
	return true;
}

/* Take a pad out of the list of its consumer, with the hits that it has counted. */
static void count_unlink(struct pad_count *count)
{
	struct consumer *c = count->consumer;
	unsigned long flags;

	raw_spin_lock_irqsave(&totals_lock, flags);
	write_seqcount_begin(&totals_seq);
	list_del_rcu(&count->in_consumer);
	this_cpu_add(c->stats.counts->hits, pad_hits(count));
	write_seqcount_end(&totals_seq);
	raw_spin_unlock_irqrestore(&totals_lock, flags);
}

static void count_end(struct pad_count *count)
{
	unsigned int i;

	if (count->values) {
		mutex_lock(&values_mutex);
		for (i = 0; i < histograms(count->consumer); i++)
			values_take(&count->consumer->pads.values[i], count, i);
		count_unlink(count);
		mutex_unlock(&values_mutex);
	} else {
		count_unlink(count);
	}
	kfree_rcu(count, rcu);
}

/**
 * consumer_end_pads() - add the hits of pads to the consumer's own, and count no further ones
 * @c: the consumer
 * @site: the site whose pads have counted them
 *
 * Context: may sleep; probed_mm::lock of the site held.
 */
void consumer_end_pads(const struct consumer *c, const struct site *site)
{
	struct pad_count **link, *count;
	struct jump *jump;

	for (jump = site->jumps; jump; jump = jump->older) {
		link = &jump->counts;
		while ((count = *link) && count->consumer != c)
			link = &count->next;
		if (!count)
			continue;
		*link = count->next;
		count_end(count);
	}
}

/* Sum the counters of all CPUs, and of all pads.  Context: RCU read side. */
static struct uprobe_counts consumer_counts(const struct consumer *c)
{
	struct uprobe_counts sum = {};
	const struct pad_count *pads;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct consumer_stats *stats = per_cpu_ptr(c->stats.counts, cpu);

		sum.hits += READ_ONCE(stats->hits);
		sum.missed += READ_ONCE(stats->missed);
	}
	list_for_each_entry_rcu(pads, &c->places.pads, in_consumer)
		sum.hits += pad_hits(pads);
	return sum;
}

/* Check whether a place can have values: if no key has it, only a program has put any there. */
static bool place_has_values(const struct uprobe_histogram *histogram, unsigned int place)
{
	u64 unused;

	return !histogram->keys || place == UPROBE_KEYS || key_at(histogram->keys, place, &unused);
}

static void totals_move(struct consumer *c)
{
	struct uprobe_counts counts;
	unsigned long flags;

	rcu_read_lock();
	counts = consumer_counts(c);
	rcu_read_unlock();
	raw_spin_lock_irqsave(&totals_lock, flags);
	write_seqcount_begin(&totals_seq);
	c->u->__hits += counts.hits;
	c->u->__missed += counts.missed;
	/* Last: a client that sees NULL may free its structure. */
	smp_store_release(&c->u->kdata, NULL);
	write_seqcount_end(&totals_seq);
	raw_spin_unlock_irqrestore(&totals_lock, flags);
}

/**
 * counts_move() - add the counts of a consumer to the client's structure, and end the registration
 * @c: the consumer; the client's structure is marked as not registered
 *
 * Context: may sleep.
 */
void counts_move(struct consumer *c)
{
	unsigned int i;

	if (c->pads.values || c->timing) {
		mutex_lock(&values_mutex);
		if (c->pads.values && c->timing)
			timer_join(c->u->timer, c->pads.values);
		for (i = 0; c->pads.values && !c->timing && i < histograms(c); i++) {
			if (place_has_values(c->u->histogram, i))
				values_join(&values_ended(c->u->histogram)[i], &c->pads.values[i]);
		}
		totals_move(c);
		mutex_unlock(&values_mutex);
	} else {
		totals_move(c);
	}
}

/**
 * probe_counts() - read the hits and misses of all registrations of a probe
 * @u: the probe; its registration may end meanwhile
 *
 * Context: any.
 */
struct uprobe_counts probe_counts(const struct uprobe *u)
{
	struct uprobe_counts counts;
	const struct consumer *c;
	unsigned int seq;

	/* The memory of the consumer stays for a grace period. */
	rcu_read_lock();
	do {
		seq = raw_read_seqcount_begin(&totals_seq);
		c = READ_ONCE(u->kdata);
		counts = c ? consumer_counts(c) : (struct uprobe_counts) {};
		counts.hits += u->__hits;
		counts.missed += u->__missed;
	} while (read_seqcount_retry(&totals_seq, seq));
	rcu_read_unlock();
	return counts;
}

/*
 * Add what pads have added in the current registration of a probe, for the key at @place, or 0.
 * Context: values_mutex held.
 */
static void values_read(const struct uprobe *u, unsigned int place, struct uprobe_values *values)
{
	/* The registration cannot end while the mutex is held. */
	const struct consumer *c = READ_ONCE(u->kdata);
	const struct pad_count *pads;

	if (!c || !c->pads.values)
		return;
	values_join(values, &c->pads.values[place]);
	rcu_read_lock();
	list_for_each_entry_rcu(pads, &c->places.pads, in_consumer) {
		if (!pads->values)
			continue;
		rcu_read_unlock();
		values_take(values, pads, place);
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
}

/* Add the values for a key to @values. */
static void values_add(const struct uprobe *u, unsigned int place, struct uprobe_values *values)
{
	if (!place_has_values(u->histogram, place))
		return;
	mutex_lock(&values_mutex);
	values_read(u, place, values);
	values_join(values, &values_ended(u->histogram)[place]);
	mutex_unlock(&values_mutex);
}

/**
 * probe_values() - read the values that pads have added in all registrations of a probe
 * @u: the probe; its registration may end meanwhile
 * @values: filled in, with those of all keys; without values if the probe has no histogram
 *
 * Context: may sleep.
 */
void probe_values(const struct uprobe *u, struct uprobe_values *values)
{
	unsigned int i;

	values_clear(values);
	for (i = 0; u->histogram && i < (u->histogram->keys ? UPROBE_KEYS + 1 : 1); i++)
		values_add(u, i, values);
}

/**
 * probe_values_of() - read the values that pads have added for one key
 * @u: the probe; its registration may end meanwhile
 * @place: the place of the key; 0 without keys
 * @values: filled in
 *
 * Context: may sleep.
 */
void probe_values_of(const struct uprobe *u, unsigned int place, struct uprobe_values *values)
{
	values_clear(values);
	if (u->histogram && place < (u->histogram->keys ? UPROBE_KEYS + 1 : 1))
		values_add(u, place, values);
}

/**
 * timer_values() - read the times of the calls of a function
 * @timer: the timer
 * @ends: the probes on its return instructions
 * @n: number of @ends
 * @values: filled in
 *
 * Context: may sleep.
 * Return: number of calls that are known to have been left without a return.
 */
u64 timer_values(struct uprobe_timer *timer, struct uprobe *const *ends, unsigned int n,
		 struct uprobe_values *values)
{
	unsigned int i;

	mutex_lock(&values_mutex);
	for (i = 0; i < PAD_BUCKETS; i++)
		values->buckets[i] = READ_ONCE(timer->__values.buckets[i]);
	/* Pairs with timer_add(): the extremes are those of all values in the buckets. */
	smp_rmb();
	values->sum = READ_ONCE(timer->__values.sum);
	values->least = ~READ_ONCE(timer->__values.least);
	values->largest = READ_ONCE(timer->__values.largest);
	for (i = 0; i < n; i++)
		values_read(ends[i], 0, values);
	mutex_unlock(&values_mutex);
	return READ_ONCE(timer->__left);
}
