// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints of others at addresses that are probed here.
 *
 * One byte of text serves all who want a breakpoint there.  This module sees
 * each trap first and hands it on where another has a breakpoint, too; and as
 * it cannot be asked who has, it watches the writes: the kernel's uprobes put
 * theirs in and take it out by set_swbp() and set_orig_insn(); debuggers write
 * (and save before) by ptrace_access_vm() and access_remote_vm(), and are shown
 * the text without our breakpoints, so that what they save is the program's.
 *
 * site::owner is written by these hooks, in any context, and under
 * probed_mm::lock; a hook that comes just when the site is settled may be
 * overtaken by a debugger's write (never by the kernel's, which has the mmap
 * lock for writing when it puts one in).
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
#include "attach/sync.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "text/late_trap.h"
#include "text/owner.h"
#include "text/read.h"
#include "trap/copied.h"
#include "trap/signal.h"

/* The kernel is taking its breakpoint out; behind it, ours is to be put in. */
static void foreign_left(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	WRITE_ONCE(site->owner, OWNER_OTHER_LEFT);
	WRITE_ONCE(site->idle_since, REMOVALS_MAX);
	WRITE_ONCE(site->state, SITE_IDLE);
	pmm_queue(pmm, &pmm->life.rearm);
}

/* A site that traps find, or NULL.  Context: RCU read side. */
static struct site *probe_site(struct mm_struct *mm, unsigned long addr)
{
	struct site *site = site_find(mm, addr);

	return site && site->kind == SITE_PROBE ? site : NULL;
}

/* The same, if anybody wants it.  Context: RCU read side. */
static struct site *foreign_site(struct mm_struct *mm, unsigned long addr)
{
	struct site *site = probe_site(mm, addr);

	return site && rcu_access_pointer(site->set) ? site : NULL;
}

/**
 * struct claim - a breakpoint of ours that the kernel is about to take for its own
 * @mm: the address space, only to be compared
 * @addr: where
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
	/* Also one that nobody wants any more: the breakpoint may still be there. */
	site = probe_site(claim->mm, claim->addr);
	if (site && (READ_ONCE(site->state) == SITE_ARMED ||
		     READ_ONCE(site->state) == SITE_INHERITED))
		claimed = cmpxchg(&site->owner, OWNER_OURS, OWNER_OTHER_SECOND) == OWNER_OURS;
	/* In a new mapping: ours has gone with the old one. */
	else if (site && READ_ONCE(site->state) == SITE_LOST)
		WRITE_ONCE(site->owner, OWNER_OTHER_FIRST);
	rcu_read_unlock();
	return !claimed;
}

/* It may have failed, for want of memory or as its task is killed: then it has none there. */
static int on_swbp_done(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct claim *claim = (const struct claim *)ri->data;
	struct site *site;

	if (!(int)regs_return_value(regs))
		return 0;
	rcu_read_lock();
	/* The mmap lock has been held all along: nobody has gone by it. */
	site = probe_site(claim->mm, claim->addr);
	if (site)
		cmpxchg(&site->owner, OWNER_OTHER_SECOND, OWNER_OURS);
	rcu_read_unlock();
	return 0;
}

/*
 * The kernel goes through all processes that have breakpoints of its own, also those in which
 * it has put none at this place, as its probe is on others, or where that has failed.
 */
static int on_orig_insn(struct kprobe *kp, struct pt_regs *regs)
{
	struct mm_struct *mm = compat_swbp_mm(regs_get_kernel_argument(regs, 1));
	struct site *site;
	bool skip = false;
	u8 foreign;

	rcu_read_lock();
	site = foreign_site(mm, regs_get_kernel_argument(regs, 2));
	foreign = site ? READ_ONCE(site->owner) : OWNER_OTHER_LEFT;
	if (foreign == OWNER_OTHER_SECOND) {
		/* The kernel found our breakpoint there when it came, and wrote nothing. */
		WRITE_ONCE(site->owner, OWNER_OURS);
		skip = true;
	} else if (foreign == OWNER_OTHER_FIRST) {
		foreign_left(site);
	} else if (foreign == OWNER_OURS) {
		skip = READ_ONCE(site->state) == SITE_ARMED;
	}
	rcu_read_unlock();
	if (skip)
		arch_return_zero(regs);
	return skip;
}

