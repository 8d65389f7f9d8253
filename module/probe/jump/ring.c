// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: their memory, and when they are emptied.
 */
#include <linux/bitmap.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "ring.h"
#include "arch.h"
#include "drain_room.h"
#include "ring_drain.h"
#include "shared_pages.h"
#include "core/jump_types.h"
#include "core/probed_mm.h"
#include "core/ssol_area.h"

static unsigned int ring_pages = 4096;
module_param(ring_pages, uint, 0644);
MODULE_PARM_DESC(ring_pages, "how many pages the rings of all processes may take (default: 4096)");

/* Number of these pages now. */
static atomic_t pages_nr = ATOMIC_INIT(0);

atomic_t rings_nr = ATOMIC_INIT(0);

/* Number of holders: while there is one, all hits trap.  Changed under the mutex. */
static atomic_t holders = ATOMIC_INIT(0);
static DEFINE_MUTEX(holders_mutex);

/*
 * The address space whose ring may have hits on a processor: that of its task, if it has rings.
 * Changed by the processor itself.
 */
static DEFINE_PER_CPU(struct mm_struct *, ring_mm);

/* A reader may wait for hits of a thread that is never interrupted. */
#define EMPTY_EACH	(HZ / 10)

/* The time to wait after the allocation of a page has failed. */
#define RETRY_AFTER	HZ

static void rings_tick(struct work_struct *work);
static DECLARE_DELAYED_WORK(rings_work, rings_tick);

static void rings_tick(struct work_struct *work)
{
	if (!atomic_read(&rings_nr))
		return;
	rings_empty();
	schedule_delayed_work(&rings_work, EMPTY_EACH);
}

/* Bring a page into memory, and account for it. */
static int page_get(struct ring *ring, unsigned int nr)
{
	struct page *page = ERR_PTR(-ENOSPC);

	if (atomic_inc_return(&pages_nr) <= READ_ONCE(ring_pages))
		page = shared_pages_get(ring->words, nr * PAGE_SIZE);
	if (IS_ERR(page)) {
		atomic_dec(&pages_nr);
		return PTR_ERR(page);
	}
	/* Pairs with ring_drain(): what the page has is seen. */
	smp_store_release(&ring->pages[nr], page);
	return 0;
}

static void ring_destroy(struct ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->nr_heads + nr_cpu_ids; i++) {
		if (ring->pages[i]) {
			put_page(ring->pages[i]);
			atomic_dec(&pages_nr);
		}
	}
	if (ring->words)
		fput(ring->words);
	for (i = 0; i < ARRAY_SIZE(ring->jumps); i++)
		kfree(ring->jumps[i]);
	kfree(ring->wanted);
	kfree(ring);
}

static struct ring *ring_create(struct probed_mm *pmm)
{
	unsigned int nr_heads = DIV_ROUND_UP(nr_cpu_ids * PAD_HEAD_STRIDE, PAGE_SIZE), i;
	unsigned long size;
	struct ring *ring;
	int ret = -ENOMEM;

	ring = kzalloc(struct_size(ring, pages, nr_heads + nr_cpu_ids), SSOL_GFP);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->nr_heads = nr_heads;
	ring->retry = jiffies;
	ring->wanted = kcalloc(2 * BITS_TO_LONGS(nr_cpu_ids), sizeof(long), SSOL_GFP);
	if (!ring->wanted)
		goto destroy;
	ring->closed = ring->wanted + BITS_TO_LONGS(nr_cpu_ids);
	bitmap_fill(ring->closed, nr_cpu_ids);
	size = nr_heads * PAGE_SIZE + ring_mask(ring) + 1 + PAGE_SIZE;
	ring->words = shared_pages_create(size);
	if (IS_ERR(ring->words)) {
		ret = PTR_ERR(ring->words);
		ring->words = NULL;
		goto destroy;
	}
	/* The heads are zero: until there is a page, each ring is full. */
	for (ret = 0, i = 0; !ret && i < nr_heads; i++)
		ret = page_get(ring, i);
	/* Last, as the mapping stays. */
	ret = ret ?: shared_pages_map(pmm->mm, ring->words, &ring->base, size);
	if (!ret)
		return ring;
destroy:
	ring_destroy(ring);
	return ERR_PTR(ret);
}

