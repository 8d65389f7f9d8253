// SPDX-License-Identifier: GPL-2.0
/*
 * Taking leave of all tasks when the module goes.
 */
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/stop_machine.h>
#include <linux/vmalloc.h>

#include "breakpoint.h"
#include "image.h"
#include "retprobe.h"
#include "roaming.h"
#include "release.h"
#include "signal.h"
#include "task.h"
#include "worker.h"

/**
 * struct released_call - a call under way in a return-probed function
 * @mm: address space, kept in use
 * @sp: where the return address lies
 * @from: the trampoline
 * @to: the real return address
 * @word: size of an address, in bytes
 * @entered: when the function was, uret_instance::entered
 */
struct released_call {
	struct mm_struct *mm;
	unsigned long sp;
	unsigned long from;
	unsigned long to;
	unsigned int word;
	cycles_t entered;
};

/**
 * struct release - all such calls
 * @nr: how many there are
 * @room: for how many there is memory
 * @calls: the calls
 */
struct release {
	unsigned int nr;
	unsigned int room;
	struct released_call *calls;
};

static void release_list_call(struct mm_struct *mm, const struct uret_instance *inst, void *data)
{
	struct release *r = data;

	if (r->nr++ >= r->room)
		return;
	r->calls[r->nr - 1].mm = mm && mmget_not_zero(mm) ? mm : NULL;
	r->calls[r->nr - 1].sp = inst->ri.sp;
	r->calls[r->nr - 1].from = inst->trampoline;
	r->calls[r->nr - 1].to = inst->ri.ret_addr;
	r->calls[r->nr - 1].word = inst->word;
	r->calls[r->nr - 1].entered = inst->entered;
}

/* The address space that a task's calls are in; NULL when it is gone. */
static struct mm_struct *calls_mm(const struct utask *utask)
{
	struct mm_struct *mm = utask->task ? utask->task->mm : NULL;

	if (mm)
		return mm;
	/* What the task has left lives on if it still has an image. */
	rcu_read_lock();
	mm = image_lookup(utask->mm) ? utask->mm : NULL;
	rcu_read_unlock();
	return mm;
}

static void release_list_task(struct utask *utask, void *data)
{
	struct mm_struct *mm = calls_mm(utask);
	struct uret_instance *inst;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry(inst, &utask->instances[i], in_task)
			release_list_call(mm, inst, data);
	}
}

static int release_list(void *data)
{
	utask_for_each(release_list_task, data);
	roaming_for_each(release_list_call, data);
	return 0;
}

static int later_first(const void *a, const void *b)
{
	const struct released_call *one = a, *other = b;

	return one->entered < other->entered ? 1 : one->entered > other->entered ? -1 : 0;
}

/* In a thread without signals: rmmod may be being killed. */
static long release_restore(void *data)
{
	struct release *r = data;
	unsigned int i;

	image_disarm_all();
	/* Of those at one place, the latest is under way: its address is back when others come. */
	sort(r->calls, r->nr, sizeof(*r->calls), later_first, NULL);
	for (i = 0; i < r->nr; i++) {
		if (!r->calls[i].mm)
			continue;
		word_restore(r->calls[i].mm, r->calls[i].sp, r->calls[i].from, r->calls[i].to,
			     r->calls[i].word);
		mmput(r->calls[i].mm);
	}
	return 0;
}

static void release_step(struct utask *utask, void *unused)
{
	const struct site *site = utask->stepping;
	struct pt_regs *regs;

	if (!utask->task || !utask->task->mm)
		return;
	/* In the middle of an execve() there is no slot any more. */
	if (utask->task->mm != utask->mm)
		return;
	regs = task_pt_regs(utask->task);
	if (utask->holds)
		signal_held_end(utask, regs);
	if (site) {
		utask->stepping = NULL;
		arch_step_abort(&site->plan, site->key.addr, site->slot, &utask->step,
				regs);
	}
}

