// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the functions by which programs begin to walk their stack.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "breakpoint.h"
#include "elf_symbol.h"
#include "image.h"
#include "lifecycle.h"
#include "probe.h"
#include "retprobe.h"
#include "roaming.h"
#include "target.h"
#include "task.h"
#include "unwinder.h"
#include "worker.h"

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

/* How unwinders find the code they walk through, also those that are linked in and hidden. */
static const char * const unwinder_needs[] = {
	"_dl_find_object",
	"dl_iterate_phdr",
	NULL
};

/* How long calls under way are given until it is looked again. */
#define SWEEP_INTERVAL	HZ

static void on_unwind(struct uprobe *u, struct pt_regs *regs)
{
	if (!retprobe_put_back(false))
		uprobe_again();
}

/* Where a page of a stack was not present, or was shared with a forked child. */
static void on_unwind_in_task(struct uprobe *u, struct pt_regs *regs)
{
	retprobe_put_back(true);
}

static struct uprobe unwinder_probe = {
	.handler = on_unwind,
	.task_handler = on_unwind_in_task,
	.flags = UPROBE_ATOMIC,
};

/* The module's own; from unwinder_init() to unwinder_free(). */
static struct consumer *unwinder;

/**
 * struct code_list - what an address space has mapped as code
 * @maps: the mappings
 * @maps.file: the file, with a reference
 * @maps.start: first address
 * @maps.end: first address behind it
 * @maps.offset: position in the file of @start
 * @nr: how many
 * @room: for how many there is memory
 */
struct code_list {
	struct {
		struct file *file;
		unsigned long start;
		unsigned long end;
		loff_t offset;
	} *maps;
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
		if (!vma->vm_file || !text_probeable(vma))
			continue;
		fits = list->nr < list->room;
		if (!fits)
			break;
		list->maps[list->nr].file = get_file(vma->vm_file);
		list->maps[list->nr].start = vma->vm_start;
		list->maps[list->nr].end = vma->vm_end;
		list->maps[list->nr++].offset = (loff_t)vma->vm_pgoff << PAGE_SHIFT;
	}
	mmap_read_unlock(mm);
	return fits;
}

static void watch_map(struct image *image, const struct code_list *list, unsigned int i)
{
	struct attach_request requests[NR_NAMES] = {};
	struct elf_symbol symbols[NR_NAMES];
	const struct target target = {
		.file = list->maps[i].file,
		.inode = file_inode(list->maps[i].file),
	};
	unsigned int k, n = 0;

	for (k = 0; k < NR_NAMES; k++)
		symbols[k].name = unwinder_names[k];
	elf_symbols_find(&target, symbols, NR_NAMES, unwinder_needs);
	for (k = 0; k < NR_NAMES; k++) {
		u64 at = symbols[k].offset - list->maps[i].offset;

		if (!symbols[k].offset || at >= list->maps[i].end - list->maps[i].start)
			continue;
		requests[n++] = (struct attach_request) {
			.consumer = unwinder,
			.addr = list->maps[i].start + at,
			.where = { .inode = target.inode, .offset = symbols[k].offset },
		};
	}
	if (n)
		image_attach(image, requests, n);
}

/* Probes the unwinders in all code of an address space that is in use. */
static void watch_code(struct image *image)
{
	struct code_list list = { .room = 64 };
	unsigned int i;

	for (;;) {
		list.maps = kvmalloc_array(list.room, sizeof(*list.maps), GFP_KERNEL);
		if (!list.maps)
			return;
		if (code_list_fill(&list, image->mm))
			break;
		code_list_drop(&list);
		kvfree(list.maps);
		list.room *= 2;
	}
	for (i = 0; i < list.nr; i++)
		watch_map(image, &list, i);
	code_list_drop(&list);
	kvfree(list.maps);
}

/*
 * Whether new mappings are watched, as they are while any image is; and whether that is
 * over, as the module goes.  Taken before all locks of probe.h's list.
 */
static DEFINE_MUTEX(maps_mutex);
static bool maps_watched, maps_over;

/**
 * unwinder_watch() - probe the unwinders that a process has mapped
 * @image: the address space, in use
 *
 * Does what it can: without memory the process is as unsafe as it would be
 * with the kernel's own return probes.
 *
 * They stay probed until unwinder_watched(), and from then on as long as there
 * are return probes, or calls under way.
 *
 * Context: may sleep; takes image::watch_lock and what comes below.
 */
void unwinder_watch(struct image *image)
{
	down_read(&image->watch_lock);
	WRITE_ONCE(image->watched, true);
	/* Who finds no image watched has the mutex meanwhile. */
	mutex_lock(&maps_mutex);
	/* A fork can still be followed while the module goes. */
	if (!maps_watched && !maps_over)
		maps_watched = !lifecycle_watch_maps();
	mutex_unlock(&maps_mutex);
	watch_code(image);
}

/* The return probes or calls that unwinder_watch() was for are there. */
void unwinder_watched(struct image *image)
{
	up_read(&image->watch_lock);
}

/**
 * unwinder_mapped() - a process has mapped more code
 * @mm: its address space, in use
 *
 * Context: may sleep; takes image::lock and the mmap lock.
 */
void unwinder_mapped(struct mm_struct *mm)
{
	struct image *image = image_find(mm);

	if (!image)
		return;
	if (READ_ONCE(image->watched))
		watch_code(image);
	image_put(image);
}

/**
 * struct calls_in - whether calls are under way
 * @mm: in this address space
 * @found: they are
 */
struct calls_in {
	const struct mm_struct *mm;
	bool found;
};

static void calls_look(struct utask *utask, void *data)
{
	struct calls_in *calls = data;

	/* It can only become less: nothing is return-probed there any more. */
	if (utask->mm == calls->mm && READ_ONCE(utask->nr_instances))
		calls->found = true;
}

/* Leaves an image alone; true unless that has to wait for calls to return. */
static bool image_unwatch(struct image *image)
{
	struct calls_in calls = { .mm = image->mm };

	if (!READ_ONCE(image->watched) || READ_ONCE(image->nr_returns))
		return true;
	utask_for_each(calls_look, &calls);
	if (calls.found || (READ_ONCE(image->roaming) && READ_ONCE(image->roaming->nr)))
		return false;
	image_detach_one(image, unwinder);
	WRITE_ONCE(image->watched, false);
	return true;
}

/* The same, but an image that is just getting a return probe is left to the next sweep. */
static bool image_try_unwatch(struct image *image, void *unused)
{
	bool done;

	if (!down_write_trylock(&image->watch_lock))
		return false;
	done = image_unwatch(image);
	up_write(&image->watch_lock);
	return done;
}

static bool image_is_watched(struct image *image, void *data)
{
	return !READ_ONCE(image->watched);
}

static void sweep_work(struct work_struct *work)
{
	bool done;

	mutex_lock(&maps_mutex);
	done = images_for_each(image_try_unwatch, NULL);
	if (maps_watched && images_for_each(image_is_watched, NULL)) {
		lifecycle_unwatch_maps();
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
 * Unwinders that need no watching any more are left alone when this returns;
 * those of processes with calls under way follow when the calls have returned.
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
	unwinder = consumer_create(&unwinder_probe, CONSUMER_ENTRY);
	if (IS_ERR(unwinder))
		return PTR_ERR(unwinder);
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
	consumer_retire(unwinder);
	worker_call(detach_call, NULL);
	arch_trap_quiesce();
	consumer_wait(unwinder);
	mutex_lock(&maps_mutex);
	if (maps_watched)
		lifecycle_unwatch_maps();
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
}
