// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on files: finding where an address space has a file mapped as code,
 * and which address spaces there are.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "breakpoint.h"
#include "image.h"

/**
 * struct mapping - a part of a probed file, mapped as code
 * @file: the file; a reference is held
 * @start: first address
 * @end: first address behind it
 * @offset: position in the file of @start
 */
struct mapping {
	struct probe_file *file;
	unsigned long start;
	unsigned long end;
	loff_t offset;
};

/**
 * struct mapping_list - what was found in one address space
 * @maps: the mappings
 * @nr: how many
 * @room: for how many there is memory
 */
struct mapping_list {
	struct mapping *maps;
	unsigned int nr;
	unsigned int room;
};

static int mapping_list_add(struct mapping_list *list, struct probe_file *file,
			    const struct vm_area_struct *vma)
{
	if (list->nr == list->room) {
		unsigned int room = list->room ? 2 * list->room : 8;
		struct mapping *maps;

		maps = krealloc(list->maps, array_size(room, sizeof(*maps)), GFP_KERNEL);
		if (!maps)
			return -ENOMEM;
		list->maps = maps;
		list->room = room;
	}
	list->maps[list->nr++] = (struct mapping) {
		.file = file,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = (loff_t)vma->vm_pgoff << PAGE_SHIFT,
	};
	return 0;
}

static void mapping_list_free(struct mapping_list *list)
{
	while (list->nr)
		probe_file_put(list->maps[--list->nr].file);
	kfree(list->maps);
}

static int mapping_list_collect(struct mapping_list *list, struct mm_struct *mm,
				const struct probe_file *only)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;
	int ret = 0;

	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		struct probe_file *file;

		if (!vma->vm_file || !text_probeable(vma))
			continue;
		if (only && only->inode != file_inode(vma->vm_file))
			continue;
		file = probe_file_find(file_inode(vma->vm_file));
		if (!file)
			continue;
		ret = mapping_list_add(list, file, vma);
		if (ret) {
			probe_file_put(file);
			break;
		}
	}
	mmap_read_unlock(mm);
	return ret;
}

static int mapping_attach(struct image *image, const struct mapping *map, struct consumer *c)
{
	const struct image_file where = { .inode = map->file->inode, .offset = c->offset };

	if (c->offset < map->offset || c->offset - map->offset >= map->end - map->start)
		return 0;
	return image_attach(image, map->start + (c->offset - map->offset), c, &where);
}

/**
 * mapping_apply() - attach consumers of files wherever their file is mapped
 * @mm: the address space; the caller keeps it in use
 * @only: the one consumer to attach, or NULL for all
 *
 * Context: may sleep; takes probe_file::sem and what comes below.
 * Return: 0 or the first error; what can be attached is.
 */
int mapping_apply(struct mm_struct *mm, struct consumer *only)
{
	struct mapping_list list = {};
	struct image *image;
	unsigned int i;
	int ret, err;

	ret = mapping_list_collect(&list, mm, only ? only->file : NULL);
	if (ret || !list.nr)
		goto free;
	image = image_get(mm);
	if (IS_ERR(image)) {
		ret = PTR_ERR(image);
		goto free;
	}

	for (i = 0; i < list.nr; i++) {
		struct mapping *map = &list.maps[i];
		struct consumer *c;

		if (only) {
			err = mapping_attach(image, map, only);
			ret = ret ?: err;
			continue;
		}
		down_read(&map->file->sem);
		list_for_each_entry(c, &map->file->consumers, in_file) {
			err = mapping_attach(image, map, c);
			ret = ret ?: err;
		}
		up_read(&map->file->sem);
	}
	image_put(image);
free:
	mapping_list_free(&list);
	return ret;
}

/**
 * struct mm_list - address spaces, each kept in use
 * @mms: the address spaces
 * @nr: how many
 * @room: for how many there is memory
 */
struct mm_list {
	struct mm_struct **mms;
	unsigned int nr;
	unsigned int room;
};

static void mm_list_drop(struct mm_list *list)
{
	while (list->nr)
		mmput(list->mms[--list->nr]);
}

/* False when there are more than there is memory for. */
static bool mm_list_fill(struct mm_list *list)
{
	struct task_struct *process, *t;
	struct mm_struct *mm;
	bool fits = true;

	rcu_read_lock();
	for_each_process(process) {
		mm = NULL;
		if (process->flags & PF_KTHREAD)
			continue;
		/* The leader may have exited before the others. */
		for_each_thread(process, t) {
			mm = get_task_mm(t);
			if (mm)
				break;
		}
		if (!mm)
			continue;
		if (list->nr == list->room) {
			/* Not ours to end, in here. */
			mmput_async(mm);
			fits = false;
			break;
		}
		list->mms[list->nr++] = mm;
	}
	rcu_read_unlock();
	return fits;
}

/* Registrations that are on their way through the processes. */
static atomic_t spreading = ATOMIC_INIT(0);

/**
 * mapping_spreading() - whether a child that is forked now may be missed
 *
 * Context: any.
 */
bool mapping_spreading(void)
{
	return atomic_read(&spreading);
}

/**
 * mapping_apply_everywhere() - attach a consumer in all processes
 * @c: the consumer, already listed in its file
 *
 * Processes that map the file from then on look after themselves, and so do
 * children of those that have been attended to.  A child whose parent's turn
 * has not come is not in the list either; mapping_spreading() tells the fork
 * event to have it look after itself.
 *
 * An error in one process (another breakpoint at the place, no memory) is
 * logged and does not keep the others from being probed.
 *
 * Context: may sleep; takes the locks of mapping_apply().
 * Return: 0 or -ENOMEM when the processes could not be listed.
 */
int mapping_apply_everywhere(struct consumer *c)
{
	struct mm_list list = { .room = 256 };
	unsigned int i;
	int ret = 0;

	atomic_inc(&spreading);
	for (;;) {
		list.mms = kvmalloc_array(list.room, sizeof(*list.mms), GFP_KERNEL);
		if (!list.mms) {
			ret = -ENOMEM;
			goto out;
		}
		if (mm_list_fill(&list))
			break;
		mm_list_drop(&list);
		kvfree(list.mms);
		list.room *= 2;
	}
	for (i = 0; i < list.nr; i++) {
		mapping_apply(list.mms[i], c);
		cond_resched();
	}
	mm_list_drop(&list);
	kvfree(list.mms);
out:
	atomic_dec(&spreading);
	return ret;
}
