// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints of other owners at addresses that are probed here.
 *
 * One byte of text serves all owners of a breakpoint there.  This module sees each trap first,
 * and passes it on if the breakpoint has another owner, too.  There is no way to ask who owns a
 * breakpoint, so the module watches the writes.  The kernel's uprobes insert their breakpoint
 * with set_swbp() and remove it with set_orig_insn().  Debuggers write, and save the text before,
 * through ptrace_access_vm() and access_remote_vm().  They are shown the text without our
 * breakpoints, so they save the program's text.
 *
 * site::owner is written by these hooks, in any context, and under probed_mm::lock.  A debugger's
 * hook may run during a sync of the site.  Then the debugger's write may reach the text before the
 * sync's.  The kernel's uprobes hold the mmap lock for writing when they insert a breakpoint, so
 * their write cannot.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "foreign.h"
#include "arch.h"
#include "ssol.h"
#include "text_access.h"
#include "attach/sync.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "core/task.h"
#include "text/late_trap.h"
#include "text/owner.h"
#include "text/read.h"
#include "trap/copied.h"
#include "trap/resumption.h"

/* The kernel removes its breakpoint: queue the work that inserts ours after that. */
static void other_owner_gone(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	WRITE_ONCE(site->owner, OWNER_OTHER_LEFT);
	WRITE_ONCE(site->idle_since, REMOVALS_MAX);
	WRITE_ONCE(site->state, SITE_IDLE);
	pmm_queue(pmm, &pmm->life.rearm);
}

/* Find the probe site at an address, or NULL.  Context: RCU read side. */
static struct site *probe_site(struct mm_struct *mm, unsigned long addr)
{
	struct site *site = site_find(mm, addr);

	return site && site->kind == SITE_PROBE ? site : NULL;
}

/* Likewise, but only a site that has consumers.  Context: RCU read side. */
static struct site *foreign_site(struct mm_struct *mm, unsigned long addr)
{
	struct site *site = probe_site(mm, addr);

	return site && rcu_access_pointer(site->set) ? site : NULL;
}

/**
 * struct claim - a breakpoint of ours that the kernel is about to take for its own
 * @mm: the address space, only to be compared
 * @addr: address of the breakpoint
 */
struct claim {
	struct mm_struct *mm;
	unsigned long addr;
};

static int on_swbp(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct claim *claim = (struct claim *)ri->data;
	bool claimed = false;
	struct site *site;

	claim->mm = compat_swbp_mm(regs_get_kernel_argument(regs, 1));
	claim->addr = regs_get_kernel_argument(regs, 2);
	rcu_read_lock();
	/* Include a site without consumers: its breakpoint may still be there. */
	site = probe_site(claim->mm, claim->addr);
	if (site && (READ_ONCE(site->state) == SITE_ARMED ||
		     READ_ONCE(site->state) == SITE_INHERITED))
		claimed = cmpxchg(&site->owner, OWNER_OURS, OWNER_OTHER_SECOND) == OWNER_OURS;
	/* The mapping is a new one: our breakpoint has gone with the old one. */
	else if (site && READ_ONCE(site->state) == SITE_LOST)
		WRITE_ONCE(site->owner, OWNER_OTHER_FIRST);
	rcu_read_unlock();
	return !claimed;
}

/*
 * Undo the claim if set_swbp() has failed, for lack of memory or because its task is being
 * killed: the kernel has no breakpoint there then.
 */
static int on_swbp_done(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct claim *claim = (const struct claim *)ri->data;
	struct site *site;

	if (!(int)regs_return_value(regs))
		return 0;
	rcu_read_lock();
	/* The mmap lock has been held since the claim: nothing has relied on the claim. */
	site = probe_site(claim->mm, claim->addr);
	if (site)
		cmpxchg(&site->owner, OWNER_OTHER_SECOND, OWNER_OURS);
	rcu_read_unlock();
	return 0;
}

/*
 * Handle the removal of a breakpoint by the kernel's uprobes.  The kernel goes through all
 * processes that have breakpoints of its own.  At this place it may have inserted none: its probe
 * is on other processes, or the insertion failed.
 */
