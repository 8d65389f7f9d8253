// SPDX-License-Identifier: GPL-2.0
/*
 * List the processes, and where they map probed files.
 *
 * Few processes map a file, and each has many mappings of others.  So the mappings come from the
 * file's tree, as the kernel's uprobes find them.  The address spaces come from the list of
 * processes: in the tree, there are also those that a fork has not completed, or could not.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/interval_tree_generic.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "mappers.h"
#include "core/consumer_types.h"

static inline unsigned long first_page(struct vm_area_struct *vma)
{
	return vma->vm_pgoff;
}

static inline unsigned long last_page(struct vm_area_struct *vma)
{
	return vma->vm_pgoff + vma_pages(vma) - 1;
}

/* The kernel does not export its functions that search this tree. */
INTERVAL_TREE_DEFINE(struct vm_area_struct, shared.rb, unsigned long, shared.rb_subtree_last,
		     first_page, last_page, static __maybe_unused, mapped)

/**
 * struct mm_table - finds address spaces in a list
 * @slots: the table, with open addressing: 1 + index in the list, or 0
 * @bits: logarithm of the number of @slots
 */
struct mm_table {
	u32 *slots;
	unsigned int bits;
};

/* Find the slot of an address space, or the one where it would be. */
static u32 *table_slot(const struct mm_table *table, const struct mappers *mappers,
		       const struct mm_struct *mm)
{
	u32 i = hash_ptr(mm, table->bits);

	while (table->slots[i] && mappers->list[table->slots[i] - 1].mm != mm)
		i = (i + 1) & (BIT(table->bits) - 1);
	return &table->slots[i];
}

/* Several processes may share an address space: then the first of them finds it. */
static int table_make(struct mm_table *table, const struct mappers *mappers)
{
	unsigned int i;
	u32 *slot;

	table->bits = ilog2(mappers->nr + 1) + 2;
	table->slots = kvcalloc(BIT(table->bits), sizeof(*table->slots), GFP_KERNEL);
	if (!table->slots)
		return -ENOMEM;
	for (i = 0; i < mappers->nr; i++) {
		slot = table_slot(table, mappers, mappers->list[i].mm);
		*slot = *slot ?: i + 1;
	}
	return 0;
}

/* List the address spaces of all processes.  Return false if there are more than the room. */
static bool mappers_fill(struct mappers *mappers)
{
	struct task_struct *process, *t;
	struct mm_struct *mm;
	bool fits = true;

	rcu_read_lock();
	for_each_process(process) {
		mm = NULL;
		if (process->flags & PF_KTHREAD)
			continue;
		/* The leader may have exited before other threads. */
		for_each_thread(process, t) {
			mm = get_task_mm(t);
			if (mm)
				break;
		}
		if (!mm)
			continue;
		if (mappers->nr == mappers->room) {
			/* mmput() could end the address space, which sleeps. */
			mmput_async(mm);
			fits = false;
			break;
		}
		mappers->list[mappers->nr++] = (struct mapper) { .mm = mm };
	}
	rcu_read_unlock();
	return fits;
}

static int mappers_get(struct mappers *mappers)
{
	mappers->room = 256;
	for (;;) {
		mappers->list = kvmalloc_array(mappers->room, sizeof(*mappers->list), GFP_KERNEL);
		if (!mappers->list)
			return -ENOMEM;
		if (mappers_fill(mappers))
			return 0;
		while (mappers->nr)
			mmput(mappers->list[--mappers->nr].mm);
		kvfree(mappers->list);
		mappers->room *= 2;
	}
}

/**
 * struct finder - state of listing mappings
 * @mappers: the address spaces
 * @table: finds them
 * @nr: number of mappings so far
 * @looked: number of mappings that were looked at, also of others
 * @room: bound of both
 */
struct finder {
	struct mappers *mappers;
	struct mm_table table;
	unsigned int nr;
	unsigned int looked;
	unsigned int room;
};

/*
 * List the mappings of some pages of a file.  Whether they are code is only known while the mmap
 * lock of their process is held.  Return false if there are more than the room.
 */
