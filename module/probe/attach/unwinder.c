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
#include "attach_types.h"
#include "unwinder_files.h"
#include "visit.h"
#include "base/compat.h"
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
#include "uret/ret_addrs.h"

/*
 * The level I interface of the Itanium C++ ABI ("Exception Handling", 1.3), which libgcc and
 * LLVM's libunwind implement, and further functions that both have.  Then the functions of that
 * libunwind and of nongnu's by which a program walks its stack itself, by the names that their
 * headers make of unw_*.
 */
static const char * const unwinder_names[] = {
	"_Unwind_RaiseException",
	"_Unwind_ForcedUnwind",
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"_Unwind_Backtrace",
	"__unw_init_local",
	"unw_backtrace",
	"_ULx86_64_init_local",
	"_ULx86_64_init_local2",
	"_Ux86_64_init_local",
	"_Ux86_64_init_local2",
};

#define NR_NAMES	ARRAY_SIZE(unwinder_names)

static_assert(NR_NAMES == UNWINDER_NAMES);

/*
 * Functions by which unwinders find the code that they walk through.  Unwinders that are linked
 * into the program and hidden use them, too.
 */
static const char * const unwinder_needs[] = {
	"_dl_find_object",
	"dl_iterate_phdr",
	NULL
};

/*
 * Maximum number of bytes to read from the files of an address space, to find unwinders.  A large
 * program with its libraries takes several times less.  Time uses up the allowance as well, so the
 * search takes two seconds at most.
 */
#define READ_ALLOWANCE	(256ULL << 20)

/* Interval between two sweeps while calls are in flight. */
#define SWEEP_INTERVAL	HZ

static void on_unwind(struct uprobe *u, struct pt_regs *regs)
{
	if (!ret_addrs_restore(false))
		task_handler_ask();
}

/*
 * Called if a page of a stack was not present or was shared with a forked child, or if there were
 * too many calls for the trap.
 */
static void on_unwind_in_task(struct uprobe *u, struct pt_regs *regs)
{
	ret_addrs_restore(true);
}

static struct uprobe unwinder_probe = {
	.handler = on_unwind,
	.task_handler = on_unwind_in_task,
	.flags = UPROBE_ATOMIC,
};

/* The module's own consumer.  Exists from unwinder_init() to unwinder_free(). */
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
 * struct code_list - the mappings of code in an address space
 * @maps: the mappings
 * @nr: number of @maps
 * @room: number of @maps that there is memory for
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

/* List the mappings of code.  Return false if there are more than @list has room for. */
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

/*
 * Probe the unwinders in a mapping.  Return false if there was no memory: there is none for other
 * mappings then, either.
 */
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
			.place = { .inode = file_inode(code->file), .offset = symbols[k].offset },
		};
	}
	return !n || pmm_attach(pmm, requests, n);
}

/* Probe the unwinders in all mappings of a list.  Search each file once. */
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

/* Probe the unwinders in all code of an address space that is in use. */
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
 * Protects the two flags below; taken before all locks of the list in core/consumer.h.
 * @maps_watched: new mappings are watched, because the unwinders of some probed mm are.
 * @maps_over: the module is being unloaded, and new mappings are not watched any more.
 */
static DEFINE_MUTEX(maps_mutex);
static bool maps_watched, maps_over;

/* Look for unwinders and probe them.  Context: may sleep; probed_mm::unwinders.lock held. */
static void seek(struct probed_mm *pmm)
{
	/*
	 * The exchange is fully ordered.  If another task maps code meanwhile, either this task
	 * sees the mapping, or that task sees %WATCH_SOUGHT.
	 */
	cmpxchg(&pmm->unwinders.watched, WATCH_WANTED, WATCH_SOUGHT);
	if (READ_ONCE(pmm->unwinders.watched) != WATCH_SOUGHT)
		return;
	watch_code(pmm);
	/* A task that is killed may have skipped some, and others may share its address space. */
	if (!fatal_signal_pending(current)) {
		/* Pairs with unwinder_known(). */
		smp_store_release(&pmm->unwinders.watched, WATCH_DONE);
	}
}

/**
 * unwinder_watch() - start to watch the unwinders of a process
 * @pmm: the probed mm, in use; it is about to get a return probe, or a call that is followed
 *
 * The unwinders are not probed yet: unwinder_seek() does that, before a call is followed.
 *
 * They stay watched until unwinder_watched(), and after that while there are return probes, or
 * calls in flight.
 *
 * Context: may sleep; takes probed_mm::unwinders.lock, which unwinder_watched() releases, and the
 * locks behind it.
 */