static int on_orig_insn(struct kprobe *kp, struct pt_regs *regs)
{
	struct mm_struct *mm = compat_swbp_mm(regs_get_kernel_argument(regs, 1));
	struct site *site;
	bool skip = false;
	u8 owner;

	rcu_read_lock();
	site = foreign_site(mm, regs_get_kernel_argument(regs, 2));
	owner = site ? READ_ONCE(site->owner) : OWNER_OTHER_LEFT;
	if (owner == OWNER_OTHER_SECOND) {
		/* The kernel found our breakpoint there when it came, and wrote nothing. */
		WRITE_ONCE(site->owner, OWNER_OURS);
		skip = true;
	} else if (owner == OWNER_OTHER_FIRST) {
		other_owner_gone(site);
	} else if (owner == OWNER_OURS) {
		skip = READ_ONCE(site->state) == SITE_ARMED;
	}
	rcu_read_unlock();
	if (skip)
		arch_return_zero(regs);
	return skip;
}

/*
 * Keep the kernel from replacing a nop by a call.  A breakpoint that is ours, too, has to stay a
 * breakpoint.  So has any breakpoint in a probed process, because a probe of ours may come before
 * the kernel has taken the mmap lock.
 */
static int on_optimize(struct kprobe *kp, struct pt_regs *regs)
{
	bool skip;

	rcu_read_lock();
	skip = pmm_lookup(current->mm);
	rcu_read_unlock();
	if (skip)
		arch_return_zero(regs);
	return skip;
}

/*
 * Suppress a SIGTRAP for a breakpoint that the kernel does not know.  At a site of ours, the trap
 * was passed on while the kernel had a breakpoint there.  The kernel's is gone now, and the
 * one in the text is ours, which the kernel does not know.  The task executes it once more, and the
 * hit is not counted again.
 */
static int on_force_sig(struct kprobe *kp, struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);
	struct utask *utask;
	struct site *site;
	u8 owner;
	bool skip;

	if (regs_get_kernel_argument(regs, 0) != SIGTRAP || !current->mm || !user_mode(user))
		return 0;
	/* The ip is relative to a segment of the program's own making. */
	if (arch_code_mode(user) < 0)
		return 0;
	rcu_read_lock();
	/* Include a site without consumers: our breakpoint may be on its way out as well. */
	site = probe_site(current->mm, user->ip - ARCH_BREAKPOINT_LEN);
	owner = site ? READ_ONCE(site->owner) : OWNER_OTHER_FIRST;
	/*
	 * If the site is armed, the next trap is not passed on, unless the kernel has a breakpoint
	 * there again.
	 */
	skip = owner == OWNER_OTHER_LEFT ||
	       (owner != OWNER_OTHER_FIRST && (READ_ONCE(site->state) == SITE_ARMED ||
					       hit_late(site) == LATE_REMOVED));
	if (skip) {
		user->ip = site->key.addr;
		utask = utask_find(current);
		/* If the kernel was asked, the hit is yet to be handled. */
		if (!utask || !utask->asking.site)
			signal_note_resumption(site, user);
	} else if (!site) {
		skip = copied_trap(user);
	}
	if (skip)
		arch_return_zero(regs);
	rcu_read_unlock();
	return skip;
}

/**
 * struct access - a debugger's read or write of memory of a process
 * @mm: the address space, only to be compared
 * @addr: first address
 * @bytes: the bytes to write, or the bytes read; kernel memory
 * @len: how many bytes
 */
struct access {
	struct mm_struct *mm;
	unsigned long addr;
	u8 *bytes;
	int len;
};

static bool access_probed(const struct access *access)
{
	bool probed;

	rcu_read_lock();
	probed = access->mm && access->len > 0 && pmm_lookup(access->mm);
	rcu_read_unlock();
	return probed;
}

/* Check whether a write that reaches a site at byte @i leaves its instruction the same. */
static bool access_keeps(const struct access *access, int i, const struct site *site)
{
	return text_same(&access->bytes[i], site->plan->text,
			 min_t(int, access->len - i, ssol_len(site->plan)));
}

/*
 * Change a debugger's write.  If the debugger removes its own breakpoint, ours stays in the text.
 * If it does so for a single step over the instruction, the task hits ours once more
 * (utask::passed_on.reported).  If it writes another instruction, that overwrites our breakpoint.
 */
