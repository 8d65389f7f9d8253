/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is kept for a task (a thread) that hits probes: the hit that its
 * sleepable handlers are still to see, and the calls that it has under way in
 * return-probed functions.
 *
 * A utask is made at the task's first hit that needs one and goes when the
 * task exits.  It is the task's own: only the task itself touches it, in the
 * trap, in task work, or in the kernel's fork, exec and exit paths.  The one
 * exception is release_tasks(), which stops the machine; therefore
 * @instances changes only with preemption off.  The table in which utasks
 * are found is read under RCU and changed under a raw spinlock.
 */
#ifndef _UPROBES_TASK_H
#define _UPROBES_TASK_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/task_work.h>

#include "retprobe.h"
#include "signal.h"

#include "arch.h"

struct consumer_set;
struct site;

/**
 * struct utask - state of one task
 * @node: in the table, keyed by @task
 * @task: whose it is; no reference, the task outlives it
 * @hit_work: runs the sleepable handlers of the hit
 * @hit_queued: @hit_work is on its way
 * @site: where the hit was
 * @defer: what is left to do for it, HIT_* of hit.h
 * @again_set: the set of which @again_mask speaks, with a reference
 * @again_mask: consumers whose task handlers are to be called for the hit
 * @in_handler: a handler that may sleep is running
 * @signalled: the kernel is about to look at signals, once @hit_work is done
 * @stepping: the site whose instruction the task is stepping over, or NULL
 * @step: what has to be remembered meanwhile
 * @resumptions: hits that are not to be counted again, oldest first
 * @nr_resumptions: how many
 * @sigreturned: has returned from a signal handler, and not hit anything since
 * @unwound: site of the system call that a tracer has been shown
 * @map_work: attaches file probes to what the task has mapped
 * @map_queued: @map_work is on its way
 * @moved_from: first address of probed text that is being moved by mremap()
 * @moved_end: the first address behind; 0 when nothing is
 * @exited: the task has exited; the last queued work frees this
 * @instances: return instances, by their place on the stack
 * @nr_instances: how many
 * @prune_at: how many there are to be when the stale ones are looked for
 * @returning: instances whose sleepable handlers are to be called
 * @spare: instances for further use
 * @rcu: for the table
 */
struct utask {
	struct hlist_node node;
	struct task_struct *task;
	struct callback_head hit_work;
	bool hit_queued;
	struct site *site;
	unsigned int defer;
	struct consumer_set *again_set;
	u64 again_mask;
	bool in_handler;
	bool signalled;
	struct site *stepping;
	struct ssol_step step;
	struct resumption resumptions[SIGNAL_MAX_RESUMPTIONS];
	unsigned int nr_resumptions;
	bool sigreturned;
	struct site *unwound;
	struct callback_head map_work;
	bool map_queued;
	unsigned long moved_from;
	unsigned long moved_end;
	bool exited;
	struct hlist_head instances[1 << RETPROBE_BITS];
	unsigned int nr_instances;
	unsigned int prune_at;
	struct hlist_head returning;
	struct hlist_head spare;
	struct rcu_head rcu;
};

int task_init(void);
void task_exit(void);

struct utask *utask_find(struct task_struct *task);
struct utask *utask_get(struct task_struct *task);
void utask_drop(struct utask *utask);
void utask_work_done(struct utask *utask);
void utask_for_each(void (*fn)(struct utask *utask, void *data), void *data);

int task_work_begin(struct task_struct *task, struct callback_head *work,
		    task_work_func_t fn);
void task_work_end(void);
void task_work_drain(void);

#endif /* _UPROBES_TASK_H */
