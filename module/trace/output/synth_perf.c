// SPDX-License-Identifier: GPL-2.0
/*
 * Synthetic events for perf and BPF.
 *
 * The kernel's synthetic events know tracefs only: perf_event_open() finds
 * that they have no probe for perf, and fails with ENODEV.  A hook at
 * trace_event_class::reg takes perf's registrations, and hits are handed to
 * perf directly, laid out as the event's format file has it.
 *
 * The kernel calls the hook under its event mutex.  Whoever is in it when it
 * is taken away has left when the event has been deleted, or that was refused,
 * because that takes the mutex.  Perf holds the module as long as it uses an
 * event; one that is published no more meanwhile keeps its hook for so long.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "callchain.h"
#include "synth.h"
#include "synth_perf.h"

/**
 * struct tracer_perf - a hook
 * @node: in hooks
 * @call: the synthetic event
 * @reg: what it replaces
 * @used: perf or BPF want its hits
 * @orphan: the event is published no more; the hook goes with its last user
 */
struct tracer_perf {
	struct list_head node;
	struct trace_event_call *call;
	int (*reg)(struct trace_event_call *call, enum trace_reg type,
		   void *data);
	bool used;
	bool orphan;
};

static DEFINE_MUTEX(hooks_lock);
static LIST_HEAD(hooks);

static struct tracer_perf *find_hook(const struct trace_event_call *call)
{
	struct tracer_perf *hook;

	lockdep_assert_held(&hooks_lock);

	list_for_each_entry(hook, &hooks, node) {
		if (hook->call == call)
			return hook;
	}
	return NULL;
}

static void remove_hook(struct tracer_perf *hook)
{
	lockdep_assert_held(&hooks_lock);

	WRITE_ONCE(hook->call->class->reg, hook->reg);
	list_del(&hook->node);
	kfree(hook);
}

static void hook_end(struct tracer_perf *hook)
{
	WRITE_ONCE(hook->used, false);
	/* Perf frees its lists when no hit looks at them any more. */
	synchronize_rcu();
	tracer_callchain_put();
	if (hook->orphan)
		remove_hook(hook);
	module_put(THIS_MODULE);
}

/*
 * Context: under the kernel's event mutex to register and unregister; to begin
 * and end with a task (add, del) with interrupts off, in the scheduler.
 */
static int hook_reg(struct trace_event_call *call, enum trace_reg type,
		    void *data)
{
	struct tracer_perf *hook;
	int (*reg)(struct trace_event_call *call, enum trace_reg type,
		   void *data);
	int ret = 0;

	/* Perf does what there is to do; the kernel's own events say so, too. */
	if (type != TRACE_REG_REGISTER && type != TRACE_REG_UNREGISTER &&
	    type != TRACE_REG_PERF_REGISTER && type != TRACE_REG_PERF_UNREGISTER)
		return 0;

	mutex_lock(&hooks_lock);
	hook = find_hook(call);
	/* It has been taken away while this was on its way here. */
	reg = hook ? hook->reg : READ_ONCE(call->class->reg);
	if (hook && type == TRACE_REG_PERF_REGISTER) {
		if (hook->orphan || !try_module_get(THIS_MODULE)) {
			ret = -ENODEV;
		} else {
			tracer_callchain_get();
			/* Pairs with tracer_perf_wanted(). */
			smp_store_release(&hook->used, true);
		}
		reg = NULL;
	} else if (hook && type == TRACE_REG_PERF_UNREGISTER) {
		hook_end(hook);
		reg = NULL;
	}
	mutex_unlock(&hooks_lock);
	return reg ? reg(call, type, data) : ret;
}

/**
 * tracer_perf_hook() - let perf have the hits of a synthetic event
 * @call: the event, just made
 *
 * Return: the hook, or NULL for want of memory.
 */
struct tracer_perf *tracer_perf_hook(struct trace_event_call *call)
{
	struct tracer_perf *hook = kzalloc(sizeof(*hook), GFP_KERNEL);

	if (!hook)
		return NULL;
	hook->call = call;
	hook->reg = call->class->reg;
	mutex_lock(&hooks_lock);
	list_add_tail(&hook->node, &hooks);
	WRITE_ONCE(call->class->reg, hook_reg);
	mutex_unlock(&hooks_lock);
	return hook;
}

