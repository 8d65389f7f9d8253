// SPDX-License-Identifier: GPL-2.0
/*
 * The probe handlers: a hit becomes a record.
 */
#include <linux/irqflags.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "hit.h"
#include "pids.h"
#include "event_types.h"
#include "tasks.h"
#include "trace/fetch/fetch.h"
#include "trace/fetch/stack.h"
#include "trace/lib/words.h"
#include "trace/output/listen.h"
#include "trace/output/synth.h"
#include "trace/parse/match.h"

#define STACK_RECORD	512	/* maximum size of a record on the kernel stack, in bytes */

/**
 * struct hit - a hit
 * @site: its site
 * @regs: the task's registers
 * @ip: address of the probed instruction
 * @ret_ip: for a return, the return address; otherwise 0
 * @flags: state of the CPU at the hit, TRACER_IRQS_OFF and so on
 * @preempt_count: depth of disabled preemption at the hit
 * @stack: the user stack is recorded, too
 * @trap: the handler runs in the trap, not in task context
 * @ring: the hit comes from a ring: @regs has only the registers that the definition names
 */
struct hit {
	struct tracer_site *site;
	const struct pt_regs *regs;
	unsigned long ip;
	u64 ret_ip;
	u8 flags;
	u8 preempt_count;
	bool stack;
	bool trap;
	bool ring;
};

/* Get the largest number of addresses of a stack. */
static unsigned int stack_max(const struct hit *hit)
{
	return hit->site->tracer->live ? TRACER_STACK_MAX : TRACER_STACK_USUAL;
}

/* Append the user stack to an entry. */
static noinline void fill_stack(const struct hit *hit, struct tracer_record *record,
				struct tracer_fetch *fetch)
{
	enum tracer_at at = hit->ret_ip ? TRACER_AT_ANY :
			    hit->site->def->stack ?: TRACER_AT_PROBE;
	u64 stack[TRACER_STACK_MAX];

	record->nstack = tracer_user_stack(hit->regs, at, hit->regs->sp, stack,
					   stack_max(hit));
	memcpy(fetch->entry + fetch->used, stack, record->nstack * sizeof(stack[0]));
	fetch->used += record->nstack * sizeof(stack[0]);
}

/* Fill in the fields that all records have. */
static __always_inline void fill_head(const struct hit *hit, struct tracer_record *record,
				      u8 *bytes)
{
	struct tracer_entry *entry = (struct tracer_entry *)bytes;
	struct pid_namespace *ns;

	/*
	 * The kernel pads the name.
	 * If the name changes during the copy, the copy may mix both names.
	 */
	memcpy(record->comm, current->comm, sizeof(record->comm));
	record->comm[sizeof(record->comm) - 1] = '\0';
	ns = hit->site->tracer->ns;
	record->tgid = likely(!ns) ? task_tgid_nr(current) : task_tgid_nr_ns(current, ns);
	record->nstack = 0;
	record->form = TRACER_FORM_NOW;
	entry->type = hit->site->format->id;
	entry->flags = hit->flags;
	entry->preempt_count = hit->preempt_count;
	entry->pid = likely(!ns) ? task_pid_nr(current) : task_pid_nr_ns(current, ns);
	entry->ip = hit->ip;
	if (hit->site->args_at > sizeof(*entry))
		memcpy(bytes + sizeof(*entry), &hit->ret_ip, sizeof(hit->ret_ip));
}

/* Get the maximum size of a record. */
static size_t max_size(const struct hit *hit)
{
	return hit->site->size +
	       (hit->stack ? stack_max(hit) * sizeof(u64) : 0) + (hit->ring ? sizeof(u64) : 0);
}

/* Do what fill() does, for arguments of any kind. */
static noinline size_t fill_any(const struct hit *hit, struct tracer_record *record,
				size_t size)
{
	const struct tracer_site *site = hit->site;
	u8 *bytes = (u8 *)record + offsetof(struct tracer_record, entry);
	struct tracer_fetch fetch = {
		.regs = hit->regs,
		.ip = hit->ip,
		.entry = bytes,
		.used = site->fixed,
		.size = size - offsetof(struct tracer_record, entry) -
			(max_size(hit) - hit->site->size),
		.trap = hit->trap,
		.ring = hit->ring,
	};

	fill_head(hit, record, bytes);
	tracer_clear(bytes + site->args_at, site->fixed - site->args_at);
	if (!tracer_fetch_args(&fetch, site->def))
		return 0;
	if (unlikely(hit->stack))
		fill_stack(hit, record, &fetch);
	return offsetof(struct tracer_record, entry) + fetch.used;
}

/*
 * Fill in a record of at most @size bytes.  Return its length, or 0 if that needs task context.
 */
