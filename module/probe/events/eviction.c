// SPDX-License-Identifier: GPL-2.0
/*
 * Eviction: remove pads if the program maps memory at their address.
 *
 * A jump reaches two gigabytes, so the pads of a program at a low address may be where the program
 * maps memory at a fixed address.  First all jumps are erased and forbidden, then the pads are
 * unmapped.
 *
 * No thread may be in a pad then.  Such a thread gets task work, which moves it out of the pad
 * before it executes user code again.  If it is running, it gets an interrupt.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "eviction.h"
#include "arch.h"
#include "core/probed_mm.h"
#include "core/task.h"
#include "jump/cpu_counters.h"
#include "jump/jump.h"
#include "jump/pad_area.h"
#include "jump/timing.h"
#include "trap/signal.h"

/**
 * struct leaving - work of a thread that is in a pad
 * @work: run by the thread before it runs user code
 * @pmm: its probed mm, with a reference
 */
struct leaving {
	struct callback_head work;
	struct probed_mm *pmm;
};

static void leave_work(struct callback_head *work)
{
	struct leaving *leaving = container_of(work, struct leaving, work);
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long flags;

	/* The words that a pad has pushed are read with interrupts off, so fault them in now. */
	fault_in_readable((const char __user *)regs->sp, PAD_PUSHED * sizeof(u64));
	local_irq_save(flags);
	rcu_read_lock();
	if (current->mm == leaving->pmm->mm)
		signal_leave_pad(leaving->pmm, regs);
	rcu_read_unlock();
	local_irq_restore(flags);
	pmm_put(leaving->pmm);
	kfree(leaving);
	task_work_end();
}

/* Check whether a thread has entered the kernel from a pad; @loading: from what loads there. */
static bool in_pad(struct probed_mm *pmm, struct task_struct *thread, bool loading)
{
	const struct jump *jump = NULL;
	unsigned long ip = 0;

	/* A thread whose address space is there has a stack. */
	task_lock(thread);
	if (thread->mm == pmm->mm) {
		ip = READ_ONCE(task_pt_regs(thread)->ip);
		jump = jump_of_evicted_pad(pmm, ip);
	}
	task_unlock(thread);
	return jump && (!loading || pad_may_load(&jump->parts, ip - jump->at));
}

/* Have a thread leave its pad, if it is in one. */
static int leave_later(struct probed_mm *pmm, struct task_struct *thread, bool loading)
{
	struct leaving *leaving;

	if (!in_pad(pmm, thread, loading))
		return 0;
	leaving = kmalloc(sizeof(*leaving), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!leaving)
		return -ENOMEM;
	leaving->pmm = pmm;
	refcount_inc(&pmm->life.refs);
	/* A thread that runs no more work executes no pad, either. */
	if (task_work_begin(thread, &leaving->work, leave_work)) {
		pmm_put_not_last(pmm);
		kfree(leaving);
	}
	return 0;
}

/**
 * eviction_threads_leave() - have all other threads leave the pads
 * @pmm: the probed mm; no jump leads to its pads any more
 * @loading: only those that load from memory
 *
 * A grace period has passed since, so a task that was being sent to a pad (resume_in_pad()) is
 * there.  No thread comes back.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int eviction_threads_leave(struct probed_mm *pmm, bool loading)
{
	struct task_struct *process, *thread;
	int ret = 0;

	/* Make running tasks save their registers, so that a task in a pad is found. */
	arch_sync_text(pmm->mm);
	rcu_read_lock();
	for_each_process_thread(process, thread) {
		if (thread != current && leave_later(pmm, thread, loading))
			ret = -ENOMEM;
	}
	rcu_read_unlock();
	/* One of them may have a processor: it does its work after this interrupt. */
	arch_sync_text(pmm->mm);
	return ret;
}

/**
 * eviction_wanted() - check whether the current task maps memory where its pads are
 * @pmm: its probed mm
 * @addr: address that it asks for
 * @len: how much
 * @flags: MAP_*
 *
 * Context: any.
 */
bool eviction_wanted(const struct probed_mm *pmm, unsigned long addr, unsigned long len,
		     unsigned long flags)
{
	if (!(flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) || current->flags & PF_KTHREAD ||
	    len > TASK_SIZE_MAX - addr)
		return false;
	len = PAGE_ALIGN(len);
	return pad_areas_in(pmm, addr, len) || timing_in(pmm, addr, len) ||
	       cpu_counters_in(pmm, addr, len);
}

/**
 * eviction_do() - have all jumps and pads of the current task's address space go
 * @pmm: its probed mm
 *
 * If there is no memory for that, the pads stay.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 * Return: whether the task is being killed.
 */
bool eviction_do(struct probed_mm *pmm)
{
	if (mutex_lock_killable(&pmm->lock))
		return true;
	if (!pmm->pads.evicted) {
		jumps_erase_for_read(pmm, 0, ULONG_MAX);
		synchronize_rcu();
		/* If threads may be in pads, and the program maps over them, none may come back. */
		if (eviction_threads_leave(pmm, false))
			WRITE_ONCE(pmm->jumps.off, true);
		else
			pads_evict(pmm);
	}
	mutex_unlock(&pmm->lock);
	return false;
}