static bool file_ranges(struct finder *finder, struct probe_file *file, unsigned long first,
			unsigned long last)
{
	struct address_space *mapping = file->inode->i_mapping;
	struct mappers *mappers = finder->mappers;
	struct mapped_range *range;
	struct vm_area_struct *vma;
	struct mapper *mapper;
	u32 slot;

	i_mmap_lock_read(mapping);
	for (vma = mapped_iter_first(&mapping->i_mmap, first, last); vma;
	     vma = mapped_iter_next(vma, first, last)) {
		if (finder->looked++ == finder->room)
			break;
		slot = *table_slot(&finder->table, mappers, vma->vm_mm);
		if (!slot)
			continue;
		mapper = &mappers->list[slot - 1];
		range = &mappers->ranges[finder->nr++];
		*range = (struct mapped_range) {
			.file = file,
			.start = vma->vm_start,
			.end = vma->vm_end,
			.next = mapper->ranges,
		};
		mapper->ranges = range;
	}
	i_mmap_unlock_read(mapping);
	return !vma;
}

/* Check whether an earlier consumer than number @i probes the same file. */
static bool file_done(struct consumer **cs, unsigned int i)
{
	const struct probe_file *file = cs[i]->file.probed;
	unsigned int j;

	/* Consumers of one file mostly come together. */
	if (i && cs[i - 1]->file.probed == file)
		return true;
	for (j = 0; j < i; j++) {
		if (cs[j]->file.probed == file)
			return true;
	}
	return false;
}

/* List the mappings of all places.  Return false if there are more than the room. */
static bool all_ranges(struct finder *finder, struct consumer **cs, unsigned int n)
{
	unsigned long first, last, page;
	struct probe_file *file;
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		file = cs[i]->file.probed;
		if (!file || file_done(cs, i))
			continue;
		first = ULONG_MAX;
		last = 0;
		for (j = i; j < n; j++) {
			if (cs[j]->file.probed != file)
				continue;
			page = cs[j]->file.place.offset >> PAGE_SHIFT;
			first = min(first, page);
			last = max(last, page);
		}
		if (!file_ranges(finder, file, first, last))
			return false;
		cond_resched();
	}
	return true;
}

/**
 * mappers_list() - list all processes, and where they map the files of consumers
 * @mappers: set to the list
 * @cs: the consumers, already listed in their files
 * @n: number of @cs
 *
 * The processes come first: a process of the list that has mapped a file since then is either found
 * in the tree of the file, or finds the consumer itself.  Text that mremap() moves between the list
 * and the look at it is mostly noticed, as the mapping is not what it was.
 *
 * Context: may sleep; @cs are claimed by the caller; takes no lock that is held afterwards.
 * Return: 0 or -ENOMEM.  mappers_free() must follow.
 */
int mappers_list(struct mappers *mappers, struct consumer **cs, unsigned int n)
{
	struct finder finder = { .mappers = mappers };
	int ret;

	*mappers = (struct mappers) {};
	ret = mappers_get(mappers);
	if (!ret)
		ret = table_make(&finder.table, mappers);
	if (ret)
		return ret;
	/* A program may map a file any number of times.  This is enough for others. */
	finder.room = 4 * mappers->nr + 256;
	mappers->ranges = kvmalloc_array(finder.room, sizeof(*mappers->ranges), GFP_KERNEL);
	if (mappers->ranges)
		mappers->everywhere = !all_ranges(&finder, cs, n);
	else
		ret = -ENOMEM;
	kvfree(finder.table.slots);
	return ret;
}

/**
 * mappers_free() - put the address spaces that are left in a list, and free it
 * @mappers: the list
 *
 * Context: may sleep; no lock of the list in consumer.h held.
 */
void mappers_free(struct mappers *mappers)
{
	unsigned int i;

	for (i = 0; i < mappers->nr; i++) {
		if (mappers->list[i].mm)
			mmput(mappers->list[i].mm);
	}
	kvfree(mappers->list);
	kvfree(mappers->ranges);
}
