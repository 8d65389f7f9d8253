// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that are timed in programs.
 *
 * A process with timed functions shares a table of calls with the module.  A pad at the entry of a
 * function puts the call into a slot, and a pad at a return instruction takes it out.  Which slot
 * that is depends on the stack pointer and the function.  Where the pads cannot do it, their hits
 * trap, and the module does the same here.  If it cannot either, it calls the client's handlers.
 *
 * A call that is left without a return, for example by longjmp(), stays in the table.  The next
 * call with the same stack pointer replaces it.  If another call needs its slot, and it is old, it
 * is moved out of the way: it may still return.
 *
 * The program can write to the table.  A key or a time that it has made can only change what is
 * said about its own calls.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "timing.h"
#include "arch.h"
#include "ring.h"
#include "shared_pages.h"
#include "core/consumer.h"
#include "core/counts.h"
#include "core/jump_types.h"
#include "core/ssol_area.h"

#define TABLE_SIZE	(PAD_SLOTS * sizeof(struct pad_slot))
#define TABLE_PAGES	(TABLE_SIZE / PAGE_SIZE)

/* So many calls can be out of the way. */
#define MOVED_MAX	64

/* A call is old after this time, in milliseconds. */
#define OLD_MSEC	1000

/* The time to wait after an allocation has failed. */
#define RETRY_AFTER	HZ

DEFINE_PER_CPU(u64, timing_took);

/**
 * struct timing - the calls of one address space
 * @base: address of the table in the program; constant
 * @ns: nanoseconds of 2^32 ticks of the time stamp counter; constant
 * @words: the file that it is in; constant
 * @lock: protects @moved and @nr_moved
 * @moved: calls that were moved out of the way
 * @nr_moved: number of them; also read without the lock
 * @pages: the pages of the table; constant
 */
struct timing {
	unsigned long base;
	u64 ns;
	struct file *words;
	raw_spinlock_t lock;
	struct pad_slot moved[MOVED_MAX];
	unsigned int nr_moved;
	struct page *pages[TABLE_PAGES];
};

/* Number a function of a process.  One in 32,768 pairs of functions has the same number. */
static u16 number_of(unsigned long function)
{
	u16 number = hash_64(function, 15);

	static_assert(PAD_FUNCTIONS == 1 << 15);
	return number ?: 1;
}

/* Get the address of the function whose probe is at a site. */
static unsigned long function_of(const struct consumer *c, const struct site *site)
{
	return site->key.addr - c->pads.from_entry;
}

static struct pad_slot *slot_of(const struct timing *timing, u64 key)
{
	unsigned long at = pad_slot_of(key) * sizeof(struct pad_slot);

	return page_address(timing->pages[at / PAGE_SIZE]) + offset_in_page(at);
}

static u64 slot_replace(struct pad_slot *slot, u64 old, u64 new)
{
	return cmpxchg(&slot->key, old, new);
}

static void timing_destroy(struct timing *timing)
{
	shared_pages_put(timing->words, timing->pages, TABLE_PAGES);
	kfree(timing);
}

static struct timing *timing_create(struct probed_mm *pmm)
{
	struct timing *timing = kzalloc(sizeof(*timing), SSOL_GFP);
	int ret;

	if (!timing)
		return ERR_PTR(-ENOMEM);
	raw_spin_lock_init(&timing->lock);
	timing->ns = div_u64((u64)USEC_PER_SEC << 32, arch_ticks_khz());
	ret = shared_pages_make(pmm->mm, &timing->words, timing->pages, TABLE_PAGES,
				&timing->base);
	if (!ret)
		return timing;
	timing_destroy(timing);
	return ERR_PTR(ret);
}

/**
 * timing_get() - give a process a table of calls, unless it has one
 * @pmm: its probed mm, in use
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: 0 or -ENOMEM.
 */
int timing_get(struct probed_mm *pmm)
{
	struct timing *timing;

	lockdep_assert_held(&pmm->lock);
	if (pmm->timing.table)
		return 0;
	if (pmm->timing.retry && time_before(jiffies, pmm->timing.retry))
		return -ENOMEM;
	timing = timing_create(pmm);
	if (IS_ERR(timing)) {
		pmm->timing.retry = jiffies + RETRY_AFTER ?: 1;
		return -ENOMEM;
	}
	/* Pairs with timing_of(): the table is complete. */
	smp_store_release(&pmm->timing.table, timing);
	ring_find_clockless(pmm);
	return 0;
}

/* Get the table of a process, or NULL. */
static struct timing *timing_of(const struct probed_mm *pmm)
{
	/* Pairs with timing_get(). */
	return smp_load_acquire(&pmm->timing.table);
}

