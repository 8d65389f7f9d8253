// SPDX-License-Identifier: GPL-2.0
/*
 * How the calls of a process come to be kept in one place.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>

#include "image.h"
#include "instance.h"
#include "retprobe.h"
#include "roaming.h"
#include "roaming_table.h"
#include "task.h"

/*
 * At least that long between two stops of the machine, as programs can bring them about; and so
 * many times as long as the last one took, within limits.
 */
#define BEGIN_INTERVAL	(HZ / 10)
#define BEGIN_MAX	(5 * HZ)
#define BEGIN_SHARE	20

/*
 * When so many calls have been moved the rest is left for another stop.  One task can have more:
 * a fork gives its child's all that there are in the process.
 */
#define BEGIN_MANY	RETPROBE_PROCESS_MAX

/* One roaming_begin() at a time; protects when the last was, and how long to wait after it. */
static DEFINE_MUTEX(begin_mutex);
static unsigned long begun, begin_interval;

/**
 * struct roaming_start - what is done while the machine is stopped
 * @image: the address space
 * @r: what it has, or gets
 * @stale: gets what has turned out not to be returned from any more
 * @nr: how many calls tasks have of their own
 * @moved: how many have been looked at to be moved in this stop
 * @partial: some are left for another stop
 * @took: how long the machine was stopped, in ns
 */
struct roaming_start {
	struct image *image;
	struct roaming *r;
	unsigned int nr;
	unsigned int moved;
	bool partial;
	u64 took;
	struct hlist_head stale;
};

/*
 * Of two tasks that have entered calls with the same place for the return address, the later
 * is in its call; the earlier has left its own in another way than by returning, or has
 * ended in it.
 */
static void drop_stale(struct utask *utask, struct hlist_head *bucket, struct roaming_start *start)
{
	struct uret_instance *inst, *other;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, bucket, in_task) {
		other = instance_in(start->r, start->r->calls, inst->ri.sp);
		if (other && inst->entered < other->entered) {
			instance_unlink(utask, inst);
			hlist_add_head(&inst->in_task, &start->stale);
			continue;
		}
		while (other) {
			roaming_del(start->r, other);
			hlist_add_head(&other->in_task, &start->stale);
			other = instance_in(start->r, start->r->calls, inst->ri.sp);
		}
	}
}

/* All calls of a bucket: those that share a place stay together, in their order. */
static void move_bucket(struct utask *utask, struct hlist_head *bucket,
			struct roaming_start *start)
{
	unsigned int nr = utask->nr_instances;
	struct uret_instance *inst;
	struct hlist_node *next;
	HLIST_HEAD(turned);

	drop_stale(utask, bucket, start);
	hlist_for_each_entry_safe(inst, next, bucket, in_task) {
		instance_unlink(utask, inst);
		hlist_add_head(&inst->in_task, &turned);
	}
	roaming_add_list(start->r, &turned);
	start->moved += nr - utask->nr_instances;
}

static void move_from_task(struct utask *utask, void *data)
{
	struct roaming_start *start = data;
	unsigned int i;

	if (utask->mm != start->r->mm || utask->borrowed || !utask->nr_instances)
		return;
	if (start->moved < BEGIN_MANY)
		WRITE_ONCE(utask->calls_moved, utask->calls_moved + 1);
	for (i = 0; i < ARRAY_SIZE(utask->instances) && start->moved < BEGIN_MANY; i++)
		move_bucket(utask, &utask->instances[i], start);
	if (utask->nr_instances)
		start->partial = true;
}

static void count_in_task(struct utask *utask, void *data)
{
	struct roaming_start *start = data;

	if (utask->mm == start->image->mm)
		start->nr += READ_ONCE(utask->nr_instances);
}

static int move_many(struct roaming_start *start)
{
	bool first = !start->image->roaming;

	start->nr = 0;
	utask_for_each(count_in_task, start);
	/* They have become too many for so few buckets. */
	if (first && start->r->bits < ROAMING_BITS_MAX && start->nr >> start->r->bits > 4)
		return -EAGAIN;
	start->moved = 0;
	start->partial = false;
	utask_for_each(move_from_task, start);
	WRITE_ONCE(start->r->partial, start->partial);
	if (first) {
		roaming_enlist(start->r);
		WRITE_ONCE(start->image->roaming, start->r);
		/* Hits take the long way. */
		WRITE_ONCE(start->image->resumptions, true);
	}
	return 0;
}

static int roaming_start(void *data)
{
	struct roaming_start *start = data;
	u64 began = local_clock();
	int ret = move_many(start);

	start->took = local_clock() - began;
	return ret;
}

/* With as many buckets as there are calls at the last count, so that none takes long to find. */
static struct roaming *roaming_make(const struct roaming_start *start)
{
	unsigned int bits;
	struct roaming *r;

	bits = clamp_t(unsigned int, order_base_2(start->nr), ROAMING_BITS, ROAMING_BITS_MAX);
	r = kvzalloc(struct_size(r, calls, 2UL << bits), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	raw_spin_lock_init(&r->lock);
	get_random_bytes(&r->key, sizeof(r->key));
	r->bits = bits;
	r->put_back = r->calls + (1UL << bits);
	r->lowest = ULONG_MAX;
	r->mm = start->image->mm;
	r->prune_at = RETPROBE_PRUNE_MIN;
	return r;
}

/* One stop of the machine.  Context: begin_mutex held. */
static void begin_once(struct roaming_start *start)
{
	int ret;

	do {
		start->r = start->image->roaming;
		if (!start->r) {
			start->nr = 0;
			utask_for_each(count_in_task, start);
			start->r = roaming_make(start);
		}
		/* No trap, and nobody who has preemption off, is in the middle of anything. */
		ret = stop_machine(roaming_start, start, NULL);
		if (!start->image->roaming)
			kvfree(start->r);
	} while (ret == -EAGAIN);
	instances_give_back(&start->stale);
}

/**
 * roaming_begin() - keep the calls of an address space in one place from now on
 * @image: the address space
 *
 * They are moved in one stop of the machine unless there are very many: then some are at a
 * time, and who returns from one that is not there yet (roaming_partial()) comes here, too.
 *
 * Context: may sleep, as a task of that address space; stops the machine, once in the
 * life of @image or once for each BEGIN_MANY calls.
 */
void roaming_begin(struct image *image)
{
	struct roaming_start start = { .image = image };
	long left;

	/* Who is killed will not return from the call. */
	if (mutex_lock_killable(&begin_mutex))
		return;
	while (!READ_ONCE(image->roaming) || roaming_partial(image->roaming)) {
		left = begin_interval - (jiffies - begun);
		if (left > 0) {
			/* Others may wake it before that is over. */
			schedule_timeout_killable(left);
			if (fatal_signal_pending(current))
				break;
			continue;
		}
		begin_once(&start);
		begun = jiffies;
		begin_interval = clamp_t(unsigned long, nsecs_to_jiffies(BEGIN_SHARE * start.took),
					 BEGIN_INTERVAL, BEGIN_MAX);
	}
	mutex_unlock(&begin_mutex);
}
