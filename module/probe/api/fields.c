// SPDX-License-Identifier: GPL-2.0
/*
 * Checking what clients have filled in.
 */
#include <linux/bitops.h>

#include "fields.h"
#include "arch.h"
#include "core/filter.h"
#include "target/target.h"

static_assert(UPROBE_LOADS == PAD_LOADS && UPROBE_LOAD_STEPS == PAD_LOAD_STEPS);

/* Check for registers that no ring handler can get. */
static bool ring_reads_unknown(const struct uprobe *u)
{
	unsigned long reads = u->ring_reads;
	unsigned int i;

	for_each_set_bit(i, &reads, BITS_PER_LONG) {
		if (!u->ring_handler || arch_reg_number(i * sizeof(long)) < 0)
			return true;
	}
	return false;
}

static bool load_valid(const struct uprobe_load *load)
{
	bool known = load->word ? load->reg < PAD_WORDS : arch_reg_number(load->reg) >= 0;
	unsigned int size = load->size;

	if (!known || !load->steps || load->steps > PAD_LOAD_STEPS ||
	    load->offset[load->steps - 1] > S32_MAX - PAD_STRING_WORDS * (s32)sizeof(u64))
		return false;
	if (load->string)
		return size && !(size % sizeof(u64));
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const char *loads_complaint(const struct uprobe *u)
{
	unsigned int strings = 0, i;

	if (!u->nr_ring_loads)
		return NULL;
	if (!u->ring_handler || !u->ring_loads || u->nr_ring_loads > UPROBE_LOADS)
		return "there are no ring_loads, more than UPROBE_LOADS, or no ring handler";
	for (i = 0; i < u->nr_ring_loads; i++) {
		if (!load_valid(&u->ring_loads[i]))
			return "a load has an invalid register, size or number of steps";
		strings += u->ring_loads[i].string ? u->ring_loads[i].size : 0;
	}
	return strings > PAD_STRING_WORDS * sizeof(u64) ?
	       "strings in ring_loads are more than 64 bytes together" : NULL;
}

static bool number_valid(const struct uprobe *u, const struct uprobe_number *n)
{
	bool known = n->word ? n->reg < PAD_WORDS : arch_reg_number(n->reg) >= 0;

	if (n->load)
		known = n->load <= u->nr_ring_loads && !n->word && !n->reg &&
			!u->ring_loads[n->load - 1].string &&
			u->ring_loads[n->load - 1].size == n->size;
	return known && (n->size == 1 || n->size == 2 || n->size == 4 || n->size == 8);
}

static bool histogram_valid(const struct uprobe *u)
{
	const struct uprobe_histogram *h = u->histogram;

	return number_valid(u, &h->value) && (!h->keys || number_valid(u, &h->keys->number));
}

static const char *sink_complaint(const struct uprobe *u)
{
	const struct uprobe_sink *sink = u->sink;

	if (!sink)
		return u->sink_id ? "sink_id is for a probe with a sink" : NULL;
	if (!u->ring_handler)
		return "a sink is for a probe with a ring handler";
	return sink->takes && sink->begin && sink->end ? NULL : "the sink lacks a function";
}

static const char *timer_complaint(const struct uprobe *u)
{
	const struct uprobe *entry = u->timer ? u->timer->entry : NULL;

	if (!u->timer)
		return u->timer_below ? "timer_below is for a probe with a timer" : NULL;
	if (!u->ring_handler || u->histogram)
		return "a timer is for a probe with a ring handler and without a histogram";
	if (!entry || entry->timer != u->timer || entry->timer_below)
		return "the timer does not name the probe on the entry, or that one differs";
	return in_file(u) != in_file(entry) ? "entry and return are not in the same file" : NULL;
}

/**
 * fields_complaint() - describe the error in the fields that a client has filled in
 * @u: the client's structure
 * @type: its kind
 *
 * Context: any.
 * Return: a clause, or NULL.
 */
const char *fields_complaint(const struct uprobe *u, enum consumer_type type)
{
	const struct uretprobe *rp = container_of(u, struct uretprobe, u);

	if (u->flags & UPROBE_COUNT && type == CONSUMER_RETURN)
		return "a return probe cannot only count";
	if (u->flags & UPROBE_COUNT && (u->handler || u->task_handler))
		return "a probe that only counts has no handlers";
	if (u->ring_handler && (type == CONSUMER_RETURN || !(u->flags & UPROBE_ATOMIC) ||
				u->flags & UPROBE_COUNT))
		return "a ring handler is for an entry probe whose handler is atomic";
	if (u->ring_words && !u->ring_handler)
		return "ring_words is for a probe with a ring handler";
	if (ring_reads_unknown(u))
		return "ring_reads has a register that rings do not have, or no ring handler";
	if (loads_complaint(u))
		return loads_complaint(u);
	if (sink_complaint(u))
		return sink_complaint(u);
	if (u->histogram && !u->ring_handler)
		return "a histogram is for a probe with a ring handler";
	if (u->histogram && !histogram_valid(u))
		return "the histogram's value or key is no register, no word, and no load";
	if (timer_complaint(u))
		return timer_complaint(u);
	if (type == CONSUMER_RETURN ? !rp->handler : !u->handler && !(u->flags & UPROBE_COUNT))
		return "it has no handler";
	if (type == CONSUMER_RETURN && rp->data_size > URETPROBE_DATA_MAX)
		return "data_size is above URETPROBE_DATA_MAX";
	if (u->flags & ~(UPROBE_ATOMIC | UPROBE_DISABLED | UPROBE_INHERIT | UPROBE_COUNT))
		return "flags has bits that mean nothing";
	if (u->filter && !in_file(u))
		return "a filter is for probes on a file";
	if (filter_complaint(u->conditions, u->nr_conditions))
		return filter_complaint(u->conditions, u->nr_conditions);
	return target_complaint(u);
}
