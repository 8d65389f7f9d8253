// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that come from rings in blocks: a block is stored as it is, and becomes records when it is
 * read.
 *
 * What is decided for each hit needs the ring handler: filters, limits of the rate, arguments that
 * are neither registers nor integers or strings in memory.  What is the same for all hits of a
 * thread is decided for the block.
 */
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "blocks.h"
#include "event_types.h"
#include "pids.h"
#include "site_args.h"
#include "tasks.h"
#include "trace/fetch/fetch.h"
#include "trace/output/listen.h"

/* Check whether two arguments with the same type are the same part of the same values. */
static bool has_same_value(const struct tracer_arg *arg, const struct tracer_arg *other)
{
	if (arg->store != other->store || arg->value != other->value ||
	    arg->lshift != other->lshift || arg->rshift != other->rshift)
		return false;
	return tracer_arg_in_memory(arg) || arg->insns->offset == other->insns->offset;
}

/*
 * Check whether the values of a site are those of the definition that describes its event.  Their
 * types are the same.
 */
static bool has_same_values(const struct tracer_def *def, const struct tracer_def *of_event)
{
	unsigned int i;

	if (!def->blocks || !of_event->blocks || def->nargs != of_event->nargs ||
	    def->nvalues != of_event->nvalues)
		return false;
	for (i = 0; i < def->nargs; i++) {
		if (!has_same_value(&def->args[i], &of_event->args[i]))
			return false;
	}
	return true;
}

/**
 * tracer_blocks_allow() - have the hits of a site come in blocks, if that is possible
 * @site: the site, which has got its event's format; not registered
 *
 * All sites name the sink, so that their hits keep their order.
 */
void tracer_blocks_allow(struct tracer_site *site)
{
	struct uprobe *u = &site->rp.u;

	if (!u->ring_handler)
		return;
	u->sink = &site->tracer->sink;
	u->sink_id = site->format->id;
	site->blocks = has_same_values(site->def, site->format->def);
}

/* Check whether nothing has to be decided for each hit of a probe. */
static bool takes(struct uprobe_sink *sink, struct uprobe *u)
{
	const struct tracer_site *site = container_of(u, struct tracer_site, rp.u);
	const struct tracer_event *event = site->event;

	if (!site->blocks || rcu_access_pointer(event->filter) || READ_ONCE(event->rate.limit) ||
	    rcu_access_pointer(event->synth) || tracer_listened())
		return false;
	if (!READ_ONCE(site->format->recorded))
		WRITE_ONCE(site->format->recorded, true);
	return true;
}

/* Reserve a block, unless its hits are dropped: then, handlers count them. */
static struct uprobe_block *begin(struct uprobe_sink *sink, size_t size)
{
	struct tracer *t = container_of(sink, struct tracer, sink);
	struct pid_namespace *ns = t->ns;
	struct tracer_block *block;

	if (tracer_tasks_drops(&t->tasks) || !tracer_pids_pass(t->pids, current) ||
	    !tracer_buffer_is_on(&t->buffer))
		return NULL;
	block = tracer_buffer_reserve_block(&t->buffer, size);
	if (!block)
		return NULL;
	/* As in records.  All fields are set, the hits by the other module: none is cleared. */
	memcpy(block->comm, current->comm, sizeof(block->comm));
	block->comm[sizeof(block->comm) - 1] = '\0';
	block->tgid = likely(!ns) ? task_tgid_nr(current) : task_tgid_nr_ns(current, ns);
	block->unused = 0;
	block->form = TRACER_FORM_BLOCK;
	block->pid = likely(!ns) ? task_pid_nr(current) : task_pid_nr_ns(current, ns);
	return &block->hits;
}

static void end(struct uprobe_sink *sink, struct uprobe_block *hits)
{
	struct tracer *t = container_of(sink, struct tracer, sink);

	tracer_buffer_commit_block(&t->buffer, container_of(hits, struct tracer_block, hits));
}

/* Prepare a tracer to get blocks. */
void tracer_blocks_init(struct tracer *t)
{
	t->sink = (struct uprobe_sink) { .takes = takes, .begin = begin, .end = end };
}

/* The largest number of values that a hit has: all registers, and bytes in memory. */
#define BLOCK_WORDS	64

/**
 * tracer_block_expand() - store the arguments of a record as those of other records
 * @def: the first definition of its event
 * @record: the record, %TRACER_FORM_VALUES, in memory of %TRACER_READ_MAX bytes
 * @len: its length
 *
 * Return: its new length.
 */
size_t tracer_block_expand(const struct tracer_def *def, struct tracer_record *record, size_t len)
{
	unsigned int nr = (len - sizeof(*record)) / sizeof(u64);
	struct uprobe_load loads[UPROBE_LOADS];
	struct tracer_fetch f = { .ring = true };
	u64 values[BLOCK_WORDS] = {};
	struct uprobe reads = {};
	struct pt_regs regs = {};

	nr = min_t(unsigned int, nr, ARRAY_SIZE(values));
	memcpy(values, (u8 *)record + sizeof(*record), nr * sizeof(u64));
	tracer_args_in_ring(def, &reads, loads);
	uprobe_block_regs(&regs, reads.ring_reads, values, nr);
	f.regs = &regs;
	f.ip = record->entry.ip;
	instruction_pointer_set(&regs, f.ip);
	f.values = values;
	f.entry = (u8 *)record + offsetof(struct tracer_record, entry);
	f.used = tracer_strings_offset(def);
	f.size = TRACER_RECORD_MAX - offsetof(struct tracer_record, entry);
	memset(f.entry + tracer_args_offset(def), 0, f.used - tracer_args_offset(def));
	tracer_fetch_args(&f, def);
	record->form = TRACER_FORM_NOW;
	return offsetof(struct tracer_record, entry) + f.used;
}
