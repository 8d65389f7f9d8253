// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel functions that wait until jumps are out of their way.
 *
 * Debuggers read and write text, and the kernel's uprobes write breakpoints.  They must find the
 * text as it is with breakpoints of ours, which the other hooks know (foreign.c).  To erase a jump
 * takes interrupts on other processors, which a kprobe cannot wait for.  So a kprobe sends the
 * calling task to a function of ours first.  When that has erased the jumps, the task goes on where
 * it was, with a value in a register by which the kprobe lets it pass.  For a second, no jump is
 * written: that is time for the access.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/wait.h>

#include "text_access.h"
#include "arch.h"
#include "eviction.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/probed_mm.h"
#include "jump/jump.h"

/* Tasks that have been sent to a function of ours, and have not left it. */
static atomic_t waiting = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(waiting_wq);

/* The value of a register when a task comes from a function of ours; constant after its start. */
static u64 gate_pass;

/* Says who may access another process; 0 if this kernel has no such function.  Likewise. */
static unsigned long permission;

/* The functions, in the order of ksym_access_function(). */
enum gate {
	GATE_REMOTE,
	GATE_PTRACE,
	GATE_SWBP,
	GATE_VM,
	GATE_MAP,
	GATES,
};

static struct kprobe gates[GATES];

ARCH_GATE(gate_remote, gate_open_remote, gate_pass);
ARCH_GATE(gate_ptrace, gate_open_ptrace, gate_pass);
ARCH_GATE(gate_swbp, gate_open_swbp, gate_pass);
ARCH_GATE(gate_vm, gate_open_vm, gate_pass);
ARCH_GATE(gate_map, gate_open_map, gate_pass);

/*
 * Get the address at which the task goes on: where the kprobe is.  A task that was killed while it
 * waited goes to a function that returns 0: as none of its memory is accessed, no jump is harmed.
 */
static unsigned long gate_left(enum gate gate, bool killed)
{
	unsigned long addr = killed ? arch_zero_function() : (unsigned long)gates[gate].addr;

	if (atomic_dec_and_test(&waiting))
		wake_up_all(&waiting_wq);
	return addr;
}

/* Let no jump be written for a second: that is time for the access. */
static void keep_away(struct probed_mm *pmm)
{
	unsigned long until = jiffies + HZ;

	if (time_before(READ_ONCE(pmm->jumps.not_before), until))
		WRITE_ONCE(pmm->jumps.not_before, until);
	/* Pairs with jumps_write(): it sees that, or its jumps are seen here. */
	smp_mb();
}

/* Erase all jumps.  Return whether the task was killed before. */
static bool make_way(struct mm_struct *mm)
{
	struct probed_mm *pmm = pmm_find(mm);
	bool killed;

	if (!pmm)
		return false;
	killed = mutex_lock_killable(&pmm->lock);
	if (!killed) {
		jumps_erase_for_read(pmm, 0, ULONG_MAX);
		keep_away(pmm);
		mutex_unlock(&pmm->lock);
	}
	pmm_put(pmm);
	return killed;
}

/* Called with the arguments of access_remote_vm().  Return where to go on. */
static noinline __used unsigned long gate_open_remote(struct mm_struct *mm)
{
	return gate_left(GATE_REMOTE, make_way(mm));
}

/* Likewise with those of ptrace_access_vm(). */
static noinline __used unsigned long gate_open_ptrace(struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	bool killed = false;

	if (mm) {
		killed = make_way(mm);
		mmput(mm);
	}
	return gate_left(GATE_PTRACE, killed);
}

/*
 * Likewise with those of mm_access(), which checks the permission itself, but later.  A task that
 * may not access the process must not erase its jumps either.
 */
static noinline __used unsigned long gate_open_vm(struct task_struct *task, unsigned int mode)
{
	struct mm_struct *mm = get_task_mm(task);
	bool killed = false;

	if (mm) {
		/* A refusal is for mm_access() to log. */
		if (mm == current->mm ||
		    (u8)arch_call_sealed(permission, (unsigned long)task,
					 mode | PTRACE_MODE_NOAUDIT))
			killed = make_way(mm);
		mmput(mm);
	}
	return gate_left(GATE_VM, killed);
}