static void access_write(const struct access *access)
{
	struct site *site;
	int i;

	for (i = 0; i < access->len; i++) {
		u8 *byte = &access->bytes[i];

		rcu_read_lock();
		site = foreign_site(access->mm, access->addr + i);
		if (!site) {
			;
		} else if (*byte == ARCH_BREAKPOINT) {
			if (READ_ONCE(site->state) == SITE_ARMED && site->owner == OWNER_OURS)
				WRITE_ONCE(site->owner, OWNER_OTHER_FIRST);
		} else if (READ_ONCE(site->state) == SITE_ARMED &&
			   *byte == site->plan->text[0] && access_keeps(access, i, site)) {
			if (site->owner == OWNER_OTHER_FIRST)
				WRITE_ONCE(site->owner, OWNER_OURS);
			*byte = ARCH_BREAKPOINT;
		}
		rcu_read_unlock();
	}
}

static void access_read(const struct access *access)
{
	struct site *site;
	int i;

	for (i = 0; i < access->len; i++) {
		u8 *byte = &access->bytes[i];

		if (*byte != ARCH_BREAKPOINT)
			continue;
		rcu_read_lock();
		site = foreign_site(access->mm, access->addr + i);
		/* A breakpoint that has another owner, too, is visible to all. */
		if (site && READ_ONCE(site->state) == SITE_ARMED &&
		    READ_ONCE(site->owner) == OWNER_OURS)
			*byte = site->plan->text[0];
		rcu_read_unlock();
	}
}

/* Note that a debugger may change the instruction at a breakpoint. */
static void access_unsure(struct mm_struct *mm)
{
	struct probed_mm *pmm;

	rcu_read_lock();
	pmm = pmm_lookup(mm);
	if (pmm)
		WRITE_ONCE(pmm->text.unsure, true);
	rcu_read_unlock();
}

/*
 * Handle the start of an access.  Change the bytes of a write here.  Return true if the access is
 * a read, whose result has to be changed at its end; false for a write, and for memory of a
 * process that is not probed.
 */
static bool access_begin(struct access *access, struct pt_regs *regs, struct mm_struct *mm)
{
	access->mm = mm;
	access->addr = regs_get_kernel_argument(regs, 1);
	access->bytes = (u8 *)regs_get_kernel_argument(regs, 2);
	access->len = regs_get_kernel_argument(regs, 3);
	if (!access_probed(access))
		return false;
	if (!(regs_get_kernel_argument(regs, 4) & FOLL_WRITE))
		return true;
	access_unsure(mm);
	access_write(access);
	return false;
}

