// SPDX-License-Identifier: GPL-2.0
/*
 * Counters and histograms of a process for each processor, and histograms for keys.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "cpu_counters.h"
#include "shared_pages.h"
#include "core/pad_keys.h"
#include "core/probed_mm.h"
#include "core/ssol_area.h"

/* So many pages at most: a megabyte. */
#define PAGES_MAX	256

/* So many pads of a process can have a histogram for each processor, or for keys. */
#define CPU_VALUES	16U

/* The number of pads of a process that can have such counters. */
#define COUNTERS	(PAGE_SIZE / sizeof(u64))

static_assert(PAD_COUNTER_STRIDE == PAGE_SIZE);
static_assert(PAGES_MAX <= PAD_CPUS);

static void counters_destroy(struct cpu_counters *counters)
{
	kfree(counters->keys);
	shared_pages_put(counters->file, counters->pages, counters->nr);
	kfree(counters);
}

/* Get the number of pages for counters of all processors. */
static unsigned int cpus_nr(void)
{
	return clamp(roundup_pow_of_two(num_online_cpus()), 2UL, PAGES_MAX + 0UL);
}

static struct pad_keys *keys_create(void)
{
	struct pad_keys *keys = kzalloc(sizeof(*keys), SSOL_GFP);

	if (keys)
		raw_spin_lock_init(&keys->lock);
	return keys;
}

/* Create @nr pages; @keyed: they have a table of keys, and a histogram for each. */
static struct cpu_counters *counters_create(struct probed_mm *pmm, unsigned int nr, bool keyed)
{
	struct cpu_counters *counters;
	int ret;

	counters = kzalloc(struct_size(counters, pages, nr), SSOL_GFP);
	if (!counters)
		return ERR_PTR(-ENOMEM);
	counters->nr = nr;
	counters->keys = keyed ? keys_create() : NULL;
	ret = keyed && !counters->keys ? -ENOMEM :
	      shared_pages_make(pmm->mm, &counters->file, counters->pages, nr, &counters->base);
	if (!ret)
		return counters;
	counters_destroy(counters);
	return ERR_PTR(ret);
}

static int counter_take(struct probed_mm *pmm, struct jump *jump)
{
	struct cpu_counters *counters = pmm->apart.counters;

	if (!counters) {
		counters = counters_create(pmm, cpus_nr(), false);
		if (IS_ERR(counters))
			return PTR_ERR(counters);
		/* Pairs with cpu_counters_in(). */
		smp_store_release(&pmm->apart.counters, counters);
	}
	if (counters->used == COUNTERS)
		return -ENOSPC;
	pad_set_cpus(&jump->pad, counters->base + counters->used * sizeof(u64), counters->nr - 1);
	jump->word = (u64 *)page_address(counters->pages[0]) + counters->used;
	jump->cpus = counters;
	counters->used++;
	return 0;
}

/* Find histograms that no pad has: there was no place for the one that they were made for. */
static struct cpu_counters *values_unused(struct probed_mm *pmm, bool keyed)
{
	struct cpu_counters *values = pmm->apart.values;

	while (values && (values->used || !!values->keys != keyed))
		values = values->next;
	return values;
}

static struct cpu_counters *values_create(struct probed_mm *pmm, bool keyed)
{
	unsigned int nr = keyed ? PAD_KEY_PAGES + PAD_KEYS + 1 : cpus_nr();
	struct cpu_counters *values;

	BUILD_BUG_ON(sizeof(struct pad_values) > PAD_COUNTER_STRIDE);
	if (pmm->apart.nr_values == CPU_VALUES)
		return ERR_PTR(-ENOSPC);
	values = counters_create(pmm, nr, keyed);
	if (IS_ERR(values))
		return values;
	values->next = pmm->apart.values;
	/* Pairs with cpu_counters_in(). */
	smp_store_release(&pmm->apart.values, values);
	pmm->apart.nr_values++;
	return values;
}

static int values_take(struct probed_mm *pmm, struct jump *jump)
{
	bool keyed = pad_has_keys(&jump->pad);
	struct cpu_counters *values = values_unused(pmm, keyed) ?: values_create(pmm, keyed);

	if (IS_ERR(values))
		return PTR_ERR(values);
	if (keyed)
		pad_set_keys(&jump->pad, values->base + PAD_KEY_PAGES * PAGE_SIZE, values->base);
	else
		pad_set_cpus(&jump->pad, values->base, values->nr - 1);
	jump->cpus = values;
	jump->values = pad_values_of(NULL, values, 0);
	return 0;
}

/**
 * cpu_counters_keep() - have no other pad get the histograms of a pad, as that has been written
 * @pmm: the probed mm
 * @jump: the jump to the pad, with such histograms
 *
 * Context: any; probed_mm::lock held.
 */
void cpu_counters_keep(struct probed_mm *pmm, const struct jump *jump)
{
	struct cpu_counters *values = pmm->apart.values;

	while (values != jump->cpus)
		values = values->next;
	values->used = 1;
}

/**
 * cpu_counters_take() - choose the counters or histograms of a pad, before the pad is written
 * @pmm: the probed mm, in use
 * @jump: the jump to the pad, which counts, or has a histogram
 *
 * If the pad cannot be written, the next pad of the kind gets its histograms; nothing uses its
 * counter.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: 0; -ENOSPC if the process has too many such pads; -ENOMEM, or another error.
 */
int cpu_counters_take(struct probed_mm *pmm, struct jump *jump)
{
	lockdep_assert_held(&pmm->lock);
	return pad_does(&jump->pad, PAD_COUNT) ? counter_take(pmm, jump) : values_take(pmm, jump);
}

/* Check whether counters are in a range. */
static bool counters_in(const struct cpu_counters *counters, unsigned long addr, unsigned long len)
{
	return counters && addr < counters->base + counters->nr * PAGE_SIZE &&
	       addr + len > counters->base;
}

/* Check whether the counters of a process are in a range.  Context: any. */
bool cpu_counters_in(const struct probed_mm *pmm, unsigned long addr, unsigned long len)
{
	const struct cpu_counters *values;

	/* Pairs with values_create(). */
	for (values = smp_load_acquire(&pmm->apart.values); values; values = values->next) {
		if (counters_in(values, addr, len))
			return true;
	}
	/* Pairs with counter_take(). */
	return counters_in(smp_load_acquire(&pmm->apart.counters), addr, len);
}

/**
 * cpu_counters_free() - free the counters of a probed mm that is no longer in any table
 * @pmm: the probed mm
 *
 * The mapping stays.
 */
void cpu_counters_free(struct probed_mm *pmm)
{
	struct cpu_counters *values;

	while ((values = pmm->apart.values)) {
		pmm->apart.values = values->next;
		counters_destroy(values);
	}
	if (pmm->apart.counters)
		counters_destroy(pmm->apart.counters);
}
