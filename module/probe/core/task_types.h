/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures of utasks.
 */
#ifndef _UPROBES_TASK_TYPES_H
#define _UPROBES_TASK_TYPES_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/task_work.h>

#include "arch.h"

struct consumer;
struct consumer_set;
struct site;
struct uret_instance;

#define SIGNAL_MAX_RESUMPTIONS	8

/**
 * struct resumption - a note that a hit is handled but its instruction is not executed yet
 * @site: site of the hit
 * @sp: stack pointer
 * @digest: digest of the other registers, as the return from a signal handler restores them;
 *	ignored if @restart is set
 * @restart: the instruction is a system call that the kernel restarts, with other registers
 * @handler: a signal handler is running: the task comes back to the site by returning from this
 *	handler, or not at all
 */
struct resumption {
	struct site *site;
	unsigned long sp;
	u64 digest;
	bool restart;
	bool handler;
};

/* The parts of a hit that a trap defers to task context. */
#define HIT_ENTRY	BIT(0)	/* call the sleepable handlers of the site */
#define HIT_PREPARE	BIT(1)	/* create the return instances, which the trap could not do */
#define HIT_RETURN	BIT(2)	/* call the handlers of utask::hit.returning */
#define HIT_TASK_HANDLERS	BIT(3)	/* call the task handlers that were asked for */
#define HIT_IN_PLACE	BIT(4)	/* remove the breakpoint: the slot cannot be used */
#define HIT_ONE		BIT(5)	/* call the handler of utask::hit.only, and do nothing else */
#define HIT_SEARCH	BIT(6)	/* look for the call that the task has returned from */

/**
 * struct copy_mark - state of an address space at the time when a fork copied it
 * @removals: probed_mm::sites.removals at that time, or 0 if that is not known
 * @slots: probed_mm::areas.slots_written at that time; 0 if that is not known
 * @ref_changes: probed_mm::counters.changes at that time; 0 if there was no probed mm, or if no
 *	copy is in flight
 */
struct copy_mark {
	u32 removals;
	u32 slots;
	u64 ref_changes;
};

/**
 * struct utask_hit - part of a utask: the hit that task context continues
 * @work: runs task_ops::hit_work
 * @queued: @work is pending
 * @in_handler: a handler that may sleep is running
 * @shared: the trap has been passed on, as the breakpoint has another owner, too; handlers that
 *	may sleep get @shared_regs, the registers at the trap
 * @defer: the deferred parts of the hit, HIT_*
 * @site: site of the hit
 * @only: with HIT_ONE in @defer, the only consumer, with a reference on consumer::run.active
 * @set: the consumers at the time of the hit, with a reference; NULL if @defer needs none
 * @handler_mask: bits of the consumers in @set whose task handlers must be called
 * @returning: return instances whose handlers must be called in task context
 * @shared_regs: valid while @shared is set
 *
 * trap/hit.c fills it in, trap/hit_work.c clears it; uret/uretprobe_return.c writes @returning.
 */
struct utask_hit {
	struct callback_head work;
	bool queued;
	bool in_handler;
	bool shared;
	unsigned int defer;
	struct site *site;
	struct consumer *only;
	struct consumer_set *set;
	u64 handler_mask;
	struct uret_instance *returning;
	struct pt_regs shared_regs;
};

/**
 * struct utask_step - part of a utask: the instruction that the task is stepping over
 * @site: its site, or NULL
 * @state: state to keep until the end of the step
 *
 * trap/resume.c begins it; trap/stepped.c, trap/signal.c and unload.c end it.
 */
struct utask_step {
	struct site *site;
	struct ssol_step state;
};

/**
 * struct utask_signals - part of a utask: state for signals and tracers
 * @noticed: the kernel is about to look at signals, as soon as utask::hit.work has run
 * @looked: the module has seen the kernel look at the task's signals
 * @delayed: site whose slot the task executes under our TF while its signals are delayed, or NULL;
 *	not used for utask::step.site, whose slot executes under TF anyway
 * @delayed_steps: number of instructions that the task has executed since @delayed was set
 * @delays: how often signals have been delayed until an instruction is executed
 * @watched: with @delayed, the watchpoints to show to a tracer when the delay ends, or 0
 * @nr_resumptions: number of @resumptions
 * @resumptions: hits that must not be counted again, oldest first
 * @returned_to: address to which a signal handler has returned, SIGNAL_ANYWHERE, or 0; valid until
 *	the next hit
 * @unwound: site of a system call that a tracer has seen, and that the kernel may restart later;
 *	or NULL
 *
 * trap/signal.c and trap/resumption.c write it; trap/hit_work.c clears @noticed,
 * events/task_events.c sets @looked.
 */
struct utask_signals {
	bool noticed;
	bool looked;
	struct site *delayed;
	unsigned int delayed_steps;
	unsigned int delays;
	unsigned long watched;
	unsigned int nr_resumptions;
	struct resumption resumptions[SIGNAL_MAX_RESUMPTIONS];
	unsigned long returned_to;
	struct site *unwound;
};

