// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the functions by which programs begin to walk their stack.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/workqueue.h>

#include "unwinder.h"
#include "arch.h"
#include "attach.h"
#include "unwinder_files.h"
#include "base/hooks.h"
#include "base/worker.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/task_handler.h"
#include "target/elf_symbol.h"
#include "target/target.h"
#include "text/mapped_file.h"
#include "text/read.h"
#include "uret/calls_walk.h"
#include "uret/unhijack.h"

/*
 * The level I interface of the Itanium C++ ABI ("Exception Handling", 1.3), in
 * libgcc and libunwind alike, and what both have in addition.
 */
static const char * const unwinder_names[] = {
	"_Unwind_RaiseException",
	"_Unwind_ForcedUnwind",
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"_Unwind_Backtrace",
};

#define NR_NAMES	ARRAY_SIZE(unwinder_names)

static_assert(NR_NAMES == UNWINDER_NAMES);

/* How unwinders find the code they walk through, also those that are linked in and hidden. */
static const char * const unwinder_needs[] = {
	"_dl_find_object",
	"dl_iterate_phdr",
	NULL
};

/*
 * How much is read of the files of an address space, in bytes, to find unwinders: several times
 * what a large program with its libraries takes. As time counts as well, that takes two seconds at
 * most.
 */
#define READ_ALLOWANCE	(256ULL << 20)

/* How long calls under way are given until it is looked again. */
#define SWEEP_INTERVAL	HZ

static void on_unwind(struct uprobe *u, struct pt_regs *regs)
{
	if (!ret_addrs_restore(false))
		task_handler_ask();
}

/* Where a page of a stack was not present, or was shared with a forked child; or too many calls. */
static void on_unwind_in_task(struct uprobe *u, struct pt_regs *regs)
{
	ret_addrs_restore(true);
}

static struct uprobe unwinder_probe = {
	.handler = on_unwind,
	.task_handler = on_unwind_in_task,
	.flags = UPROBE_ATOMIC,
};

/* The module's own; from unwinder_init() to unwinder_free(). */
static struct consumer *unwinder;

/**
 * struct code - a mapping of code
 * @file: the file, with a reference
 * @start: first address
 * @end: first address behind it
 * @offset: position in the file of @start
 */
struct code {
	struct file *file;
	unsigned long start;
	unsigned long end;
	loff_t offset;
};

/**
 * struct code_list - what an address space has mapped as code
 * @maps: the mappings
 * @nr: how many
 * @room: for how many there is memory
 */
struct code_list {
	struct code *maps;
	unsigned int nr;
	unsigned int room;
};

static void code_list_drop(struct code_list *list)
{
	while (list->nr)
		fput(list->maps[--list->nr].file);
}

/* False when there is more than there is memory for. */
static bool code_list_fill(struct code_list *list, struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;
	bool fits = true;

	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		if (!vma->vm_file || !text_probeable(vma) ||
		    !S_ISREG(file_inode(vma->vm_file)->i_mode))
			continue;
		fits = list->nr < list->room;
		if (!fits)
			break;
		list->maps[list->nr++] = (struct code) {
			.file = get_file(vma->vm_file),
			.start = vma->vm_start,
			.end = vma->vm_end,
			.offset = vma_position(vma, vma->vm_start),
		};
	}
	mmap_read_unlock(mm);
	return fits;
}