/* Likewise with those of set_swbp(), whose caller holds the mmap lock for writing. */
static noinline __used unsigned long gate_open_swbp(void *auprobe, unsigned long where)
{
	struct probed_mm *pmm = pmm_find(compat_swbp_mm(where));

	if (pmm) {
		/* The kernel has noted that it comes, so jumps_write() writes none again. */
		jumps_erase_range(pmm, 0, ULONG_MAX);
		pmm_put_not_last(pmm);
	}
	return gate_left(GATE_SWBP, false);
}

/* Likewise with those of vm_mmap_pgoff(). */
static noinline __used unsigned long gate_open_map(void)
{
	struct probed_mm *pmm = pmm_find(current->mm);
	bool killed = false;

	if (pmm) {
		killed = eviction_do(pmm);
		pmm_put(pmm);
	}
	return gate_left(GATE_MAP, killed);
}

/* Get the address space that a function is called for, or NULL.  Only its address may be used. */
static struct mm_struct *gate_mm(enum gate gate, struct pt_regs *regs)
{
	struct task_struct *task;
	struct mm_struct *mm;

	switch (gate) {
	case GATE_REMOTE:
		return (struct mm_struct *)regs_get_kernel_argument(regs, 0);
	case GATE_MAP:
		return current->mm;
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

/*
 * Check whether the arguments of a process are read: many programs look at those of all processes,
 * again and again.  The program can set their address (PR_SET_MM_MAP).  So accept it only if
 * they are few, and have no jump in them.
 */
static bool reads_arguments(const struct probed_mm *pmm, struct pt_regs *regs)
{
	const struct mm_struct *mm = (struct mm_struct *)regs_get_kernel_argument(regs, 0);
	unsigned long addr = regs_get_kernel_argument(regs, 1);
	unsigned long len = (int)regs_get_kernel_argument(regs, 3);
	unsigned long start = READ_ONCE(mm->arg_start), end = READ_ONCE(mm->env_end);

	return !(regs_get_kernel_argument(regs, 4) & FOLL_WRITE) && end - start <= SZ_1M &&
	       addr >= start && addr + len >= addr && addr + len <= end &&
	       (!READ_ONCE(pmm->jumps.nr) || end <= READ_ONCE(pmm->jumps.low) ||
		start >= READ_ONCE(pmm->jumps.high));
}

/* Check whether a jump may be in the way of a call.  Context: RCU read side. */
static bool gate_closed(enum gate gate, struct pt_regs *regs)
{
	struct mm_struct *mm = gate_mm(gate, regs);
	struct probed_mm *pmm = mm ? pmm_lookup(mm) : NULL;
	unsigned long addr, len;

	if (!pmm)
		return false;
	switch (gate) {
	case GATE_SWBP:
		/* The mmap lock keeps jumps from being written now. */
		return READ_ONCE(pmm->jumps.nr);
	case GATE_VM:
		/* Whether the task may do that cannot be asked here. */
		return true;
	case GATE_MAP:
		return eviction_wanted(pmm, regs_get_kernel_argument(regs, 1),
				       regs_get_kernel_argument(regs, 2),
				       regs_get_kernel_argument(regs, 4));
	case GATE_REMOTE:
		if (reads_arguments(pmm, regs))
			return false;
		fallthrough;
	default:
		addr = regs_get_kernel_argument(regs, 1);
		len = (int)regs_get_kernel_argument(regs, 3);
		keep_away(pmm);
		return READ_ONCE(pmm->jumps.nr) &&
		       addr < READ_ONCE(pmm->jumps.high) &&
		       (addr + len < addr || addr + len > READ_ONCE(pmm->jumps.low));
	}
}

static int on_gate(struct kprobe *kp, struct pt_regs *regs)
{
	static void (*const ways[])(void) = {
		gate_remote, gate_ptrace, gate_swbp, gate_vm, gate_map,
	};
	enum gate gate = kp - gates;
	bool closed;

	if (arch_gate_passed(regs, gate_pass))
		return 0;
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

	get_random_bytes(&gate_pass, sizeof(gate_pass));
	ret = ksym_permission(&permission);
	if (ret && ret != -ENOENT)
		return ret;
	for (i = 0; i < GATES; i++) {
		if (i == GATE_VM && !permission)
			continue;
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