/* Check whether @name is the caller of the function that has just been entered. */
static bool called_by(const struct pt_regs *regs, const char *name)
{
	char caller[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(caller, *(unsigned long *)regs->sp);
	return !strcmp(caller, name);
}

static int on_remote_access(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct mm_struct *mm = (struct mm_struct *)regs_get_kernel_argument(regs, 0);
	struct access access = { .mm = mm, .len = 1 };

	/* In some kernels, ptrace_access_vm() calls access_remote_vm(). */
	if (!access_probed(&access) || called_by(regs, ksym_access_function(1)))
		return 1;
	return !access_begin((struct access *)ri->data, regs, mm);
}

static int on_ptrace_access(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct task_struct *task = (struct task_struct *)regs_get_kernel_argument(regs, 0);

	return !access_begin((struct access *)ri->data, regs, READ_ONCE(task->mm));
}

static int on_read_done(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct access *access = (struct access *)ri->data;

	access->len = min_t(int, access->len, regs_return_value(regs));
	access_read(access);
	return 0;
}

/*
 * Insert our breakpoint at each site that is OWNER_OTHER_LEFT, unless the kernel is there again.
 * If handlers of the kernel's uprobes want no more hits, the task that runs them removes the
 * kernel's breakpoint with the mmap lock held for reading.  Take the mmap lock for writing once, to
 * wait for such a task.
 */
static void rearm(struct probed_mm *pmm)
{
	struct site *site;

	mutex_lock(&pmm->lock);
	for (site = pmm_first_site(pmm, 0); site; site = pmm_next_site(site)) {
		if (cmpxchg(&site->owner, OWNER_OTHER_LEFT, OWNER_OTHER_FIRST) != OWNER_OTHER_LEFT)
			continue;
		mmap_write_lock(pmm->mm);
		mmap_write_unlock(pmm->mm);
		/* A sync may have come meanwhile, with the kernel's breakpoint still there. */
		WRITE_ONCE(site->state, SITE_IDLE);
		if (pmm_sync(pmm, &site, 1, true, true) == -ENOMEM)
			pr_warn_ratelimited("no memory: 0x%lx is not probed where another's breakpoint has gone\n",
					    site->key.addr);
	}
	mutex_unlock(&pmm->lock);
}

static void rearm_work(struct work_struct *work)
{
	struct probed_mm *pmm = container_of(work, struct probed_mm, life.rearm);

	if (!pmm->life.dead && mmget_not_zero(pmm->mm)) {
		rearm(pmm);
		mmput_async(pmm->mm);
	}
	pmm_put(pmm);
}

/**
 * foreign_init_rearm() - prepare the work by which a probed mm inserts breakpoints again
 * @pmm: the probed mm
 *
 * The work holds a reference of the probed mm while it is queued.
 */
void foreign_init_rearm(struct probed_mm *pmm)
{
	INIT_WORK(&pmm->life.rearm, rearm_work);
}

static struct kprobe kprobes[] = {
	{ .pre_handler = on_orig_insn },
	{ .pre_handler = on_optimize },
	{ .pre_handler = on_force_sig },
};

static struct kretprobe kretprobes[] = {
	{ .entry_handler = on_remote_access, .handler = on_read_done,
	  .data_size = sizeof(struct access), .maxactive = 64 },
	{ .entry_handler = on_ptrace_access, .handler = on_read_done,
	  .data_size = sizeof(struct access), .maxactive = 64 },
	/*
	 * set_swbp() sleeps, in as many tasks as map the file just then.  A call that finds no
	 * room here is not seen.
	 */
	{ .entry_handler = on_swbp, .handler = on_swbp_done,
	  .data_size = sizeof(struct claim), .maxactive = 512 },
};

/* The registered ones of both arrays, as bits; changed under watch_mutex (task_events.c). */
static unsigned long kprobes_on, kretprobes_on;

/**
 * foreign_watch() - start to watch the writes of other owners, once
 *
 * A kernel without uprobes lacks the functions that only uprobes have; that is not an error.
 *
 * Context: may sleep; one caller at a time.
 * Return: 0 or a negative errno.
 */
int foreign_watch(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(kprobes); i++) {
		kprobes[i].symbol_name = ksym_text_function(i);
		ret = ksym_redirect(&kprobes[i]);
		if (!ret) {
			__set_bit(i, &kprobes_on);
			hooks_watch(&kprobes[i]);
		} else if (ret != -ENOENT) {
			goto fail;
		}
	}
	for (i = 0; i < ARRAY_SIZE(kretprobes); i++) {
		kretprobes[i].kp.addr = NULL;
		kretprobes[i].kp.symbol_name = ksym_access_function(i);
		ret = register_kretprobe(&kretprobes[i]);
		if (!ret) {
			__set_bit(i, &kretprobes_on);
			hooks_watch_return(&kretprobes[i]);
		} else if (ret != -ENOENT) {
			goto fail;
		}
	}
	ret = gates_watch();
	if (!ret)
		return 0;

fail:
	pr_err("watching the breakpoints of others failed, error %d\n", ret);
	foreign_exit();
	return ret;
}

/**
 * foreign_exit() - stop watching the writes of other owners
 *
 * Context: may sleep; no consumer is registered.
 */
void foreign_exit(void)
{
	unsigned int i;

	gates_exit();
	for (i = 0; i < ARRAY_SIZE(kretprobes); i++) {
		if (__test_and_clear_bit(i, &kretprobes_on))
			unregister_kretprobe(&kretprobes[i]);
	}
	for (i = 0; i < ARRAY_SIZE(kprobes); i++) {
		if (__test_and_clear_bit(i, &kprobes_on))
			unregister_kprobe(&kprobes[i]);
	}
}
