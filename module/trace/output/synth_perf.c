// SPDX-License-Identifier: GPL-2.0
/*
 * Synthetic events for perf and BPF.
 *
 * The kernel's synthetic events support only tracefs.  They have no probe for perf, so
 * perf_event_open() fails with ENODEV.  A hook at trace_event_class::reg accepts the
 * registrations of perf.  Hits go to perf directly, in the layout of the event's format
 * file.
 *
 * The kernel calls the hook under its event mutex.  The deletion of the event takes the
 * same mutex.  So when the deletion returns, with or without success, no thread is in the
 * removed hook.
 *
 * Event probes of tracefs ("e:", since 5.15) on one event of this module would need no hook,
 * but cannot replace it.  Filters, histograms, names, and strings (copied by the module) would
 * work, and their kernel code only accepts the registrations of perf: eprobe_register() returns
 * 0, and hits go to the buffer of tracefs alone.  So perf record, BPF programs and perf's
 * callchains would have no hits.  Nor does an event probe report that a buffer was full, so
 * these hits would not be counted as misses.
 *
 * While perf uses an event, it holds a reference to the module.  If the event stops being
 * published in that time, its hook stays until perf closes the event.
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
#include "synth_perf.h"
#include "trace/parse/def.h"

/**
 * struct tracer_perf - a hook
 * @node: in hooks
 * @call: the synthetic event
 * @reg: the function that the hook replaces
 * @used: perf or BPF want the hits of the event
 * @orphan: the event is not published any more; the hook is removed with its last user
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
	/* Perf frees its lists after this: wait until no hit reads them any more. */
	synchronize_rcu();
	tracer_callchain_put();
	if (hook->orphan)
		remove_hook(hook);
	module_put(THIS_MODULE);
}

/*
 * Replace trace_event_class::reg.
 *
 * Context: to register and unregister, under the kernel's event mutex.  To add an event to
 * a task and to delete it (add, del), in the scheduler with interrupts off.
 */
static int hook_reg(struct trace_event_call *call, enum trace_reg type,
		    void *data)
{
	struct tracer_perf *hook;
	int (*reg)(struct trace_event_call *call, enum trace_reg type,
		   void *data);
	int ret = 0;

	/* Perf itself does the work of the other types; the kernel's own events return 0, too. */
	if (type != TRACE_REG_REGISTER && type != TRACE_REG_UNREGISTER &&
	    type != TRACE_REG_PERF_REGISTER && type != TRACE_REG_PERF_UNREGISTER)
		return 0;

	mutex_lock(&hooks_lock);
	hook = find_hook(call);
	/* If the hook was removed just before, call the original function. */
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
 * tracer_perf_hook() - give perf access to the hits of a synthetic event
 * @call: the event, just created
 *
 * Return: the hook, or NULL if there is no memory.
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
 * tracer_perf_unhook() - remove the hook of an event that has no more hits
 * @hook: the hook; if perf uses the event, it is removed with its last user
 *
 * The caller must delete the event next.
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
 * tracer_perf_exit() - wait until no thread is in a hook any more
 *
 * Context: module exit.
 */
void tracer_perf_exit(void)
{
	/*
	 * The event does not exist, but the search for it takes the event mutex.  With the
	 * parentheses, tests cannot make this call fail.
	 */
	(trace_get_event_file)(NULL, "uprobes_ko", "");
}

/**
 * tracer_perf_wanted() - check whether perf or BPF want the hits of an event
 * @hook: the hook
 *
 * Context: under RCU.
 */
bool tracer_perf_wanted(const struct tracer_perf *hook)
{
	/* Pairs with hook_reg(): if @hook->used is set, perf's lists exist. */
	return smp_load_acquire(&hook->used);
}

/* Measure the strings of a record with @n fields.  Strings that are too long are cut. */
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
 * tracer_perf_trace() - pass a hit to perf and BPF
 * @hook: the hook; tracer_perf_wanted() is true
 * @def: the definition that was hit
 * @values: the fields; for a string, its address
 * @n: number of fields
 * @strings: a bit per field: set if the field is a string
 * @regs: the task's registers
 *
 * Context: of the probe handler, under RCU.
 */
void tracer_perf_trace(const struct tracer_perf *hook, const struct tracer_def *def,
		       const u64 *values, unsigned int n, const unsigned long *strings,
		       const struct pt_regs *regs)
{
	const struct tracer_reported reported = {
		.regs = regs, .entry = def->kind == TRACER_PROBE
	};
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
	/* Perf puts a u32 before the record; both together must be aligned. */
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
	tracer_reporting(&reported);
	perf_trace_run_bpf_submit(record, size, rctx, call, 1,
				  (struct pt_regs *)regs, head, NULL);
	tracer_reporting(NULL);
enable:
	preempt_enable_notrace();
}