static int code_compare(const void *p, const void *q)
{
	const struct code *a = p, *b = q;

	if (file_inode(a->file) != file_inode(b->file))
		return file_inode(a->file) < file_inode(b->file) ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* False when there was no memory, as there is none for other mappings then either. */
static bool watch_map(struct probed_mm *pmm, const struct code *code,
		      const struct elf_symbol *symbols)
{
	struct attach_request requests[NR_NAMES] = {};
	unsigned int k, n = 0;

	for (k = 0; k < NR_NAMES; k++) {
		u64 at = symbols[k].offset - code->offset;

		if (!symbols[k].offset || at >= code->end - code->start ||
		    !text_bring(pmm->mm, code->start + at))
			continue;
		requests[n++] = (struct attach_request) {
			.consumer = unwinder,
			.addr = code->start + at,
			.where = { .inode = file_inode(code->file), .offset = symbols[k].offset },
		};
	}
	return !n || pmm_attach(pmm, requests, n);
}

/* Probes the unwinders in all mappings of a list, looking into each file once. */
static void watch_list(struct probed_mm *pmm, const struct code_list *list)
{
	struct elf_symbol symbols[NR_NAMES];
	u64 allowance = READ_ALLOWANCE;
	struct inode *inode = NULL;
	struct file_key key;
	unsigned int i, k;

	for (k = 0; k < NR_NAMES; k++)
		symbols[k].name = unwinder_names[k];
	for (i = 0; i < list->nr && !fatal_signal_pending(current); i++) {
		const struct code *code = &list->maps[i];

		if (file_inode(code->file) != inode) {
			const struct target target = {
				.file = code->file,
				.inode = file_inode(code->file),
			};

			inode = target.inode;
			if (!unwinder_file_known(inode, &key, symbols) &&
			    elf_symbols_find(&target, symbols, NR_NAMES, unwinder_needs,
					     &allowance))
				unwinder_file_note(inode, &key, symbols);
		}
		if (!watch_map(pmm, code, symbols))
			break;
		cond_resched();
	}
}

/* Probes the unwinders in all code of an address space that is in use. */
static void watch_code(struct probed_mm *pmm)
{
	struct code_list list = { .room = 64 };

	for (;;) {
		list.maps = kvmalloc_array(list.room, sizeof(*list.maps), GFP_KERNEL);
		if (!list.maps)
			return;
		if (code_list_fill(&list, pmm->mm))
			break;
		code_list_drop(&list);
		kvfree(list.maps);
		list.room *= 2;
	}
	sort(list.maps, list.nr, sizeof(*list.maps), code_compare, NULL);
	watch_list(pmm, &list);
	code_list_drop(&list);
	kvfree(list.maps);
}

/*
 * Whether new mappings are watched, as they are while any image is; and whether that is
 * over, as the module goes.  Taken before all locks of probe.h's list.
 */
static DEFINE_MUTEX(maps_mutex);
static bool maps_watched, maps_over;

/* Looks for the unwinders.  The caller holds probed_mm::unwinders.lock. */
static void seek(struct probed_mm *pmm)
{
	/*
	 * A fully ordered exchange: of who maps code meanwhile either the mapping is seen here, or
	 * this is seen there.
	 */
	cmpxchg(&pmm->unwinders.watched, WATCH_WANTED, WATCH_SOUGHT);
	if (READ_ONCE(pmm->unwinders.watched) != WATCH_SOUGHT)
		return;
	watch_code(pmm);
	/* Killed, it may have left some out, and others may share the address space. */
	if (!fatal_signal_pending(current)) {
		/* Pairs with unwinder_known(). */
		smp_store_release(&pmm->unwinders.watched, WATCH_DONE);
	}
}

/**
 * unwinder_watch() - a process is to get a return probe, or a call that is followed
 * @pmm: the address space, in use
 *
 * Its unwinders are not probed yet: unwinder_seek() does that, before a call is followed.
 *
 * Until unwinder_watched(), and from then on as long as there are return probes, or calls
 * under way, they are not left alone.
 *
 * Context: may sleep; takes probed_mm::unwinders.lock and what comes below.
 */
void unwinder_watch(struct probed_mm *pmm)
{
	down_read(&pmm->unwinders.lock);
	cmpxchg(&pmm->unwinders.watched, WATCH_NONE, WATCH_WANTED);
	/* Who finds no image watched has the mutex meanwhile. */
	mutex_lock(&maps_mutex);
	/* A fork can still be followed while the module goes. */
	if (!maps_watched && !maps_over)
		maps_watched = !hook_ops->watch_maps();
	mutex_unlock(&maps_mutex);
}

/**
 * unwinder_watch_now() - the same, and its unwinders are probed at once
 * @pmm: the current task's address space
 *
 * Context: as for unwinder_watch().
 */
void unwinder_watch_now(struct probed_mm *pmm)
{
	unwinder_watch(pmm);
	seek(pmm);
}

/**
 * unwinder_seek() - probe the unwinders that a process has mapped, unless they are
 * @pmm: the current task's address space, with a return probe
 *
 * The program maps whatever it likes, and its files may lie where reading takes for ever: its own
 * task reads them, before its first call is followed.  Two tasks at once both do.
 *
 * Does what it can: without memory the process is as unsafe as it would be
 * with the kernel's own return probes.
 *
 * Context: may sleep; takes probed_mm::unwinders.lock and what comes below.
 */
void unwinder_seek(struct probed_mm *pmm)
{
	if (unwinder_known(pmm))
		return;
	down_read(&pmm->unwinders.lock);
	seek(pmm);
	up_read(&pmm->unwinders.lock);
}

/* The return probes or calls that unwinder_watch() was for are there. */
void unwinder_watched(struct probed_mm *pmm)
{
	up_read(&pmm->unwinders.lock);
}

/* Whether there are return probes, or calls that have not returned. */
static bool pmm_needs_watching(struct probed_mm *pmm)
{
	return READ_ONCE(pmm->attached.returns) || calls_any(&pmm->uret.calls);
}

/**
 * unwinder_mapped() - a process has mapped more code
 * @mm: its address space, in use
 *
 * Context: may sleep; takes probed_mm::unwinders.lock, probed_mm::lock and the mmap lock.
 */
void unwinder_mapped(struct mm_struct *mm)
{
	struct probed_mm *pmm = pmm_find(mm);
	bool wanted;

	if (!pmm)
		return;
	/*
	 * The sweep only tries the lock, and does not take away what comes here meanwhile. What has
	 * nothing more to be watched for is left to it: who maps all the time would keep it away.
	 */
	wanted = rwsem_is_locked(&pmm->unwinders.lock);
	/* With up_read() in unwinder_watched(): the return probes are there, or still to come. */
	smp_rmb();
	if (READ_ONCE(pmm->unwinders.watched) >= WATCH_SOUGHT &&
	    (wanted || pmm_needs_watching(pmm))) {
		down_read(&pmm->unwinders.lock);
		if (READ_ONCE(pmm->unwinders.watched) >= WATCH_SOUGHT)
			watch_code(pmm);
		up_read(&pmm->unwinders.lock);
	}
	pmm_put(pmm);
}

/* Forget the calls of a process that were left without a return. */
static long prune_call(void *data)
{
	struct probed_mm *pmm = data;

	kthread_use_mm(pmm->mm);
	/* Not at the mercy of whoever has the pages that are absent. */
	calls_prune(&pmm->uret.calls, false);
	kthread_unuse_mm(pmm->mm);
	return 0;
}

/* Leaves an image alone; true unless that has to wait for calls to return. */
static bool pmm_unwatch(struct probed_mm *pmm)
{
	if (READ_ONCE(pmm->unwinders.watched) == WATCH_NONE || READ_ONCE(pmm->attached.returns))
		return true;
	if (calls_any(&pmm->uret.calls) && mmget_not_zero(pmm->mm)) {
		worker_call(prune_call, pmm);
		mmput(pmm->mm);
	}
	if (pmm_needs_watching(pmm))
		return false;
	pmm_detach(pmm, unwinder);
	WRITE_ONCE(pmm->unwinders.watched, WATCH_NONE);
	return true;
}

/* The same, but an image that is just getting a return probe is left to the next sweep. */
static bool pmm_try_unwatch(struct probed_mm *pmm, void *unused)
{
	bool done;

	if (!down_write_trylock(&pmm->unwinders.lock))
		return false;
	done = pmm_unwatch(pmm);
	up_write(&pmm->unwinders.lock);
	return done;
}

static bool pmm_is_watched(struct probed_mm *pmm, void *data)
{
	return READ_ONCE(pmm->unwinders.watched) == WATCH_NONE;
}

static void sweep_work(struct work_struct *work)
{
	bool done = pmm_for_each(pmm_try_unwatch, NULL);

	/* Not while one process is waited for: who probes returns in others takes it, too. */
	mutex_lock(&maps_mutex);
	if (maps_watched && pmm_for_each(pmm_is_watched, NULL)) {
		hook_ops->unwatch_maps();
		maps_watched = false;
	}
	mutex_unlock(&maps_mutex);
	if (!done)
		queue_delayed_work(system_unbound_wq, to_delayed_work(work), SWEEP_INTERVAL);
}

static DECLARE_DELAYED_WORK(sweep, sweep_work);

/**
 * unwinder_unwatch_later() - return probes have been unregistered
 *
 * Unwinders that need no watching any more are left alone when this returns, but where
 * a process is just mapping code: within some SWEEP_INTERVAL; those of processes with calls under
 * way follow when the calls have returned.
 *
 * Context: may sleep, no lock of probe.h's list held.
 */
void unwinder_unwatch_later(void)
{
	mod_delayed_work(system_unbound_wq, &sweep, 0);
	flush_delayed_work(&sweep);
}

/**
 * unwinder_sweep() - a process has calls under way whose return probes may have gone
 *
 * Its unwinders are left alone when they have returned.
 *
 * Context: any.
 */
void unwinder_sweep(void)
{
	queue_delayed_work(system_unbound_wq, &sweep, SWEEP_INTERVAL);
}

int unwinder_init(void)
{
	int ret = unwinder_files_init();

	if (ret)
		return ret;
	unwinder = consumer_create(&unwinder_probe, CONSUMER_ENTRY);
	if (IS_ERR(unwinder)) {
		unwinder_files_exit();
		return PTR_ERR(unwinder);
	}
	unwinder->in_every_process = true;
	/* A walk that comes to the trampoline ends the program. */
	unwinder->retry_on_nomem = true;
	unwinder->solo.retry_on_nomem = true;
	consumer_enable(unwinder);
	return 0;
}

static long detach_call(void *data)
{
	consumers_detach(&unwinder, 1);
	return 0;
}

/**
 * unwinder_exit() - leave all unwinders alone
 *
 * No call is hijacked any more; traps are still handled.
 *
 * Context: may sleep.
 */
void unwinder_exit(void)
{
	cancel_delayed_work_sync(&sweep);
	consumer_shut(unwinder);
	worker_call(detach_call, NULL);
	arch_trap_quiesce();
	consumer_wait(unwinder);
	mutex_lock(&maps_mutex);
	if (maps_watched)
		hook_ops->unwatch_maps();
	maps_watched = false;
	maps_over = true;
	mutex_unlock(&maps_mutex);
}

/**
 * unwinder_free() - the end of what probes unwinders
 *
 * Follows unwinder_exit(), when no task work is under way that could look for unwinders.
 *
 * Context: may sleep.
 */
void unwinder_free(void)
{
	cancel_delayed_work_sync(&sweep);
	consumer_release(unwinder);
	unwinder_files_exit();
}