/**
 * timing_prepare_jump() - set the function of a pad, before the pad is written
 * @pmm: the probed mm, with a table
 * @jump: the jump to the pad; jump::from_entry is set
 *
 * Context: probed_mm::lock held.
 */
void timing_prepare_jump(const struct probed_mm *pmm, struct jump *jump)
{
	struct pad_timing *pad = &jump->pad.steps[jump->pad.nr - 1].timing;

	pad->table = pmm->timing.table->base;
	pad->below = jump->below;
	pad->id = number_of(jump->site->key.addr - jump->from_entry);
	pad->ns = pmm->timing.table->ns;
}

/* Take a call out of those that were moved, if it is there. */
static bool moved_take(struct timing *timing, u64 key, u64 *began)
{
	unsigned long flags;
	unsigned int i;
	bool found;

	if (!READ_ONCE(timing->nr_moved))
		return false;
	raw_spin_lock_irqsave(&timing->lock, flags);
	for (i = 0; i < timing->nr_moved && timing->moved[i].key != key; i++)
		;
	found = i < timing->nr_moved;
	if (found) {
		*began = timing->moved[i].began;
		WRITE_ONCE(timing->nr_moved, timing->nr_moved - 1);
		timing->moved[i] = timing->moved[timing->nr_moved];
	}
	raw_spin_unlock_irqrestore(&timing->lock, flags);
	return found;
}

/* Move the call in a slot out of the way of another one, if it is old.  Then that has the slot. */
static bool slot_clear(struct timing *timing, struct pad_slot *slot, u64 old, u64 key)
{
	s64 age = arch_ticks() - READ_ONCE(slot->began);
	bool moved = false;
	unsigned long flags;
	unsigned int nr;

	/* A thread may be writing the time of this one. */
	if (old & PAD_SLOT_BUSY || age < (s64)OLD_MSEC * arch_ticks_khz())
		return false;
	raw_spin_lock_irqsave(&timing->lock, flags);
	nr = timing->nr_moved;
	if (nr < MOVED_MAX) {
		/* Before the slot changes: a thread whose call is not there looks here. */
		WRITE_ONCE(timing->nr_moved, nr + 1);
		moved = slot_replace(slot, old, key | PAD_SLOT_BUSY) == old;
		timing->moved[nr] = (struct pad_slot) {
			.key = old, .began = READ_ONCE(slot->began),
		};
		if (!moved)
			WRITE_ONCE(timing->nr_moved, nr);
	}
	raw_spin_unlock_irqrestore(&timing->lock, flags);
	return moved;
}

/* Let the call in a slot begin now. */
static void slot_begin(struct pad_slot *slot, u64 key)
{
	WRITE_ONCE(slot->began, arch_ticks());
	/* As in a pad: the time comes before the key. */
	smp_store_release(&slot->key, key);
}

/* Take a call out of the table that a later one with its stack pointer shows to have been left. */
static void call_replace(struct timing *timing, struct consumer *c, u64 key)
{
	struct pad_slot *slot = slot_of(timing, key);
	u64 began;

	if (moved_take(timing, key, &began) ||
	    (READ_ONCE(slot->key) == key && slot_replace(slot, key, 0) == key))
		timer_add_left(c->u->timer);
}

/* Put a call into the table.  Return false if there is no room. */
static bool call_begin(struct timing *timing, struct consumer *c, u64 key)
{
	struct pad_slot *slot = slot_of(timing, key);
	u64 old;

	call_replace(timing, c, key);
	old = slot_replace(slot, 0, key | PAD_SLOT_BUSY);
	/* One that is busy with this call is left from a thread that has ended there. */
	if (old && (old & ~PAD_SLOT_BUSY) != key && !slot_clear(timing, slot, old, key))
		return false;
	slot_begin(slot, key);
	return true;
}

/* Take a call out of the table.  Return false if it is not there. */
static bool call_end(struct timing *timing, u64 key, u64 *took)
{
	u64 now = arch_ticks(), began, ticks;
	struct pad_slot *slot = slot_of(timing, key);

	began = READ_ONCE(slot->began);
	if ((READ_ONCE(slot->key) != key || slot_replace(slot, key, 0) != key) &&
	    !moved_take(timing, key, &began))
		return false;
	/* The counter of this CPU may be behind that of the CPU on which the call began. */
	ticks = now - began;
	*took = (s64)ticks < 0 ? 0 : mul_u64_u64_shr(ticks, timing->ns, 32);
	return true;
}

