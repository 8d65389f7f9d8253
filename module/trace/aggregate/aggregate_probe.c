// SPDX-License-Identifier: GPL-2.0
/*
 * One probe of a set: what a definition makes of it, and what its hits do.
 */
#include <linux/bits.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_clock.h>

#include "aggregate_probe.h"
#include "aggregate_types.h"
#include "calls.h"
#include "stacks.h"
#include "values.h"
#include "trace/event/process.h"
#include "trace/event/site.h"
#include "trace/event/tasks.h"

static struct aggregate_cell *cell_of(const struct aggregate_probe *probe)
{
	return &probe->batch->cells[smp_processor_id()][probe->index];
}

static bool counts(const struct aggregate_probe *probe)
{
	return !tracer_tasks_drops(&probe->batch->set->tasks);
}

/*
 * Count a hit of a selected task.  Called in the trap, or for a hit in a ring: interrupts are off,
 * so no other hit on this CPU interferes.
 */
static void on_entry(struct uprobe *u, struct pt_regs *regs)
{
	struct aggregate_probe *probe =
		container_of(u, struct aggregate_probe, rp.u);

	if (counts(probe))
		cell_of(probe)->hits++;
}

/* Likewise, by its stack. */
static void on_stacked(struct uprobe *u, struct pt_regs *regs)
{
	struct aggregate_probe *probe =
		container_of(u, struct aggregate_probe, rp.u);

	if (!counts(probe))
		return;
	cell_of(probe)->hits++;
	if (!aggregate_stack_count(probe->batch->set->stacks, probe, regs, probe->stack))
		cell_of(probe)->lost++;
}

static int on_call(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct aggregate_probe *probe =
		container_of(ri->rp, struct aggregate_probe, rp);

	if (!counts(probe))
		return 1;
	*(u64 *)ri->data = ktime_get_mono_fast_ns();
	return 0;
}

/* Count a call. */
static void add_call(struct aggregate_probe *probe, u64 began, u64 now)
{
	/* The clock of this CPU may be behind that of the CPU on which the call began. */
	uprobe_time_add(probe->timer, now > began ? now - began : 0);
}

static void on_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	add_call(container_of(ri->rp, struct aggregate_probe, rp), *(u64 *)ri->data,
		 ktime_get_mono_fast_ns());
}

/* Get the time of the hit, which may come from a ring. */
static u64 hit_time(void)
{
	return uprobe_ring_time() ?: trace_clock_local();
}

/* Handle the entry of a function with exits.  Interrupts are off. */
static void on_begin(struct uprobe *u, struct pt_regs *regs)
{
	struct aggregate_probe *probe =
		container_of(u, struct aggregate_probe, rp.u);

	if (counts(probe) &&
	    !aggregate_call_begin(probe->batch->set->calls, probe, regs->sp, hit_time()))
		cell_of(probe)->lost++;
}

/* Handle a return instruction.  Interrupts are off. */
static void on_end(struct uprobe *u, struct pt_regs *regs)
{
	struct aggregate_probe *probe = container_of(u, struct aggregate_exit, u)->function;
	u64 began, took;

	if (uprobe_call_time(&took))
		uprobe_time_add(probe->timer, took);
	else if (aggregate_call_end(probe->batch->set->calls, probe, regs->sp + u->timer_below,
				    &began))
		add_call(probe, began, hit_time());
}

/* Count a hit of a selected task by its value. */
static void on_value(struct uprobe *u, struct pt_regs *regs)
{
	struct aggregate_probe *probe =
		container_of(u, struct aggregate_probe, rp.u);

	if (counts(probe) && !aggregate_values_count(probe->values, regs, instruction_pointer(regs),
						     AGGREGATE_TRAP))
		uprobe_again();
}

static void on_value_task(struct uprobe *u, struct pt_regs *regs)
{
	aggregate_values_count(container_of(u, struct aggregate_probe, rp.u)->values, regs,
			       instruction_pointer(regs), AGGREGATE_TASK);
}

static void on_value_ring(struct uprobe *u, struct pt_regs *regs)
{
	struct aggregate_probe *probe =
		container_of(u, struct aggregate_probe, rp.u);

	if (counts(probe))
		aggregate_values_count(probe->values, regs, instruction_pointer(regs),
				       AGGREGATE_RING);
}

static void on_value_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct aggregate_probe *probe =
		container_of(ri->rp, struct aggregate_probe, rp);

	if (counts(probe) &&
	    !aggregate_values_count(probe->values, regs, ri->func, AGGREGATE_TRAP))
		uprobe_again();
}

static void on_value_return_task(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	aggregate_values_count(container_of(ri->rp, struct aggregate_probe, rp)->values, regs,
			       ri->func, AGGREGATE_TASK);
}

static bool is_wanted_mm(struct uprobe *u, struct mm_struct *mm)
{
	struct aggregate_probe *probe =
		container_of(u, struct aggregate_probe, rp.u);

	return tracer_tasks_needs(&probe->batch->set->tasks, mm);
}