/**
 * ring_find_clockless() - note whether a thread of a process must not read the clock already
 * @pmm: its probed mm, which has just got rings or a table of calls
 *
 * Context: any.
 */
void ring_find_clockless(struct probed_mm *pmm)
{
	struct task_struct *process, *thread;

	/* Pairs with ring_forbid(): it finds these, or the process is found clockless here. */
	smp_mb();
	rcu_read_lock();
	for_each_process_thread(process, thread) {
		if (READ_ONCE(thread->mm) == pmm->mm && arch_ticks_hidden(thread))
			WRITE_ONCE(pmm->rings.clockless, true);
	}
	rcu_read_unlock();
}

/* If the current task is of a process that has got rings, note that on this processor. */
static void mark_call(void *mm)
{
	if (current->mm != mm || current->flags & PF_KTHREAD)
		return;
	this_cpu_write(ring_mm, mm);
	ring_clock_mark();
}

/**
 * ring_get() - give a process rings, unless it has some
 * @pmm: its probed mm, in use
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: 0 or -ENOMEM.
 */
int ring_get(struct probed_mm *pmm)
{
	struct ring *ring;

	lockdep_assert_held(&pmm->lock);
	if (pmm->rings.all)
		return 0;
	if (pmm->rings.retry && time_before(jiffies, pmm->rings.retry))
		return -ENOMEM;
	ring = drain_rooms_get() ? ERR_PTR(-ENOMEM) : ring_create(pmm);
	if (IS_ERR(ring)) {
		pmm->rings.retry = jiffies + RETRY_AFTER ?: 1;
		return -ENOMEM;
	}
	ring_clock_init();
	/* Pairs with ring_drain() and others: the ring is complete. */
	smp_store_release(&pmm->rings.all, ring);
	WRITE_ONCE(pmm->ringed, true);
	if (atomic_inc_return(&rings_nr) == 1)
		schedule_delayed_work(&rings_work, EMPTY_EACH);
	/*
	 * Threads that have a processor already may come to a pad without a switch before.  If they
	 * lose it there, they must begin their hits again.
	 */
	on_each_cpu(mark_call, pmm->mm, 1);
	ring_find_clockless(pmm);
	return 0;
}

/**
 * ring_forbid() - note that the current task is giving up reading the clock
 * @pmm: its probed mm
 *
 * Context: any; RCU read side.
 * Return: whether the task must erase the jumps whose pads read the clock before it runs user code.
 */
bool ring_forbid(struct probed_mm *pmm)
{
	WRITE_ONCE(pmm->rings.clockless, true);
	/* Pairs with ring_find_clockless(). */
	smp_mb();
	return READ_ONCE(pmm->rings.all) || READ_ONCE(pmm->timing.table);
}

/**
 * ring_prepare_jump() - set the ring of a pad, before the pad is written
 * @pmm: the probed mm, with rings
 * @jump: the jump to the pad
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0; -EMLINK if there are too many; -ENOMEM.
 */
int ring_prepare_jump(const struct probed_mm *pmm, struct jump *jump)
{
	struct pad_recording *recording = &jump->pad.steps[jump->pad.nr - 1].recording;
	struct ring *ring = pmm->rings.all;
	unsigned int piece = ring->nr_jumps / RING_JUMPS_PIECE;

	if (piece == ARRAY_SIZE(ring->jumps))
		return -EMLINK;
	if (!ring->jumps[piece])
		WRITE_ONCE(ring->jumps[piece], kcalloc(RING_JUMPS_PIECE, sizeof(struct jump *),
						       SSOL_GFP));
	recording->heads = ring->base;
	recording->mask = ring_mask(ring);
	recording->id = ring->nr_jumps;
	return ring->jumps[piece] ? 0 : -ENOMEM;
}