/**
 * timing_hit() - handle a hit of a probe with a timer in the table of calls
 * @c: the consumer, with a timer
 * @site: its site
 * @regs: user registers
 * @alone: there is no other consumer
 *
 * If there are several, only the first one with a timer has calls in the table, from the time when
 * it was alone.  No new ones are put there: each consumer is to know them.
 *
 * For a return instruction, set timing_took for the handler, if the call is known;
 * timing_hit_over() comes after the handler.
 *
 * Context: the trap.
 * Return: whether the hit is handled, without its handler.
 */
bool timing_hit(struct consumer *c, const struct site *site, const struct pt_regs *regs,
		bool alone)
{
	struct timing *timing = timing_of(site->pmm);
	u64 key, took;

	if (!timing)
		return false;
	key = pad_call_key(number_of(function_of(c, site)), regs->sp + c->pads.below);
	/* An uneven counter may have been noticed since the pads were written. */
	if (c->timing == TIMING_BEGIN && alone && arch_pads_record())
		return call_begin(timing, c, key);
	if (c->timing == TIMING_BEGIN)
		call_replace(timing, c, key);
	else if (call_end(timing, key, &took))
		this_cpu_write(timing_took, took + 1);
	return false;
}

/* Get the histogram to which a hit owes something; NULL if there is none. */
static struct pad_values *values_owed(const struct jump *jump, const struct pad_debt *debt)
{
	u64 place;

	if (!pad_has_keys(&jump->pad))
		return jump->values;
	/* The thread says where.  A debugger may have set its registers. */
	place = (debt->at - pad_action(&jump->pad)->histogram.at) / PAD_COUNTER_STRIDE;
	return place <= PAD_KEYS ? pad_values_of(jump->values, jump->cpus, place) : NULL;
}

/**
 * timing_pay() - complete a hit that a pad has counted, but not completed
 * @jump: the jump to the pad
 * @debt: what the hit lacks
 * @sp: the stack pointer of the program
 *
 * Context: any; the thread is not in the pad any more, or is this one.
 */
void timing_pay(const struct jump *jump, const struct pad_debt *debt, u64 sp)
{
	struct timing *timing = timing_of(jump->site->pmm);
	struct pad_values *values = debt->owes ? values_owed(jump, debt) : NULL;
	u64 key;

	if (debt->owes == PAD_OWES_BEGIN && timing) {
		key = pad_call_key(pad_action(&jump->pad)->timing.id, sp + jump->below);
		slot_begin(slot_of(timing, key), key);
	}
	if (debt->owes == PAD_OWES_VALUE && values)
		atomic64_inc((atomic64_t *)&values->buckets[pad_bucket(debt->value)]);
	if ((debt->owes == PAD_OWES_VALUE || debt->owes == PAD_OWES_SUM) && values)
		atomic64_add(debt->value, (atomic64_t *)&values->sum);
}

/* Check whether a call is of a function. */
static bool is_of(u64 key, u16 number)
{
	return key && (u16)((key & ~PAD_SLOT_BUSY) >> 48) == number;
}

/**
 * timing_forget() - take the calls of a function out of the table, before somebody times it again
 * @site: its entry, where no consumer times calls
 *
 * They were put there for an earlier consumer, or belong to a function that was at this address.
 *
 * Context: may sleep; probed_mm::lock held.
 */
void timing_forget(const struct site *site)
{
	struct timing *timing = site->pmm->timing.table;
	u16 number = number_of(site->key.addr);
	struct pad_slot *slots;
	unsigned long flags;
	unsigned int i, k;
	u64 key;

	if (!timing)
		return;
	for (i = 0; i < TABLE_PAGES; i++) {
		slots = page_address(timing->pages[i]);
		for (k = 0; k < PAGE_SIZE / sizeof(*slots); k++) {
			key = READ_ONCE(slots[k].key);
			if (is_of(key, number))
				slot_replace(&slots[k], key, 0);
		}
	}
	raw_spin_lock_irqsave(&timing->lock, flags);
	for (i = timing->nr_moved; i--; ) {
		if (!is_of(timing->moved[i].key, number))
			continue;
		WRITE_ONCE(timing->nr_moved, timing->nr_moved - 1);
		timing->moved[i] = timing->moved[timing->nr_moved];
	}
	raw_spin_unlock_irqrestore(&timing->lock, flags);
}

/* Check whether the table of a process is in a range.  Context: any. */
bool timing_in(const struct probed_mm *pmm, unsigned long addr, unsigned long len)
{
	const struct timing *timing = timing_of(pmm);

	return timing && addr < timing->base + TABLE_SIZE && addr + len > timing->base;
}

/**
 * timing_free() - free the table of a probed mm that is no longer in any table
 * @pmm: the probed mm
 *
 * The mapping stays.
 */
void timing_free(struct probed_mm *pmm)
{
	if (pmm->timing.table)
		timing_destroy(pmm->timing.table);
}