static __always_inline size_t fill(const struct hit *hit, struct tracer_record *record,
				   size_t size)
{
	const struct tracer_site *site = hit->site;
	/* Use byte pointers: a record is longer than its structure. */
	u8 *bytes = (u8 *)record + offsetof(struct tracer_record, entry);

	if (unlikely(!site->registers || hit->stack))
		return fill_any(hit, record, size);
	fill_head(hit, record, bytes);
	tracer_store_registers(site->def, hit->regs, bytes + site->args_at, bytes + site->fixed);
	return offsetof(struct tracer_record, entry) + site->fixed;
}

/* Append the time of a hit that comes from a ring.  Return the new length. */
static size_t add_time(struct tracer_record *record, size_t len)
{
	u64 time = uprobe_ring_time();

	record->form = TRACER_FORM_LATE;
	memcpy((u8 *)record + len, &time, sizeof(time));
	return len + sizeof(time);
}

/* Match the filter with the ids of the pid namespace in which it was written. */
static noinline bool match_in_ns(const struct tracer_filter *filter,
				 struct tracer_record *record, size_t len)
{
	s32 pid = record->entry.pid, tgid = record->tgid;
	bool matches;

	record->entry.pid = task_pid_nr_ns(current, filter->ns);
	record->tgid = task_tgid_nr_ns(current, filter->ns);
	matches = tracer_filter_match(filter, record, len, raw_smp_processor_id());
	record->entry.pid = pid;
	record->tgid = tgid;
	return matches;
}

static bool match(const struct tracer_filter *filter, struct tracer_record *record, size_t len)
{
	if (!filter)
		return true;
	if (unlikely(filter->ns))
		return match_in_ns(filter, record, len);
	return tracer_filter_match(filter, record, len, raw_smp_processor_id());
}

/* Apply the filter.  Nothing of the record is in the buffer yet. */
static bool pass(const struct hit *hit, struct tracer_record *record, size_t len)
{
	bool passes;

	/* The trap is an RCU read side, and so is the emptying of a ring. */
	if (hit->trap)
		return match(rcu_dereference_check(hit->site->event->filter, irqs_disabled()),
			     record, len);
	rcu_read_lock();
	passes = match(rcu_dereference(hit->site->event->filter), record, len);
	rcu_read_unlock();
	return passes;
}

/* Apply the rate limit.  A hit above the limit is missed. */
static __always_inline bool within_rate(const struct hit *hit, struct tracer_buffer *b)
{
	if (likely(!READ_ONCE(hit->site->event->rate.limit)) ||
	    tracer_rate_pass(&hit->site->event->rate))
		return true;
	atomic64_inc(&hit->site->missed);
	tracer_buffer_skip(b);
	return false;
}

/* Publish a hit as a synthetic event.  Call this last: it may change the record. */
static void publish(const struct hit *hit, struct tracer_record *record,
		    size_t len)
{
	const struct tracer_synth *synth;

	if (likely(!rcu_access_pointer(hit->site->event->synth)))
		return;
	rcu_read_lock();
	synth = rcu_dereference(hit->site->event->synth);
	if (synth && !tracer_synth_trace(synth, hit->site->def, record, len, hit->regs))
		atomic64_inc(&hit->site->missed);
	rcu_read_unlock();
}

/* Check whether the hit has receivers other than the buffer. */
static bool is_reported(const struct hit *hit)
{
	return tracer_listened() ||
	       rcu_access_pointer(hit->site->event->synth);
}

static void keep(const struct hit *hit, struct tracer_buffer *b, void *record,
		 size_t size)
{
	size_t len = fill(hit, record, size);

	if (!len) {
		uprobe_again();
		return;
	}
	if (!pass(hit, record, len)) {
		tracer_buffer_drop(b, TRACER_DROP_FILTER, 1);
		return;
	}
	if (!within_rate(hit, b))
		return;
	if (unlikely(hit->ring))
		len = add_time(record, len);
	if (tracer_buffer_is_on(b))
		tracer_buffer_write(b, record, len);
	/* A hit in a ring was before anybody listened, and may interrupt a report. */
	if (tracer_listened() && !hit->ring)
		tracer_report(hit->site->def, record, len, hit->ret_ip, hit->regs);
	publish(hit, record, len);
}

/*
 * Fast path for events of a fixed size, without a filter and without a stack: build the record in
 * the ring buffer.
 */
static void record_in_place(const struct hit *hit, struct tracer_buffer *b)
{
	struct ring_buffer_event *event;
	void *record;
	size_t size = max_size(hit);

	if (!within_rate(hit, b))
		return;
	record = tracer_buffer_reserve(b, size, &event);
	if (!record)
		return;
	fill(hit, record, size);
	/* The time is at the end, and strings may be shorter than their room. */
	if (hit->ring)
		add_time(record, size - sizeof(u64));
	tracer_buffer_commit(b, event);
}

/* Build the record outside of the ring buffer: fetching may sleep, or a filter may drop it. */
static noinline void record_on_stack(const struct hit *hit, struct tracer_buffer *b)
{
	u64 record[STACK_RECORD / sizeof(u64)];

	keep(hit, b, record, sizeof(record));
}