/**
 * ring_add_jump() - let hits in the ring be those of a jump, whose pad has been written
 * @pmm: the probed mm
 * @jump: the jump
 *
 * Context: probed_mm::lock held since ring_prepare_jump().
 */
void ring_add_jump(struct probed_mm *pmm, struct jump *jump)
{
	u32 id = pad_action(&jump->pad)->recording.id;

	/* Pairs with jump_of_id(): the jump is complete. */
	smp_store_release(&pmm->rings.all->jumps[id / RING_JUMPS_PIECE][id % RING_JUMPS_PIECE],
			  jump);
	pmm->rings.all->nr_jumps++;
}

/**
 * ring_request_page() - ask for a page for the ring of this processor, which is full
 * @pmm: the probed mm of the current task
 *
 * Context: the trap.
 */
void ring_request_page(struct probed_mm *pmm)
{
	/* Pairs with ring_get(). */
	struct ring *ring = smp_load_acquire(&pmm->rings.all);
	unsigned int cpu = smp_processor_id();

	if (!ring || READ_ONCE(ring->pages[ring->nr_heads + cpu]) ||
	    time_before(jiffies, READ_ONCE(ring->retry)) || test_bit(cpu, ring->wanted))
		return;
	set_bit(cpu, ring->wanted);
	pmm_queue(pmm, &pmm->jumps.work);
}

/**
 * ring_fill() - get the pages that have been asked for
 * @pmm: the probed mm, in use
 *
 * Context: may sleep; probed_mm::lock held.
 */
void ring_fill(struct probed_mm *pmm)
{
	struct ring *ring = pmm->rings.all;
	unsigned int cpu;

	if (!ring)
		return;
	for_each_set_bit(cpu, ring->wanted, nr_cpu_ids) {
		if (!ring->pages[ring->nr_heads + cpu] && page_get(ring, ring->nr_heads + cpu))
			WRITE_ONCE(ring->retry, jiffies + RETRY_AFTER);
		clear_bit(cpu, ring->wanted);
	}
}

/**
 * ring_empty() - call the ring handlers for the hits in the ring of this processor
 * @pmm: the probed mm of the current task, which is not just writing a hit
 *
 * Context: interrupts off, RCU read side.
 * Return: whether a pad that has found it full finds room now.
 */
bool ring_empty(struct probed_mm *pmm)
{
	return ring_drain(pmm, !atomic_read(&holders));
}

/**
 * rings_empty_here() - empty the ring of this processor, if it may have a hit
 *
 * Context: interrupts off; possibly the scheduler with a run queue locked.
 */
void rings_empty_here(void)
{
	struct mm_struct *mm = this_cpu_read(ring_mm);
	struct probed_mm *pmm;

	if (!mm)
		return;
	rcu_read_lock();
	/* Only its address is used: the current task may have left it. */
	pmm = pmm_lookup(mm);
	if (pmm) {
		ring_restart(pmm);
		ring_empty(pmm);
	}
	rcu_read_unlock();
	/* After execve(), or in an exit. */
	if (current->mm != mm)
		this_cpu_write(ring_mm, NULL);
}

/**
 * rings_switch() - empty the ring of this processor before another task runs on it
 * @next: that task
 *
 * Context: the scheduler with a run queue locked.
 */
void rings_switch(struct task_struct *next)
{
	struct mm_struct *mm = next->flags & PF_KTHREAD ? NULL : next->mm;
	struct probed_mm *pmm;

	rings_empty_here();
	rcu_read_lock();
	pmm = mm && atomic_read(&rings_nr) ? pmm_lookup(mm) : NULL;
	/* Its ring may be open. */
	if (!pmm || !READ_ONCE(pmm->ringed))
		mm = NULL;
	this_cpu_write(ring_mm, mm);
	if (mm)
		ring_clock_mark();
	rcu_read_unlock();
}

static void empty_call(void *unused)
{
	rings_empty_here();
}