void unwinder_watch(struct probed_mm *pmm)
{
	down_read(&pmm->unwinders.lock);
	cmpxchg(&pmm->unwinders.watched, WATCH_NONE, WATCH_WANTED);
	/* The sweep holds this mutex while it finds that no probed mm is watched. */
	mutex_lock(&maps_mutex);
	/* A forked child may come here while the module is being unloaded. */
	if (!maps_watched && !maps_over)
		maps_watched = !hook_ops->watch_maps();
	mutex_unlock(&maps_mutex);
}

/**
 * unwinder_watch_now() - start to watch the unwinders of a process, and probe them at once
 * @pmm: probed mm of the current task
 *
 * Context: as for unwinder_watch().
 */
void unwinder_watch_now(struct probed_mm *pmm)
{
	unwinder_watch(pmm);
	seek(pmm);
}

/**
 * unwinder_seek() - probe the unwinders that a process has mapped, if not done yet
 * @pmm: probed mm of the current task, with a return probe
 *
 * The program decides which files it maps, and to read them may take any length of time.  So a
 * task of the program reads them, before its first call is followed.  If two tasks come at once,
 * both read them.
 *
 * Errors are ignored: without memory, the process is as unsafe as with the kernel's own return
 * probes.
 *
 * Context: may sleep; takes probed_mm::unwinders.lock and the locks behind it.
 */
void unwinder_seek(struct probed_mm *pmm)
{
	if (unwinder_known(pmm))
		return;
	down_read(&pmm->unwinders.lock);
	seek(pmm);
	up_read(&pmm->unwinders.lock);
}

/* End what unwinder_watch() has begun: the return probes or calls exist now. */
void unwinder_watched(struct probed_mm *pmm)
{
	up_read(&pmm->unwinders.lock);
}

/* Check whether there are return probes, or calls that have not returned. */
static bool pmm_needs_watching(struct probed_mm *pmm)
{
	return READ_ONCE(pmm->attached.returns) || calls_any(&pmm->uret.calls);
}

/**
 * unwinder_mapped() - probe the unwinders in new mappings of code
 * @mm: the address space, in use
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
	 * While this task holds the lock, the sweep, which only tries it, removes no probes.  If
	 * there is no need to watch the process any more, do not take the lock: a program that maps
	 * code all the time would keep the sweep away.
	 */
	wanted = rwsem_is_locked(&pmm->unwinders.lock);
	/* Pairs with up_read() in unwinder_watched(), after which the return probes are visible. */
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

/* Prune calls that the program has left without a return. */
static long prune_call(void *data)
{
	struct probed_mm *pmm = data;

	kthread_use_mm(pmm->mm);
	/* Do not fault in absent pages: that may take any length of time. */
	calls_prune(&pmm->uret.calls, false);
	kthread_unuse_mm(pmm->mm);
	return 0;
}

/* Stop watching a probed mm.  Return false if it has to be watched until calls have returned. */
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

/*
 * Stop watching, unless the probed mm is just getting a return probe:
 * leave that to the next sweep.
 */
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

	/* Not before: registrations in all processes take it, and pmm_try_unwatch() may be slow. */
	mutex_lock(&maps_mutex);
	if (maps_watched && pmm_for_each(pmm_is_watched, NULL)) {
		hook_ops->unwatch_maps();
		maps_watched = false;
	}
	mutex_unlock(&maps_mutex);
	if (!done)
		queue_delayed_work(compat_unbound_wq, to_delayed_work(work), SWEEP_INTERVAL);
}

static DECLARE_DELAYED_WORK(sweep, sweep_work);

/**
 * unwinder_unwatch_flush() - stop watching unwinders, after return probes were unregistered
 *
 * When this function returns, unwinders that need not be watched are not probed any more.  There
 * are two exceptions.  If a process is just mapping code, it follows within some SWEEP_INTERVAL.
 * If a process has calls in flight, it follows when they have returned.
 *
 * Context: may sleep, no lock of the list in core/consumer.h held.
 */
void unwinder_unwatch_flush(void)
{
	mod_delayed_work(compat_unbound_wq, &sweep, 0);
	flush_delayed_work(&sweep);
}

/**
 * unwinder_sweep() - schedule a sweep for a process with calls whose return probes may be gone
 *
 * When these calls have returned, the unwinders of the process are not probed any more.
 *
 * Context: any.
 */
void unwinder_sweep(void)
{
	queue_delayed_work(compat_unbound_wq, &sweep, SWEEP_INTERVAL);
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
	unwinder->file.varies = true;
	/* A stack walk that reaches the trampoline ends the program. */
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
 * unwinder_exit() - remove the probes from all unwinders
 *
 * No call is followed any more, but traps are still handled.
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
 * unwinder_free() - free the consumer on unwinders, and the positions that were found
 *
 * Called after unwinder_exit(), when no task work that could look for unwinders is pending.
 *
 * Context: may sleep.
 */
void unwinder_free(void)
{
	cancel_delayed_work_sync(&sweep);
	consumer_release(unwinder);
	unwinder_files_exit();
}