/**
 * struct utask_passed_on - part of a utask: a trap that was passed on to a tracer
 * @site: site of the last trap that was passed on while there was a tracer, or NULL
 * @reported: the same site after the trap was reported to the tracer; valid until the next hit
 * @sp: the stack pointer at that trap
 *
 * trap/hit.c, trap/stepped.c and trap/signal.c write it.
 */
struct utask_passed_on {
	struct site *site;
	struct site *reported;
	unsigned long sp;
};

/**
 * struct utask_map - part of a utask: mappings that the task has made
 * @work: attaches file probes to them
 * @queued: @work is pending
 * @moves: the task is in mremap() of probed text or of reference counters
 *
 * events/map_events.c writes it.
 */
struct utask_map {
	struct callback_head work;
	bool queued;
	bool moves;
};

/**
 * struct utask_copied - part of a utask: a breakpoint of which no owner is known
 * @work: checks whether it is in a copy of probed text
 * @queued: @work is pending
 * @at: address of the breakpoint; if it was not in such a copy, kept until the breakpoint traps
 *	again
 *
 * trap/copied.c writes it.
 */
struct utask_copied {
	struct callback_head work;
	bool queued;
	unsigned long at;
};

/**
 * struct utask_fork - part of a utask: valid from the copying of the address space until the task
 *	reports its fork (fork.c)
 * @mark: state of the address space at the time of the copy
 * @calls: copies of its calls (calls.h), for the child
 * @copied_to: start of the last mapping that the task has begun to copy
 *
 * attach/fork.c and uret/uretprobe_fork.c write it.
 */
struct utask_fork {
	struct copy_mark mark;
	struct uret_instance *calls;
	unsigned long copied_to;
};

/**
 * struct utask_erase - part of a utask: the task must not come back to a jump
 * @work: erases it
 * @queued: @work is pending
 *
 * trap/out_of_line.c writes it.
 */
struct utask_erase {
	struct callback_head work;
	bool queued;
};

/**
 * struct utask_forbid - part of a utask: the task must not read the clock any more
 * @work: erases the jumps whose pads do
 * @queued: @work is pending
 *
 * events/task_events.c writes it.
 */
struct utask_forbid {
	struct callback_head work;
	bool queued;
};

/**
 * struct utask_fault - part of a utask: the task has met a fault in a pad
 * @work: takes it out of the pad
 * @queued: @work is pending
 *
 * trap/pad_fault.c writes it.
 */
struct utask_fault {
	struct callback_head work;
	bool queued;
};

/**
 * struct utask_asking - part of a utask: the kernel sees a hit because of probed_mm::asks
 * @work: finds out what it has done
 * @site: the site of the hit while @work is pending, or NULL
 *
 * trap/asking.c writes it.
 */
struct utask_asking {
	struct callback_head work;
	struct site *site;
};

/**
 * struct utask_refill - part of a utask: replacement for this utask in the reserve, charged to the
 *	program
 * @work: allocates it
 * @queued: @work is pending
 *
 * core/task.c writes it.
 */
struct utask_refill {
	struct callback_head work;
	bool queued;
};

/**
 * struct utask - state of one task
 * @node: node in the table, keyed by @task
 * @task: the task; no reference, as the task outlives its utask
 * @mm: address space of @task when the utask was created, or since the last exec; no reference,
 *	never dereferenced
 * @hit: the hit that task context continues
 * @step: the instruction that the task is stepping over
 * @signals: state for signals and tracers
 * @passed_on: a trap that was passed on to a tracer
 * @map: mappings that the task has made
 * @copied: a breakpoint of which no owner is known
 * @fork: valid from the copying of the address space until the task reports its fork (fork.c)
 * @erase: the task must not come back to a jump
 * @forbid: the task must not read the clock any more
 * @fault: the task has met a fault in a pad
 * @asking: the kernel sees a hit because of probed_mm::asks
 * @refill: replacement for this utask in the reserve, charged to the program
 * @exited: the task has exited; the last pending work frees the utask
 * @rcu: frees it after look-ups in the table
 */
struct utask {
	struct hlist_node node;
	struct task_struct *task;
	struct mm_struct *mm;
	struct utask_hit hit;
	struct utask_step step;
	struct utask_signals signals;
	struct utask_passed_on passed_on;
	struct utask_map map;
	struct utask_copied copied;
	struct utask_fork fork;
	struct utask_erase erase;
	struct utask_forbid forbid;
	struct utask_fault fault;
	struct utask_asking asking;
	struct utask_refill refill;
	bool exited;
	struct rcu_head rcu;
};

/*
 * All fields that a hit in task context uses on the fast path (HIT_ONE) are in two cache lines.
 * There are two exceptions: hit_work() also reads signals.noticed and exited, which are behind
 * hit.shared_regs.
 */
static_assert(offsetofend(struct utask, hit.only) <= 2 * 64);

/**
 * struct task_ops - functions of higher layers that are called for a task
 * @hit_work: function of utask::hit.work: continues a hit
 * @release: drops what a utask holds, before it is freed; called in RCU's softirq
 */
struct task_ops {
	task_work_func_t hit_work;
	void (*release)(struct utask *utask);
};

#endif /* _UPROBES_TASK_TYPES_H */
