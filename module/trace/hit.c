// SPDX-License-Identifier: GPL-2.0
/*
 * The probe handlers: a hit becomes a record.
 */
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "fetch.h"
#include "trace.h"

#define STACK_RECORD	512	/* bytes of a record that the stack can bear */

/**
 * struct hit - a hit
 * @site: where
 * @regs: the task's registers
 * @ip: address of the probed instruction
 * @ret_ip: of a return, where to
 * @flags: state of the CPU at the hit, TRACER_IRQS_OFF and so on
 * @preempt_count: depth of disabled preemption at the hit
 */
struct hit {
	struct tracer_site *site;
	const struct pt_regs *regs;
	unsigned long ip;
	u64 ret_ip;
	u8 flags;
	u8 preempt_count;
};

/* Fill in a record of at most site->size bytes.  Return: its length. */
static size_t fill(const struct hit *hit, struct tracer_record *record)
{
	const struct tracer_def *def = hit->site->def;
	/* By bytes: a record goes on behind its structure. */
	u8 *bytes = (u8 *)record + offsetof(struct tracer_record, entry);
	struct tracer_entry *entry = (struct tracer_entry *)bytes;
	struct tracer_fetch fetch = {
		.regs = hit->regs,
		.ip = hit->ip,
		.entry = bytes,
		.used = tracer_strings_offset(def),
		.size = hit->site->size - offsetof(struct tracer_record, entry),
	};

	strscpy_pad(record->comm, current->comm, sizeof(record->comm));
	memset(bytes, 0, fetch.used);
	entry->type = hit->site->format->id;
	entry->flags = hit->flags;
	entry->preempt_count = hit->preempt_count;
	entry->pid = task_pid_nr(current);
	entry->ip = hit->ip;
	if (def->kind == TRACER_RETURN)
		memcpy(bytes + sizeof(*entry), &hit->ret_ip,
		       sizeof(hit->ret_ip));
	tracer_fetch_args(&fetch, def);
	return offsetof(struct tracer_record, entry) + fetch.used;
}

/* In the trap, or where a record is known to be short: no detour. */
static void record_in_place(const struct hit *hit, struct tracer_buffer *b)
{
	struct ring_buffer_event *event;
	void *record;

	record = tracer_buffer_reserve(b, hit->site->size, &event);
	if (!record)
		return;
	fill(hit, record);
	tracer_buffer_commit(b, event);
}

/* Fetching may sleep, so the record is put together elsewhere. */
static void record_on_stack(const struct hit *hit, struct tracer_buffer *b)
{
	u64 record[STACK_RECORD / sizeof(u64)];

	tracer_buffer_write(b, record, fill(hit, (void *)record));
}

static void record_in_scratch(const struct hit *hit, struct tracer_buffer *b)
{
	unsigned int size = hit->site->size;
	void *record = tracer_scratch_get(b, size);

	if (!record) {
		atomic64_inc(&hit->site->lost);
		return;
	}
	tracer_buffer_write(b, record, fill(hit, record));
	tracer_scratch_put(b, record, size);
}

static void record(struct hit *hit)
{
	struct tracer_format *format = hit->site->format;
	struct tracer_buffer *b = &hit->site->tracer->buffer;

	if (!tracer_buffer_is_on(b))
		return;
	if (!READ_ONCE(format->recorded))
		WRITE_ONCE(format->recorded, true);

	hit->flags = (irqs_disabled() ? TRACER_IRQS_OFF : 0) |
		     (need_resched() ? TRACER_NEED_RESCHED : 0);
	hit->preempt_count = preempt_count() & 0xf;

	if (hit->site->atomic)
		record_in_place(hit, b);
	else if (hit->site->size <= STACK_RECORD)
		record_on_stack(hit, b);
	else
		record_in_scratch(hit, b);
}

/**
 * tracer_hit_entry() - handler of the probes of a p event
 * @u: the probe, part of a struct tracer_site
 * @regs: the task's registers
 *
 * Context: the trap for a site that is atomic, else task context.
 */
void tracer_hit_entry(struct uprobe *u, struct pt_regs *regs)
{
	struct hit hit = {
		.site = container_of(u, struct tracer_site, rp.u),
		.regs = regs,
		.ip = instruction_pointer(regs),
	};

	record(&hit);
}

/**
 * tracer_hit_return() - handler of the probes of an r event
 * @ri: the call that has returned
 * @regs: the task's registers
 *
 * Context: as tracer_hit_entry().
 */
void tracer_hit_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct hit hit = {
		.site = container_of(ri->rp, struct tracer_site, rp),
		.regs = regs,
		.ip = ri->func,
		.ret_ip = instruction_pointer(regs),
	};

	record(&hit);
}