/**
 * tracer_perf_unhook() - no hit of the event comes any more
 * @hook: the hook, which goes, at the latest with its last user
 *
 * To be followed by the deletion of the event.
 */
void tracer_perf_unhook(struct tracer_perf *hook)
{
	mutex_lock(&hooks_lock);
	if (hook->used)
		hook->orphan = true;
	else
		remove_hook(hook);
	mutex_unlock(&hooks_lock);
}

/**
 * tracer_perf_exit() - wait until nobody is in a hook any more
 *
 * Context: module exit.
 */
void tracer_perf_exit(void)
{
	/* There is no such event; looking for it takes the event mutex. Is never made to fail. */
	(trace_get_event_file)(NULL, "uprobes_ko", "");
}

/**
 * tracer_perf_wanted() - whether perf or BPF want the hits
 * @hook: the hook
 *
 * Context: under RCU.
 */
bool tracer_perf_wanted(const struct tracer_perf *hook)
{
	/* Pairs with hook_reg(): perf's lists are there. */
	return smp_load_acquire(&hook->used);
}

/* The strings' bytes of a record that has @n fields; too long ones are cut. */
static size_t measure_strings(const u64 *values, unsigned int n,
			      const unsigned long *strings, u16 *lens)
{
	size_t room = PERF_MAX_TRACE_SIZE - sizeof(u32) - sizeof(u64) -
		      TRACER_SYNTH_FIELDS_AT - n * sizeof(u64);
	size_t used = 0;
	unsigned int i;

	for_each_set_bit(i, strings, n) {
		lens[i] = min(strlen((const char *)(unsigned long)values[i]) + 1,
			      room - used);
		used += lens[i];
	}
	return used;
}

/**
 * tracer_perf_trace() - hand a hit to perf and BPF
 * @hook: the hook, which is wanted
 * @def: the definition that was hit
 * @values: the fields, of strings their addresses
 * @n: number of fields
 * @strings: which are strings
 * @regs: the task's registers
 *
 * Context: of the probe handler, under RCU.
 */
void tracer_perf_trace(const struct tracer_perf *hook, const struct tracer_def *def,
		       const u64 *values, unsigned int n, const unsigned long *strings,
		       const struct pt_regs *regs)
{
	const struct tracer_told told = { .regs = regs, .entry = def->kind == TRACER_PROBE };
	struct trace_event_call *call = hook->call;
	u16 lens[TRACER_SYNTH_FIELDS];
	struct hlist_head *head;
	size_t size, at;
	unsigned int i;
	u8 *record;
	u32 loc;
	int rctx;

	preempt_disable_notrace();
	head = this_cpu_ptr(call->perf_events);
	if (!bpf_prog_array_valid(call) && hlist_empty(head))
		goto enable;
	at = TRACER_SYNTH_FIELDS_AT + n * sizeof(u64);
	size = at + measure_strings(values, n, strings, lens);
	/* Perf puts a u32 in front and wants both together aligned. */
	size = ALIGN(size + sizeof(u32), sizeof(u64)) - sizeof(u32);
	record = perf_trace_buf_alloc(size, NULL, &rctx);
	if (!record)
		goto enable;
	memset(record, 0, TRACER_SYNTH_FIELDS_AT);
	memcpy(record + TRACER_SYNTH_FIELDS_AT, values, n * sizeof(u64));
	for_each_set_bit(i, strings, n) {
		if (lens[i]) {
			memcpy(record + at,
			       (const char *)(unsigned long)values[i], lens[i]);
			record[at + lens[i] - 1] = '\0';
		}
		loc = lens[i] << 16 | at;
		memset(record + TRACER_SYNTH_FIELDS_AT + i * sizeof(u64), 0,
		       sizeof(u64));
		memcpy(record + TRACER_SYNTH_FIELDS_AT + i * sizeof(u64),
		       &loc, sizeof(loc));
		at += lens[i];
	}
	tracer_telling(&told);
	perf_trace_run_bpf_submit(record, size, rctx, call, 1,
				  (struct pt_regs *)regs, head, NULL);
	tracer_telling(NULL);
enable:
	preempt_enable_notrace();
}
