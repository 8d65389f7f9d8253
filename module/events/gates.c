// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel functions that wait until jumps are out of their way.
 *
 * Debuggers read and write text, and the kernel's uprobes write breakpoints.  They must find the
 * text as it is with breakpoints of ours, which the other hooks know (foreign.c).  To erase a jump
 * takes interrupts on other processors, which a kprobe cannot wait for.  So a kprobe sends the
 * calling task to a function of ours first.  When that has erased the jumps, the task goes on where
 * it was, and the kprobe lets it pass.  For a second, no jump is written: that is time for the
 * access.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/wait.h>

#include "gates.h"
#include "arch.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/probed_mm.h"
#include "jump/jump.h"

/* Tasks that have been sent to a function of ours, and have not left it. */
static atomic_t waiting = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(waiting_wq);

/* The functions, in the order of ksym_access_function(). */
enum gate {
	GATE_REMOTE,
	GATE_PTRACE,
	GATE_SWBP,
	GATE_VM,
	GATES,
};

static struct kprobe gates[GATES];

ARCH_GATE(gate_remote, gate_open_remote);
ARCH_GATE(gate_ptrace, gate_open_ptrace);
ARCH_GATE(gate_swbp, gate_open_swbp);
ARCH_GATE(gate_vm, gate_open_vm);

/* Get the address at which the task goes on, from where the kprobe is. */
static unsigned long gate_left(enum gate gate)
{
	unsigned long addr = (unsigned long)gates[gate].addr;

	if (atomic_dec_and_test(&waiting))
		wake_up_all(&waiting_wq);
	return addr;
}

/* Erase all jumps: gate_closed() does not know where each one is, and must let the task pass. */
static void make_way(struct mm_struct *mm)
{
	struct probed_mm *pmm = pmm_find(mm);

	if (!pmm)
		return;
	mutex_lock(&pmm->lock);
	jumps_make_way(pmm, 0, ULONG_MAX);
	mutex_unlock(&pmm->lock);
	pmm_put(pmm);
}

/* Called with the arguments of access_remote_vm().  Return where to go on. */
static noinline __used unsigned long gate_open_remote(struct mm_struct *mm)
{
	make_way(mm);
	return gate_left(GATE_REMOTE);
}

static void make_way_in(struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);

	if (mm) {
		make_way(mm);
		mmput(mm);
	}
}

/* Likewise with those of ptrace_access_vm(). */
static noinline __used unsigned long gate_open_ptrace(struct task_struct *task)
{
	make_way_in(task);
	return gate_left(GATE_PTRACE);
}

/* Likewise with those of mm_access(). */
static noinline __used unsigned long gate_open_vm(struct task_struct *task)
{
	make_way_in(task);
	return gate_left(GATE_VM);
}

/* Likewise with those of set_swbp(), whose caller holds the mmap lock for writing. */
static noinline __used unsigned long gate_open_swbp(void *auprobe, unsigned long where)
{
	struct probed_mm *pmm = pmm_find(compat_swbp_mm(where));

	if (pmm) {
		jumps_away_for_good(pmm);
		pmm_put_not_last(pmm);
	}
	return gate_left(GATE_SWBP);
}

/* Get the address space that a function is called for, or NULL. */
static struct mm_struct *gate_mm(enum gate gate, struct pt_regs *regs)
{
	struct task_struct *task;
	struct mm_struct *mm;

	switch (gate) {
	case GATE_REMOTE:
		return (struct mm_struct *)regs_get_kernel_argument(regs, 0);
	case GATE_VM:
		/* The kernel has another mode for each other use of this function. */
		if (regs_get_kernel_argument(regs, 1) != PTRACE_MODE_ATTACH_REALCREDS)
			return NULL;
		fallthrough;
	case GATE_PTRACE:
		task = (struct task_struct *)regs_get_kernel_argument(regs, 0);
		return READ_ONCE(task->mm);
	default:
		mm = compat_swbp_mm(regs_get_kernel_argument(regs, 1));
		return compat_mmap_written(mm) ? mm : NULL;
	}
}

/* Check whether a jump may be in the way of a call.  Context: RCU read side. */
static bool gate_closed(enum gate gate, struct pt_regs *regs)
{
	const struct mm_struct *mm = gate_mm(gate, regs);
	struct probed_mm *pmm = mm ? pmm_lookup((struct mm_struct *)mm) : NULL;
	unsigned long addr = 0, len = ULONG_MAX, until = jiffies + HZ;

	if (!pmm)
		return false;
	/* The mmap lock keeps jumps from being written now. */
	if (gate == GATE_SWBP)
		return READ_ONCE(pmm->jumps.nr);
	if (gate != GATE_VM) {
		addr = regs_get_kernel_argument(regs, 1);
		len = (int)regs_get_kernel_argument(regs, 3);
	}
	/* Many programs look at the arguments of all processes, again and again. */
	if (addr >= READ_ONCE(mm->arg_start) && addr < READ_ONCE(mm->env_end))
		return false;
	if (time_before(READ_ONCE(pmm->jumps.not_before), until))
		WRITE_ONCE(pmm->jumps.not_before, until);
	/* Pairs with jumps_write(): it sees that, or its jumps are seen here. */
	smp_mb();
	return READ_ONCE(pmm->jumps.nr) && addr < READ_ONCE(pmm->jumps.high) + PUN_LEN &&
	       (addr + len < addr || addr + len > READ_ONCE(pmm->jumps.low));
}

static int on_gate(struct kprobe *kp, struct pt_regs *regs)
{
	static void (*const ways[])(void) = { gate_remote, gate_ptrace, gate_swbp, gate_vm };
	enum gate gate = kp - gates;
	bool closed;

	rcu_read_lock();
	closed = gate_closed(gate, regs);
	rcu_read_unlock();
	if (!closed)
		return 0;
	atomic_inc(&waiting);
	regs->ip = (unsigned long)ways[gate];
	return 1;
}

/**
 * gates_watch() - begin to keep jumps out of the way
 *
 * A kernel without uprobes lacks one of the functions; that is not an error.
 *
 * Context: may sleep; one caller at a time.
 * Return: 0 or a negative errno.
 */
int gates_watch(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < GATES; i++) {
		gates[i].symbol_name = ksym_access_function(i);
		gates[i].pre_handler = on_gate;
		ret = ksym_redirect(&gates[i]);
		if (!ret) {
			hooks_watch(&gates[i]);
			continue;
		}
		gates[i].symbol_name = NULL;
		if (ret != -ENOENT) {
			gates_exit();
			return ret;
		}
	}
	return 0;
}

/**
 * gates_exit() - let all calls pass
 *
 * Context: may sleep; there is no jump.
 */
void gates_exit(void)
{
	unsigned int i;

	for (i = 0; i < GATES; i++) {
		if (gates[i].symbol_name)
			unregister_kprobe(&gates[i]);
		gates[i].symbol_name = NULL;
	}
	wait_event(waiting_wq, !atomic_read(&waiting));
	/* The last task may still be on its way out of our code. */
	synchronize_rcu_tasks();
}