static bool is_wanted_by_exit(struct uprobe *u, struct mm_struct *mm)
{
	return is_wanted_mm(&container_of(u, struct aggregate_exit, u)->function->rp.u, mm);
}

/* Let hits come from rings, unless the user of a thread may change before a ring is emptied. */
static void set_ring(struct uprobe *u, void (*handler)(struct uprobe *u, struct pt_regs *regs),
		     const struct tracer_tasks *tasks)
{
	if (tasks->has_uid)
		return;
	u->ring_handler = handler;
	if (handler != on_entry)
		u->ring_reads = UPROBE_READS(sp);
}

/* Let calls be timed in the program, if all of them count. */
static void set_timer(struct uprobe *u, const struct aggregate_probe *probe)
{
	if (u->ring_handler && probe->all_tasks)
		u->timer = probe->timer;
}

/*
 * The argument for a return instruction is its place.  That for an instruction in front of one also
 * has EXIT_BEFORE, and how many bytes the stack pointer is there below that at the entry.
 */
#define EXIT_BEFORE		BIT_ULL(63)
#define EXIT_PLACE		GENMASK_ULL(47, 0)
#define EXIT_BELOW_SHIFT	48

/* The expected bytes of a return instruction. */
static const u8 ret_insn = 0xc3;

/* Prepare the probes on return instructions.  They are in the file or process of the entry. */
static int prepare_exits(struct aggregate_probe *probe, const struct tracer_def *def)
{
	struct aggregate_exit *exit;
	unsigned int i;
	u64 value;
	int ret = 0;

	for (i = 0; probe->exits && i < probe->exits->n && !ret; i++) {
		exit = &probe->exits->exits[i];
		exit->function = probe;
		exit->u.file = probe->rp.u.file;
		exit->u.pid = probe->rp.u.pid;
		value = def->args[i].insns->value;
		if (exit->u.file)
			exit->u.offset = value & EXIT_PLACE;
		else
			exit->u.vaddr = value & EXIT_PLACE;
		exit->u.timer_below = (value & ~EXIT_BEFORE) >> EXIT_BELOW_SHIFT;
		exit->u.filter = probe->rp.u.filter ? is_wanted_by_exit : NULL;
		if (!(value & EXIT_BEFORE)) {
			exit->u.expect = &ret_insn;
			exit->u.expect_len = sizeof(ret_insn);
		}
		exit->u.flags = UPROBE_ATOMIC;
		exit->u.handler = on_end;
		set_ring(&exit->u, on_end, &probe->batch->set->tasks);
		set_timer(&exit->u, probe);
		/* There, the end of a call would come before its beginning. */
		if ((value & EXIT_PLACE) == def->offset)
			ret = -EINVAL;
		else if (exit->u.file)
			ret = uprobe_check(&exit->u);
	}
	return ret;
}

static int prepare_in_file(struct aggregate_probe *probe,
			   const struct tracer_def *def, struct file *last)
{
	struct uprobe *u = &probe->rp.u;
	struct file *file;
	int ret;

	file = tracer_file_open(def->path, last);
	if (IS_ERR(file))
		return PTR_ERR(file);
	u->file = file;
	u->offset = def->offset;
	if (tracer_tasks_names(&probe->batch->set->tasks))
		u->filter = is_wanted_mm;
	/* With exits, the return address stays as it is. */
	ret = def->kind == TRACER_RETURN && !probe->exits ? uretprobe_check(&probe->rp) :
							    uprobe_check(u);
	if (!ret)
		ret = prepare_exits(probe, def);
	if (!ret && probe->values)
		ret = aggregate_values_place(probe->values, file);
	if (ret)
		fput(file);
	return ret;
}

static int prepare_in_process(struct aggregate_probe *probe,
			      const struct tracer_def *def, struct pid *process)
{
	probe->rp.u.pid = pid_vnr(process);
	probe->rp.u.vaddr = def->offset;
	put_pid(process);
	if (!probe->rp.u.pid)
		return -ESRCH;
	return probe->values ? aggregate_values_place(probe->values, NULL) :
			       prepare_exits(probe, def);
}

/**
 * aggregate_probe_takes() - check the arguments of a definition
 * @def: the definition
 *
 * They are a value to count by; or, of a return probe, the places of the function's return
 * instructions, as immediates.
 */
bool aggregate_probe_takes(const struct tracer_def *def)
{
	const struct tracer_arg *arg;

	if (aggregate_values_takes(def))
		return true;
	if (def->kind != TRACER_RETURN)
		return !def->nargs;
	for (arg = def->args; arg < def->args + def->nargs; arg++) {
		if (arg->store != TRACER_STORE_VALUE || arg->ninsns != 1 ||
		    arg->insns->op != TRACER_OP_IMM || arg->count || arg->rshift)
			return false;
	}
	return true;
}

