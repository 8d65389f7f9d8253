// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes: the calls of a process in its forked child.
 */
#include <linux/llist.h>
#include <linux/percpu-refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "uretprobe_fork.h"
#include "calls.h"
#include "calls_walk.h"
#include "uretprobe_return.h"
#include "base/compat.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/task.h"
#include "text/user_word.h"

/**
 * uretprobe_restore() - restore the return addresses in a copy of a stack
 * @copies: the copies from calls_copy(); empty afterwards
 * @mm: the address space of the copied stack, in use
 *
 * Context: may sleep; takes the mmap lock.
 */
void uretprobe_restore(struct uret_instance **copies, struct mm_struct *mm)
{
	struct uret_instance *inst;

	for (inst = *copies; inst; inst = inst->next)
		word_restore(mm, inst->ri.sp, inst->trampoline, inst->ri.ret_addr, inst->word);
	calls_discard(copies);
}

static LLIST_HEAD(discarded);

static void discard_work(struct work_struct *work)
{
	struct uret_instance *list, *next;

	llist_for_each_entry_safe(list, next, llist_del_all(&discarded), discarded)
		calls_discard(&list);
}

static DECLARE_WORK(discard, discard_work);

/**
 * uretprobe_discard_later() - defer the freeing of copies of calls
 * @copies: the copies from calls_copy(); empty afterwards
 *
 * This is for contexts that cannot free memory, or not that much.
 *
 * Context: any, not the trap.
 */
void uretprobe_discard_later(struct uret_instance **copies)
{
	if (*copies && llist_add(&(*copies)->discarded, &discarded))
		queue_work(compat_unbound_wq, &discard);
	*copies = NULL;
}

/* Wait until all deferred copies are freed.  Context: may sleep. */
void uretprobe_discard_flush(void)
{
	flush_work(&discard);
}

/**
 * uretprobe_adopt_files() - insert a parent's calls into the table of the child, or restore them
 * @copies: the copies from calls_copy(); empty afterwards
 * @pmm: probed mm of the child, the current task, with a trampoline
 * @parent: probed mm of the parent
 *
 * The child gets the calls of consumers that probe every process, or that the child gets, too
 * (consumer::inherits).  The return addresses of the other calls are restored.
 *
 * Context: may sleep; takes the mmap lock.
 */
void uretprobe_adopt_files(struct uret_instance **copies, struct probed_mm *pmm,
			   const struct probed_mm *parent)
{
	struct uret_instance *inst, *others = NULL, *list = *copies;
	unsigned long real;

	*copies = NULL;
	pmm->uret.calls.widest = max(pmm->uret.calls.widest, READ_ONCE(parent->uret.calls.widest));
	while ((inst = list)) {
		list = inst->next;
		if ((inst->consumer->in_every_process || inst->consumer->inherits) &&
		    calls_adopt(&pmm->uret.calls, inst))
			continue;
		inst->next = others;
		others = inst;
	}
	for (inst = others; inst; inst = inst->next) {
		if (!calls_real(&pmm->uret.calls, inst->ri.sp, &real))
			word_restore(pmm->mm, inst->ri.sp, inst->trampoline, inst->ri.ret_addr,
				     inst->word);
	}
	calls_discard(&others);
}

/**
 * utask_copied_not() - drop what a task has copied for a fork
 * @utask: utask of the task, which will not report this fork
 *
 * Context: the task itself; any.
 */
void utask_copied_not(struct utask *utask)
{
	utask->fork.mark = (struct copy_mark) {};
	uretprobe_discard_later(&utask->fork.calls);
}

/**
 * uretprobe_release() - drop the return instances that a utask holds, before it is freed
 * @utask: the utask
 *
 * Context: RCU's softirq.
 */
void uretprobe_release(struct utask *utask)
{
	uretprobe_drop_returning(utask);
	uretprobe_discard_later(&utask->fork.calls);
}