/* Interrupts are off, so no other hit on this CPU uses the memory. */
static void record_in_trap(const struct hit *hit, struct tracer_buffer *b)
{
	keep(hit, b, this_cpu_ptr(b->cpu)->trap,
	     min_t(size_t, max_size(hit), TRACER_TRAP_SIZE));
}

static void record_in_scratch(const struct hit *hit, struct tracer_buffer *b)
{
	size_t size = max_size(hit);
	void *record = tracer_scratch_get(b, size);

	if (!record) {
		atomic64_inc(&hit->site->missed);
		tracer_buffer_skip(b);
		return;
	}
	keep(hit, b, record, size);
	tracer_scratch_put(b, record, size);
}

/* Find a reason to drop the hit that does not depend on its record. */
static __always_inline enum tracer_drop drops(const struct hit *hit, const struct tracer *t)
{
	enum tracer_drop why = tracer_tasks_drops(&t->tasks);

	if (why)
		return why;
	if (!tracer_pids_pass(t->pids, current))
		return TRACER_DROP_LISTS;
	return !tracer_buffer_is_on(&t->buffer) && !is_reported(hit) ? TRACER_DROP_OFF :
								   TRACER_DROP_NOT;
}

static void record(struct hit *hit)
{
	struct tracer_format *format = hit->site->format;
	struct tracer *t = hit->site->tracer;
	struct tracer_buffer *b = &t->buffer;
	enum tracer_drop why;

	why = drops(hit, t);
	if (unlikely(why)) {
		tracer_buffer_drop(b, why, 1);
		return;
	}
	if (!READ_ONCE(format->recorded))
		WRITE_ONCE(format->recorded, true);

	/* A hit that comes from a ring has the flags that its trap would have had. */
	hit->flags = (irqs_disabled() ? TRACER_IRQS_OFF : 0) |
		     (!hit->ring && need_resched() ? TRACER_NEED_RESCHED : 0);
	hit->preempt_count = hit->ring ? 0 : preempt_count() & 0xf;
	hit->stack = !hit->ring && tracer_option(t, TRACER_OPT_USERSTACKTRACE);

	if (hit->site->in_place && !hit->stack && !is_reported(hit) &&
	    !rcu_access_pointer(hit->site->event->filter))
		record_in_place(hit, b);
	else if (hit->trap)
		record_in_trap(hit, b);
	else if (max_size(hit) <= STACK_RECORD)
		record_on_stack(hit, b);
	else
		record_in_scratch(hit, b);
}

static void hit_entry(struct uprobe *u, struct pt_regs *regs, bool trap)
{
	struct hit hit = {
		.site = container_of(u, struct tracer_site, rp.u),
		.regs = regs,
		.ip = instruction_pointer(regs),
		.trap = trap,
	};

	record(&hit);
}

static void hit_return(struct uretprobe_instance *ri, struct pt_regs *regs,
		       bool trap)
{
	struct hit hit = {
		.site = container_of(ri->rp, struct tracer_site, rp),
		.regs = regs,
		.ip = ri->func,
		.ret_ip = instruction_pointer(regs),
		.trap = trap,
	};

	record(&hit);
}

/**
 * tracer_hit_entry() - handle a hit of a p event
 * @u: the probe, part of a struct tracer_site
 * @regs: the task's registers
 *
 * Context: the trap.
 */
void tracer_hit_entry(struct uprobe *u, struct pt_regs *regs)
{
	hit_entry(u, regs, true);
}

/**
 * tracer_hit_entry_task() - handle a hit of a p event, where pages can be faulted in
 * @u: the probe, part of a struct tracer_site
 * @regs: the task's registers
 *
 * Context: task.
 */
void tracer_hit_entry_task(struct uprobe *u, struct pt_regs *regs)
{
	hit_entry(u, regs, false);
}

/**
 * tracer_hit_ring() - handle a hit of a p event that comes from a ring
 * @u: the probe, part of a struct tracer_site
 * @regs: the registers that the definition names, and the ip
 *
 * Context: as for uprobe::ring_handler.
 */
void tracer_hit_ring(struct uprobe *u, struct pt_regs *regs)
{
	struct hit hit = {
		.site = container_of(u, struct tracer_site, rp.u),
		.regs = regs,
		.ip = instruction_pointer(regs),
		.trap = true,
		.ring = true,
	};

	record(&hit);
}

/**
 * tracer_hit_return() - handle a hit of an r event
 * @ri: the call that has returned
 * @regs: the task's registers
 *
 * Context: the trap.
 */
void tracer_hit_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	hit_return(ri, regs, true);
}

/**
 * tracer_hit_return_task() - handle a hit of an r event, where pages can be faulted in
 * @ri: the call that has returned
 * @regs: the task's registers
 *
 * Context: task.
 */
void tracer_hit_return_task(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	hit_return(ri, regs, false);
}