/* Make room for the probes on return instructions, if the definition has any. */
static int make_exits(struct aggregate_probe *probe, const struct tracer_def *def)
{
	struct aggregate *set = probe->batch->set;
	struct aggregate_exits *exits;
	unsigned int i;

	if (!def->nargs || aggregate_values_takes(def))
		return 0;
	if (!set->calls)
		set->calls = kvzalloc(sizeof(*set->calls), GFP_KERNEL);
	exits = kvzalloc(struct_size(exits, exits, def->nargs) +
			 (def->nargs + 1) * sizeof(*exits->us), GFP_KERNEL);
	if (!set->calls || !exits) {
		kvfree(exits);
		return -ENOMEM;
	}
	exits->n = def->nargs;
	exits->us = (struct uprobe **)&exits->exits[exits->n];
	for (i = 0; i < exits->n; i++)
		exits->us[i] = &exits->exits[i].u;
	exits->us[i] = &probe->rp.u;
	probe->exits = exits;
	return 0;
}

/* Prepare a probe that counts by a value.  The probe takes over the definition. */
static int prepare_value(struct aggregate_probe *probe, struct tracer_def *def)
{
	struct uretprobe *rp = &probe->rp;

	probe->values = aggregate_values_create(def);
	if (!probe->values)
		return -ENOMEM;
	if (def->kind == TRACER_RETURN) {
		rp->handler = on_value_return;
		rp->task_handler = on_value_return_task;
		return 0;
	}
	rp->u.handler = on_value;
	rp->u.task_handler = on_value_task;
	/* The user of a thread may change before a ring is emptied. */
	if (!probe->batch->set->tasks.has_uid && aggregate_values_in_ring(probe->values, &rp->u)) {
		rp->u.ring_handler = on_value_ring;
		if (probe->all_tasks)
			aggregate_values_in_pad(probe->values, &rp->u);
	}
	return 0;
}

/* Choose the handlers, and make room for what they count. */
static int prepare_handlers(struct aggregate_probe *probe, struct tracer_def *def)
{
	const struct tracer_tasks *tasks = &probe->batch->set->tasks;
	struct uprobe *u = &probe->rp.u;

	if (aggregate_values_takes(def))
		return prepare_value(probe, def);
	if (def->kind == TRACER_RETURN) {
		probe->timer = kzalloc(sizeof(*probe->timer), GFP_KERNEL_ACCOUNT);
		if (!probe->timer)
			return -ENOMEM;
		probe->timer->entry = u;
	}
	if (probe->exits) {
		u->handler = on_begin;
		set_ring(u, on_begin, tasks);
		set_timer(u, probe);
	} else if (def->kind == TRACER_RETURN) {
		probe->rp.entry_handler = on_call;
		probe->rp.handler = on_return;
		probe->rp.data_size = sizeof(u64);
	} else if (probe->stack) {
		u->handler = on_stacked;
	} else if (!probe->counts_all) {
		u->handler = on_entry;
		set_ring(u, on_entry, tasks);
	}
	return 0;
}

/**
 * aggregate_probe_prepare() - do everything for a definition but the registration
 * @probe: the probe, in its batch, otherwise zero
 * @def: the definition
 * @last: a file that was opened before, or NULL
 *
 * For a probe on a file, check whether the registration can succeed.
 *
 * Context: may sleep.
 * Return: 0 or an error; aggregate_probe_free() is to be called in any case.  If probe->values is
 * set, it has taken over @def.
 */
int aggregate_probe_prepare(struct aggregate_probe *probe, struct tracer_def *def,
			    struct file *last)
{
	const struct tracer_tasks *tasks = &probe->batch->set->tasks;
	struct uprobe *u = &probe->rp.u;
	struct pid *process;
	int ret;

	strscpy(probe->name, def->event, sizeof(probe->name));
	probe->kind = def->kind;
	probe->stack = def->kind == TRACER_RETURN ? TRACER_AT_ANY : def->stack;
	ret = make_exits(probe, def);
	if (!ret && probe->stack)
		ret = aggregate_stacks_make(&probe->batch->set->stacks);
	if (ret)
		return ret;
	process = tracer_process_find(def->path);
	if (IS_ERR(process))
		return PTR_ERR(process);
	/* In a file, only processes are probed whose hits count. */
	probe->all_tasks = process ? !tasks->any : tracer_tasks_are_processes(tasks);
	probe->counts_all = def->kind != TRACER_RETURN && !probe->stack && !def->nargs &&
			    probe->all_tasks;
	u->flags = probe->counts_all ? UPROBE_COUNT : UPROBE_ATOMIC;
	u->ref_ctr_offset = def->ref_ctr;
	memcpy(probe->expect, def->expect, def->expect_len);
	u->expect = probe->expect;
	u->expect_len = def->expect_len;
	ret = prepare_handlers(probe, def);
	if (ret) {
		put_pid(process);
		return ret;
	}
	return process ? prepare_in_process(probe, def, process) :
			 prepare_in_file(probe, def, last);
}

/** aggregate_probe_free() - free what aggregate_probe_prepare() has allocated */
void aggregate_probe_free(struct aggregate_probe *probe)
{
	kvfree(probe->exits);
	aggregate_values_free(probe->values);
	kfree(probe->timer);
}
