// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings: probes on files follow them, and text that mremap() moves.  Jumps go before the program
 * can copy them.
 *
 * The kprobe is attached while probes on files, watched unwinders, or reference counters need
 * new mappings, and from the first jump until the module is unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "map_events.h"
#include "arch.h"
#include "attach/attach.h"
#include "attach/mapping.h"
#include "attach/ref_ctr.h"
#include "attach/unwinder.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/probe_file.h"
#include "core/probed_mm.h"
#include "core/task.h"
#include "jump/jump.h"
#include "text/read.h"

/* Protects map_watchers. */
static DEFINE_MUTEX(map_mutex);
static unsigned int map_watchers;

/* Handle the end of an mremap() that has moved text.  Its result is the new address. */
static void moved_follow(struct utask *utask)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct probed_mm *pmm = utask->map.moves ? pmm_find(current->mm) : NULL;
	unsigned long start, end;

	utask->map.moves = false;
	if (!pmm)
		return;
	if (arch_mremap_moves(regs, &start, &end)) {
		pmm_moved(pmm, start, end, arch_mremap_moved(regs));
		ref_ctrs_moved(pmm, start, end, arch_mremap_moved(regs));
	}
	atomic_dec(&pmm->text.moving);
	pmm_put(pmm);
}

/* Erase the jumps of the current process if it may execute code that it has written. */
static void text_hide(void)
{
	struct probed_mm *pmm = pmm_find(current->mm);

	if (!pmm)
		return;
	jumps_hide_text(pmm);
	pmm_put(pmm);
}

static void map_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, map.work);

	utask->map.queued = false;
	if (current->mm) {
		moved_follow(utask);
		text_hide();
		mapping_apply(current->mm);
		ref_ctrs_mapped(current->mm);
		unwinder_mapped(current->mm);
	}
	mapping_await(-1);
	utask_work_done(utask);
	task_work_end();
}

static void map_queue(struct utask *utask)
{
	if (utask->map.queued)
		return;
	utask->map.queued = true;
	/* The mmap lock is held: a fork that copies the mapping sees this. */
	mapping_await(1);
	if (task_work_begin(current, &utask->map.work, map_work)) {
		utask->map.queued = false;
		mapping_await(-1);
	}
}

/**
 * task_moves_text() - follow an mremap() of the current task that moves breakpoints or counters
 * @pmm: its address space
 *
 * Queue work that finds them at their new addresses.
 *
 * Context: any but the trap.
 */
void task_moves_text(struct probed_mm *pmm)
{
	struct utask *utask = utask_get_aside(current);

	if (!utask) {
		pr_warn_ratelimited("no memory: process %d moves probed text and may die of it\n",
				    task_tgid_nr(current));
		return;
	}
	if (!utask->map.moves)
		atomic_inc(&pmm->text.moving);
	utask->map.moves = true;
	map_queue(utask);
}

static bool map_wanted(const struct vm_area_struct *vma)
{
	const struct probed_mm *pmm;
	bool code = vma->vm_flags & VM_EXEC, watched;
	bool data = (vma->vm_flags & (VM_WRITE | VM_MAYSHARE)) == VM_WRITE;

	if (!vma->vm_file || (!code && !data))
		return false;
	if (probe_file_wanted(file_inode(vma->vm_file), code))
		return true;
	rcu_read_lock();
	pmm = pmm_lookup(vma->vm_mm);
	watched = pmm && ((READ_ONCE(pmm->unwinders.watched) >= WATCH_SOUGHT &&
			   text_probeable(vma)) ||
			  (data && READ_ONCE(pmm->attached.counters)));
	rcu_read_unlock();
	return watched;
}

/*
 * Note that a mapping may have code that the program has written.  From now on, no jump is written.
 * Return whether there are jumps, as the program may copy them.
 */
static bool map_hides(const struct vm_area_struct *vma)
{
	struct probed_mm *pmm;
	bool jumps = false;

	if (!jump_hidden_text(vma))
		return false;
	rcu_read_lock();
	pmm = pmm_lookup(vma->vm_mm);
	if (pmm) {
		WRITE_ONCE(pmm->jumps.hidden_text, true);
		jumps = READ_ONCE(pmm->jumps.nr);
	}
	rcu_read_unlock();
	return jumps;
}

/* The task that tests whether on_map() is called; on_map() sets this to NULL. */
static struct task_struct *map_trial;

/* Handle a mapping in the address space of the current task. */
static int on_map(struct kprobe *kp, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)regs_get_kernel_argument(regs, 0);
	struct utask *utask;

	if (READ_ONCE(map_trial) == current)
		WRITE_ONCE(map_trial, NULL);
	if (vma->vm_mm != current->mm || current->flags & PF_KTHREAD)
		return 0;
	if (!map_hides(vma) && !map_wanted(vma))
		return 0;
	utask = utask_get_aside(current);
	if (!utask) {
		pr_warn_ratelimited("no memory: process %d maps memory: what is probed there is missed, and it may die if it copies text\n",
				    task_tgid_nr(current));
		return 0;
	}
	map_queue(utask);
	return 0;
}

static struct kprobe map_kprobe;

/**
 * map_events_watch() - watch new mappings for one more user
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int map_events_watch(void)
{
	int ret = 0;

	mutex_lock(&map_mutex);
	if (!map_watchers) {
		map_kprobe = (struct kprobe) {
			.symbol_name = ksym_map_function(),
			.pre_handler = on_map,
		};
		ret = register_kprobe(&map_kprobe);
		if (ret)
			pr_err("a kprobe on %s() failed, error %d: new mappings cannot be followed\n",
			       ksym_map_function(), ret);
	}
	if (!ret && !map_watchers++)
		hooks_watch(&map_kprobe);
	mutex_unlock(&map_mutex);
	return ret;
}

/**
 * map_events_try() - check whether new mappings are seen, while they are watched
 *
 * The current task maps a page, and unmaps it.  A kernel thread has no address space for that.
 *
 * Context: may sleep; takes the mmap lock of the current task.
 * Return: 0; -EOPNOTSUPP if they are not seen, which the log says; -EINTR if being killed.
 */
int map_events_try(void)
{
	static DEFINE_MUTEX(trial_mutex);
	unsigned long addr;
	bool seen;

	if (!current->mm || current->flags & PF_KTHREAD)
		return 0;
	if (mutex_lock_killable(&trial_mutex))
		return -EINTR;
	WRITE_ONCE(map_trial, current);
	addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	seen = !READ_ONCE(map_trial);
	WRITE_ONCE(map_trial, NULL);
	mutex_unlock(&trial_mutex);
	/* If the task cannot map anything, the test says nothing. */
	if (IS_ERR_VALUE(addr))
		return 0;
	vm_munmap(addr, PAGE_SIZE);
	if (seen)
		return 0;
	pr_err("no file can be probed: this kernel maps memory without a call of %s() that is seen\n",
	       ksym_map_function());
	return -EOPNOTSUPP;
}

/* Undo map_events_watch() for one user.  Context: may sleep. */
void map_events_unwatch(void)
{
	mutex_lock(&map_mutex);
	if (!--map_watchers)
		unregister_kprobe(&map_kprobe);
	mutex_unlock(&map_mutex);
}