/*
 * The kernel is about to make a call of a nop.  A breakpoint that is ours, too, has to stay
 * one; so has any in a process of ours, as a probe of ours may come before the kernel has
 * taken the mmap lock.
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
 * The current task is about to be sent a SIGTRAP for a breakpoint that the kernel does not
 * know.  At a site of ours that is one that was handed on while the kernel had a breakpoint
 * there; that has gone meanwhile, and what is in the text now is ours: the kernel cannot
 * tell.  The task executes it once more, without being counted.
 */
static int on_force_sig(struct kprobe *kp, struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);
	struct site *site;
	u8 foreign;
	bool skip;

	if (regs_get_kernel_argument(regs, 0) != SIGTRAP || !current->mm || !user_mode(user))
		return 0;
	/* The ip counts from elsewhere. */
	if (arch_code_mode(user) < 0)
		return 0;
	rcu_read_lock();
	/* Also one that nobody wants any more: ours may be going as well. */
	site = probe_site(current->mm, user->ip - ARCH_BREAKPOINT_LEN);
	foreign = site ? READ_ONCE(site->owner) : OWNER_OTHER_FIRST;
	/* Once armed, it is not handed on the next time, unless to the kernel that is back. */
	skip = foreign == OWNER_OTHER_LEFT ||
	       (foreign != OWNER_OTHER_FIRST && (READ_ONCE(site->state) == SITE_ARMED ||
						 hit_late(site) == LATE_REMOVED));
	if (skip) {
		user->ip = site->key.addr;
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
 * struct access - a debugger's look at, or write to, memory of a process
 * @mm: the address space, only to be compared
 * @addr: where
 * @bytes: what is written, or has been read; kernel memory
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

/* Whether the instruction of a site is the same after a write that reaches it at byte @i. */
static bool access_keeps(const struct access *access, int i, const struct site *site)
{
	return text_same(&access->bytes[i], site->plan.text,
			 min_t(int, access->len - i, ssol_len(&site->plan)));
}

/*
 * A breakpoint of ours stays when a debugger takes its own out.  If that is for
 * a single step over the instruction, ours is hit once more (utask::passed_on.told).
 * Another instruction is written over ours.
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
			   *byte == site->plan.text[0] && access_keeps(access, i, site)) {
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
		/* One that is another's, too, is there for all to see. */
		if (site && READ_ONCE(site->state) == SITE_ARMED &&
		    READ_ONCE(site->owner) == OWNER_OURS)
			*byte = site->plan.text[0];
		rcu_read_unlock();
	}
}

/*
 * An access begins.  Writes are changed here; false for those and for what is
 * none of our business, true when what is read is to be looked at.
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
	access_write(access);
	return false;
}

/* Whether the caller of the function that has just been entered is @name. */
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

	/* In some kernels the one calls the other. */
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
 * Puts in what OWNER_OTHER_LEFT says, unless the kernel is there again.  A task whose handlers
 * want no more of a breakpoint takes it out with the mmap lock held for reading, and may be
 * about to.
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
		/* It may have been settled meanwhile, with that breakpoint still there. */
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
 * foreign_rearm() - prepare an image for what is done here
 * @pmm: the image
 *
 * Its work holds a reference of the image while it is queued.
 */
void foreign_rearm(struct probed_mm *pmm)
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
	 * That sleeps, in as many tasks as map the file just then; a call that finds no room
	 * here goes unseen.
	 */
	{ .entry_handler = on_swbp, .handler = on_swbp_done,
	  .data_size = sizeof(struct claim), .maxactive = 512 },
};

/* Those of either that are attached, as bits; changed under lifecycle's mutex. */
static unsigned long kprobes_on, kretprobes_on;

/**
 * foreign_watch() - attach to the writes of others, once
 *
 * A kernel without uprobes lacks the functions of that.
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
	return 0;

fail:
	pr_err("watching the breakpoints of others failed, error %d\n", ret);
	foreign_exit();
	return ret;
}

/**
 * foreign_exit() - detach
 *
 * Context: may sleep; no consumer is registered.
 */
void foreign_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kretprobes); i++) {
		if (__test_and_clear_bit(i, &kretprobes_on))
			unregister_kretprobe(&kretprobes[i]);
	}
	for (i = 0; i < ARRAY_SIZE(kprobes); i++) {
		if (__test_and_clear_bit(i, &kprobes_on))
			unregister_kprobe(&kprobes[i]);
	}
}