static void release_ip_one(struct utask *utask, void *nearest)
{
	struct uret_instance *inst;
	struct pt_regs *regs;

	if (!utask->task || !utask->task->mm)
		return;
	regs = task_pt_regs(utask->task);
	inst = retprobe_returned(utask, regs->ip, regs, *(bool *)nearest);
	if (inst)
		regs->ip = inst->ri.ret_addr;
}

/**
 * struct release_stray - a task that has returned from a call, maybe of another's
 * @mm: its address space
 * @regs: its user registers
 * @nearest: as retprobe_returned()'s
 * @inst: the call, the nearest and of these the latest; or NULL
 */
struct release_stray {
	const struct mm_struct *mm;
	const struct pt_regs *regs;
	bool nearest;
	const struct uret_instance *inst;
};

static void release_find_stray(struct utask *utask, void *data)
{
	struct release_stray *stray = data;
	const struct uret_instance *inst, *other = stray->inst;

	if (utask->mm != stray->mm)
		return;
	inst = retprobe_returned(utask, stray->regs->ip, stray->regs, stray->nearest);
	if (inst && (!other || inst->ri.sp > other->ri.sp ||
		     (inst->ri.sp == other->ri.sp && inst->entered > other->entered)))
		stray->inst = inst;
}

/*
 * A task that has not hit anything yet may be in a call that another has entered; it may be the
 * first that shows its process to be one where they roam, and not have come to that.
 */
static void release_ip_roaming(struct task_struct *task, bool nearest)
{
	struct pt_regs *regs = task_pt_regs(task);
	struct release_stray stray = { .mm = task->mm, .regs = regs, .nearest = nearest };
	const struct image *image;

	if (!task->mm || task->flags & PF_KTHREAD)
		return;
	stray.inst = roaming_returned(task->mm, regs->ip, regs, nearest);
	image = stray.inst ? NULL : image_lookup(task->mm);
	if (image && image->trampoline && regs->ip == image->trampoline)
		utask_for_each(release_find_stray, &stray);
	if (stray.inst)
		regs->ip = stray.inst->ri.ret_addr;
}

static int release_ip(void *unused)
{
	struct task_struct *process, *task;
	bool nearest = false;

	utask_for_each(release_step, NULL);
	/* In the order of the trap: what is the task's own is its call. */
	do {
		utask_for_each(release_ip_one, &nearest);
		rcu_read_lock();
		for_each_process_thread(process, task)
			release_ip_roaming(task, nearest);
		rcu_read_unlock();
		nearest = !nearest;
	} while (nearest);
	return 0;
}

/**
 * release_tasks() - let all tasks go on without this module
 *
 * Puts the real return addresses back onto the stacks, moves on tasks that
 * have returned to the trampoline but were interrupted before they executed
 * it, and has those that step over an instruction execute it in its place.
 *
 * While this lists and moves, no task runs, hence none is between taking the
 * return address off the stack and the trampoline unless its saved ip says so.
 * No return probe is registered any more.
 *
 * Context: may sleep; stops the machine.
 */
void release_tasks(void)
{
	struct release r = {};
	unsigned int i;

	for (;;) {
		stop_machine(release_list, &r, NULL);
		if (r.nr <= r.room)
			break;
		for (i = 0; i < r.room; i++) {
			if (r.calls[i].mm)
				mmput(r.calls[i].mm);
		}
		vfree(r.calls);
		r.room = r.nr + r.nr / 4 + 64;
		r.nr = 0;
		/* kvmalloc() gives no more than INT_MAX bytes, and programs decide how many. */
		r.calls = __vmalloc(array_size(r.room, sizeof(*r.calls)),
				    GFP_KERNEL | __GFP_NOFAIL);
	}
	worker_call(release_restore, &r);
	vfree(r.calls);
	signal_hold_no_more();
	stop_machine(release_ip, NULL, NULL);
}