static bool has_ring(int cpu, void *unused)
{
	return READ_ONCE(per_cpu(ring_mm, cpu));
}

/**
 * rings_empty() - call the ring handlers for all hits so far
 *
 * Context: may sleep.
 */
void rings_empty(void)
{
	if (!atomic_read(&rings_nr))
		return;
	/* A processor that is not interrupted has switched, and has emptied its ring. */
	smp_mb();
	on_each_cpu_cond(has_ring, empty_call, NULL, true);
}

static bool has_ring_of(int cpu, void *mm)
{
	return READ_ONCE(per_cpu(ring_mm, cpu)) == mm;
}

/**
 * ring_flush() - call the ring handlers for all hits of a process so far
 * @pmm: its probed mm
 *
 * Only processors that execute the process are interrupted.  If its address space ends, these are
 * its last threads, on their way out.
 *
 * Context: may sleep.
 */
void ring_flush(struct probed_mm *pmm)
{
	if (!READ_ONCE(pmm->rings.all))
		return;
	/* As in rings_empty(). */
	smp_mb();
	on_each_cpu_cond(has_ring_of, empty_call, pmm->mm, true);
}

/**
 * ring_free() - free the rings of a probed mm that is no longer in any table
 * @pmm: the probed mm
 *
 * The mapping stays.
 */
void ring_free(struct probed_mm *pmm)
{
	if (!pmm->rings.all)
		return;
	ring_destroy(pmm->rings.all);
	atomic_dec(&rings_nr);
}

/* Have all pads of a process find its rings full. */
static bool ring_close(struct probed_mm *pmm, void *unused)
{
	/* Pairs with ring_get(). */
	struct ring *ring = smp_load_acquire(&pmm->rings.all);
	unsigned int cpu;

	if (ring) {
		for_each_possible_cpu(cpu)
			WRITE_ONCE(ring_head(ring, cpu)->limit, 0);
	}
	return true;
}

/* Note that all rings of a process must be empty. */
static bool ring_shut(struct probed_mm *pmm, void *unused)
{
	/* Pairs with ring_get(). */
	struct ring *ring = smp_load_acquire(&pmm->rings.all);
	unsigned int cpu;

	if (ring) {
		for_each_possible_cpu(cpu)
			set_bit(cpu, ring->closed);
	}
	return true;
}

/**
 * rings_disable() - have all hits trap from now on, or no more
 * @disable: one more wants them to trap, or one less
 *
 * Context: may sleep; no lock of the list in consumer.h held.
 */
void rings_disable(bool disable)
{
	mutex_lock(&holders_mutex);
	if (!disable) {
		atomic_dec(&holders);
	} else if (atomic_inc_return(&holders) == 1) {
		/* A CPU that is just emptying a ring may not have seen the holder. */
		on_each_cpu(empty_call, NULL, 1);
		pmm_for_each(ring_close, NULL);
		/* A thread may have been switched in before its ring was closed. */
		rings_empty();
		pmm_for_each(ring_shut, NULL);
	}
	mutex_unlock(&holders_mutex);
}

/**
 * ring_missing() - get the reason why a pad that records finds each ring of a process full
 * @pmm: the probed mm, with rings
 *
 * Context: any; probed_mm::lock held.
 * Return: a clause; NULL if a ring has room.
 */
const char *ring_missing(const struct probed_mm *pmm)
{
	const struct ring *ring = pmm->rings.all;
	unsigned int cpu;

	if (atomic_read(&holders))
		return "a published event, a listener or user stacks need the moment of each hit";
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (READ_ONCE(ring->pages[ring->nr_heads + cpu]))
			return NULL;
	}
	/* The first hit that passes gets a page, unless that has just failed. */
	if (!time_before(jiffies, READ_ONCE(ring->retry)))
		return NULL;
	return "there is no memory for records of its process, or ring_pages allows no more";
}

/* Empty no rings any more.  Context: may sleep; no probe is registered. */
void rings_exit(void)
{
	cancel_delayed_work_sync(&rings_work);
}
