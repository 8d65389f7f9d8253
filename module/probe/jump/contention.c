// SPDX-License-Identifier: GPL-2.0
/*
 * Find the counters that threads on several processors increment often.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include "contention.h"
#include "arch.h"
#include "jump_text.h"
#include "core/probed_mm.h"
#include "core/site.h"

/*
 * At a million hits a second, a pad that waits for its counter takes a hundredth of a processor
 * more.  Memory for other counters would not be worth less than that.
 */
static uint jump_contended = 1000000;
module_param(jump_contended, uint, 0644);
MODULE_PARM_DESC(jump_contended,
		 "hits of a place in a second, from which on processors count apart; 0: never");

#define LOOK_EACH	(4 * HZ)

/* A process without a hit in this number of looks is idle, and is not looked at any more. */
#define IDLE_LOOKS	16

static void contention_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(contention_work, contention_look);

/* Check whether several processors execute an address space.  The caller has it in use. */
static bool runs_apart(struct mm_struct *mm)
{
	struct task_struct *process, *thread;
	int first = -1;
	bool apart = false;

	/* Each thread has a reference. */
	if (atomic_read(&mm->mm_users) < 3)
		return false;
	rcu_read_lock();
	for_each_process_thread(process, thread) {
		if (READ_ONCE(thread->mm) != mm || !task_is_running(thread))
			continue;
		apart |= first >= 0 && first != task_cpu(thread);
		first = task_cpu(thread);
	}
	rcu_read_unlock();
	return apart;
}

/*
 * Check whether a pad with a histogram has added values other than 0 since the last look.  To count
 * them is to read all buckets, and a process that is timed has thousands of such pads, most of them
 * idle.
 */
static bool values_added(struct jump *jump)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < pad_values_nr(jump->cpus); i++)
		sum += READ_ONCE(pad_values_of(jump->values, jump->cpus, i)->sum);
	if (sum == jump->looked_sum)
		return false;
	jump->looked_sum = sum;
	return true;
}

/* Look at the counters of jumps.  Context: probed_mm::lock and the mmap lock held. */
static void counters_look(struct probed_mm *pmm)
{
	unsigned long passed = jiffies - pmm->apart.looked_at;
	u64 few = (u64)READ_ONCE(jump_contended) * passed / HZ, hits, grown;
	bool any = false;
	int apart = -1;
	struct jump *jump;

	list_for_each_entry(jump, &pmm->jumps.on, in_pmm) {
		if (jump->values ? !values_added(jump) : !jump->word)
			continue;
		if (jump->values && jump->cpus) {
			any = true;
			continue;
		}
		hits = jump_hits(jump);
		grown = hits - jump->looked;
		any |= grown;
		jump->looked = hits;
		if (jump->cpus || jump->apart || grown < few || !few)
			continue;
		if (apart < 0)
			apart = runs_apart(pmm->mm);
		if (!apart)
			continue;
		jump->apart = APART_WANTED;
		pmm->apart.found = true;
	}
	pmm->apart.looked_at = jiffies;
	pmm->apart.idle = any ? 0 : pmm->apart.idle + 1;
	if (pmm->apart.idle == IDLE_LOOKS)
		WRITE_ONCE(pmm->apart.watched, false);
	if (pmm->apart.found)
		pmm_queue(pmm, &pmm->jumps.work);
}

/* Look at the counters of a process, if its locks are free.  @any: set if it stays watched. */
static bool pmm_look(struct probed_mm *pmm, void *any)
{
	if (!READ_ONCE(pmm->apart.watched) || !mmget_not_zero(pmm->mm))
		return true;
	if (mutex_trylock(&pmm->lock)) {
		if (mmap_read_trylock(pmm->mm)) {
			counters_look(pmm);
			mmap_read_unlock(pmm->mm);
		}
		mutex_unlock(&pmm->lock);
	}
	mmput_async(pmm->mm);
	*(bool *)any |= READ_ONCE(pmm->apart.watched);
	return true;
}

static void contention_look(struct work_struct *work)
{
	bool again = false;

	pmm_for_each(pmm_look, &again);
	if (again)
		pmm_queue_delayed(&contention_work, LOOK_EACH);
}

/**
 * contention_watch() - look at the counters of a process from now on
 * @pmm: the probed mm, which has got jumps
 *
 * Context: any; probed_mm::lock held.
 */
void contention_watch(struct probed_mm *pmm)
{
	if (!arch_counts_apart())
		return;
	if (!pmm->apart.watched)
		pmm->apart.looked_at = jiffies;
	pmm->apart.idle = 0;
	WRITE_ONCE(pmm->apart.watched, true);
	pmm_queue_delayed(&contention_work, LOOK_EACH);
}

static bool is_contended(const struct jump *jump, const void *unused)
{
	return jump->apart == APART_WANTED;
}

/**
 * contention_erase() - erase the jumps that are to be replaced, and have their sites get others
 * @pmm: the probed mm, in use; jumps may be written
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void contention_erase(struct probed_mm *pmm)
{
	struct jump *jump;

	if (!pmm->apart.found)
		return;
	pmm->apart.found = false;
	mmap_read_lock(pmm->mm);
	list_for_each_entry(jump, &pmm->jumps.on, in_pmm) {
		/* Hot enough for any limit */
		if (is_contended(jump, NULL))
			WRITE_ONCE(jump->site->heat, U8_MAX - 1);
	}
	jumps_erase(pmm, is_contended, NULL);
	mmap_read_unlock(pmm->mm);
	/* The caller looks at all sites next. */
	WRITE_ONCE(pmm->jumps.more_hot, true);
}

/* Stop looking.  Context: may sleep; no jump is written any more. */
void contention_exit(void)
{
	cancel_delayed_work_sync(&contention_work);
}
