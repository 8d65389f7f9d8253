// SPDX-License-Identifier: GPL-2.0
/*
 * SSOL areas: find room near the text, map an area, and hand out slots.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include "ssol_area.h"
#include "arch.h"
#include "ssol.h"
#include "ssol_emit.h"
#include "base/compat.h"
#include "base/worker.h"

/* Place nothing below this address: null pointers with offsets must still fault. */
#define LOWEST_ADDRESS		0x100000UL

/* The file that all areas map.  Created by ssol_area_init(); constant. */
static struct file *area_file;

/* The operations of its file system, but new mappings have more flags.  Likewise. */
static struct file_operations flag_ops;

/**
 * struct map_request - a file to be mapped into another address space
 * @mm: the address space; the requester holds a reference
 * @file: the file, which has no other mapping now
 * @base: where to map it
 * @size: how much of it
 * @prot: PROT_*
 * @flags: MAP_PRIVATE or MAP_SHARED
 */
struct map_request {
	struct mm_struct *mm;
	struct file *file;
	unsigned long base;
	unsigned long size;
	unsigned long prot;
	unsigned long flags;
};

static long map_call(void *data)
{
	struct map_request *req = data;
	unsigned long addr;

	kthread_use_mm(req->mm);
	addr = vm_mmap(req->file, req->base, req->size, req->prot,
		       req->flags | (req->base ? MAP_FIXED_NOREPLACE : 0), 0);
	kthread_unuse_mm(req->mm);
	if (IS_ERR_VALUE(addr))
		return (long)addr;
	req->base = addr;
	return 0;
}

/*
 * Map a file.  The mapping has @vm_flags (VM_*) from the beginning: a fork or mlockall() of another
 * thread may come at any time.  It has VM_DONTEXPAND, too, which keeps it from being locked, and
 * from being counted against the limit of locked memory.
 */
static long map_file(struct map_request *req, unsigned long vm_flags)
{
	struct file *file = req->file;
	long ret;

	file->private_data = (void *)(vm_flags | VM_DONTEXPAND);
	file->f_op = &flag_ops;
	ret = worker_call_locked(map_call, req);
	/* The file may outlive the module. */
	file->f_op = file_inode(file)->i_fop;
	file->private_data = NULL;
	return ret;
}

/**
 * ssol_area_map() - map the file of all areas
 * @mm: the address space, in use
 * @base: where
 * @inherited: a forked child has a copy
 *
 * A kernel thread maps it, and never the task itself.  So the limits that the program has set for
 * itself cannot cause its death.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0 or a negative errno.
 */
long ssol_area_map(struct mm_struct *mm, unsigned long base, bool inherited)
{
	struct map_request req = {
		.mm = mm, .base = base, .size = SSOL_AREA_SIZE,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};
	long ret;

	/* Others may just be mapping the same file. */
	req.file = dentry_open(&area_file->f_path, area_file->f_flags, area_file->f_cred);
	if (IS_ERR(req.file))
		return PTR_ERR(req.file);
	ret = map_file(&req, inherited ? 0 : VM_DONTCOPY);
	fput(req.file);
	return ret;
}

/**
 * ssol_map_shared() - map memory that the program and the module write to, but no child of it
 * @mm: the address space, in use
 * @file: the file with that memory, to which the caller has the only reference
 * @base: where; if it is 0, it is set to an address that the kernel chooses
 * @size: how much of it
 *
 * VM_IO: the pages are not allocated before they are used, even after mlockall().
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0 or a negative errno.
 */
long ssol_map_shared(struct mm_struct *mm, struct file *file, unsigned long *base,
		     unsigned long size)
{
	struct map_request req = {
		.mm = mm, .file = file, .base = *base, .size = size,
		.prot = PROT_READ | PROT_WRITE, .flags = MAP_SHARED,
	};
	long ret = map_file(&req, VM_DONTCOPY | VM_DONTDUMP | VM_IO);

	*base = req.base;
	return ret;
}

static unsigned long distance(unsigned long a, unsigned long b)
{
	return a > b ? a - b : b - a;
}

/**
 * struct room - the best place for an area so far
 * @areas: areas that the address space has, or has had
 * @nr: number of @areas
 * @near: address that the area should be near
 * @base: start of the best place; 0 if there is none yet
 */
struct room {
	struct ssol_area *const *areas;
	unsigned int nr;
	unsigned long near;
	unsigned long base;
};

/* Leave an unmapped page on both sides.  Take the end of the free range that is nearer. */
static void room_consider(struct room *room, unsigned long start, unsigned long end)
{
	unsigned long base;

	if (end < start || end - start < SSOL_AREA_SIZE + 2 * PAGE_SIZE)
		return;
	base = start > room->near ? start + PAGE_SIZE : end - PAGE_SIZE - SSOL_AREA_SIZE;
	if (!room->base || distance(base, room->near) < distance(room->base, room->near))
		room->base = base;
}

static bool room_reached(const struct room *room)
{
	return room->base && distance(room->base, room->near) < ARCH_SLOT_REACH - SSOL_AREA_SIZE;
}

/*
 * Consider a free range that the heap of @mm may grow into.  Place an area behind the heap as far
 * away as slots can reach, to leave the rest to the heap.  Put this place into @beyond_heap: the
 * caller uses it only if @room has no place in reach.
 */
static void gap_consider(struct room *room, struct room *beyond_heap, const struct mm_struct *mm,
			 unsigned long start, unsigned long end)
{
	unsigned long start_brk = READ_ONCE(mm->start_brk), brk = READ_ONCE(mm->brk);
	unsigned long reach = PAGE_ALIGN_DOWN(room->near + ARCH_SLOT_REACH - SSOL_AREA_SIZE);

	if (brk < start || brk >= end) {
		room_consider(room, start, end);
		return;
	}
	/* An unused heap begins at a random distance behind the program: use what is before it. */
	room_consider(room, start, min(start_brk, end) & PAGE_MASK);
	end = min(end, reach);
	start = end - min(end, SSOL_AREA_SIZE + 2 * PAGE_SIZE);
	if (start > brk)
		room_consider(beyond_heap, start, end);
}

/*
 * Consider the parts of a free range between known areas.  If the program has unmapped an area,
 * its range stays taken: a thread may still return to its slots, and its addresses still belong to
 * sites.
 */
static void gaps_consider(struct room *room, struct room *beyond_heap, const struct mm_struct *mm,
			  unsigned long start, unsigned long end)
{
	while (start < end) {
		unsigned long next = end, behind = end;
		unsigned int i;

		for (i = 0; i < room->nr; i++) {
			unsigned long base = room->areas[i]->base;

			if (base < next && base + SSOL_AREA_SIZE > start) {
				next = max(base, start);
				behind = base + SSOL_AREA_SIZE;
			}
		}
		gap_consider(room, beyond_heap, mm, start, next);
		start = behind;
	}
}

/*
 * Find the free range of SSOL_AREA_SIZE that is nearest to @near.  Skip ranges right below a
 * mapping that grows downwards.  Use the range into which the heap grows only if there is no other.
 * The range above the last mapping counts, too: a vDSO that follows the stack has no other range in
 * reach.  Return: the address, or 0 if there is no range in reach.
 */
static unsigned long area_find_room(struct mm_struct *mm, struct ssol_area *const *areas,
				    unsigned int nr, unsigned long near)
{
	unsigned long limit = arch_limit(arch_mm_mode(mm));
	struct room room = { .areas = areas, .nr = nr, .near = near }, beyond_heap = room;
	unsigned long gap_start = LOWEST_ADDRESS;
	struct vm_area_struct *vma;
	VMA_ITERATOR(vmi, mm, 0);

	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		if (!(vma->vm_flags & VM_GROWSDOWN))
			gaps_consider(&room, &beyond_heap, mm, gap_start,
				      min(vma->vm_start, limit));
		gap_start = max(gap_start, vma->vm_end);
	}
	gaps_consider(&room, &beyond_heap, mm, gap_start, limit);
	mmap_read_unlock(mm);

	if (room_reached(&room))
		return room.base;
	return room_reached(&beyond_heap) ? beyond_heap.base : 0;
}

/* Check whether an area is still mapped at its address.  Context: the mmap lock held. */
bool ssol_area_there(struct mm_struct *mm, unsigned long base)
{
	const struct vm_area_struct *vma = find_vma(mm, base);

	return vma && vma->vm_file && file_inode(vma->vm_file) == file_inode(area_file) &&
	       vma->vm_start == base &&
	       vma->vm_end == base + SSOL_AREA_SIZE && !vma->vm_pgoff &&
	       !(vma->vm_flags & VM_SHARED);
}

/*
 * Write into the pages of the process.  Context: the mmap lock held over all of it: a fork would
 * make the child share a page.
 */
static int pages_write(struct mm_struct *mm, unsigned long addr, const u8 *bytes, size_t len)
{
	while (len) {
		size_t n = min_t(size_t, len, PAGE_SIZE - offset_in_page(addr));
		struct page *page;
		long got;

		got = compat_gup_remote(mm, addr & PAGE_MASK, FOLL_WRITE | FOLL_FORCE, &page, NULL);
		if (got <= 0)
			return got == -ENOMEM || got == -EINTR ? got : -EIO;
		memcpy_to_page(page, offset_in_page(addr), bytes, n);
		set_page_dirty_lock(page);
		put_page(page);
		addr += n;
		bytes += n;
		len -= n;
	}
	return 0;
}

/**
 * ssol_area_write() - write code into an area
 * @mm: its address space, in use
 * @base: address of the area
 * @addr: address of the code in it
 * @code: the code
 * @len: its length
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0; -ENOSPC if the program has mapped something else there; -ENOMEM; -EINTR if the task
 * is being killed; -EIO if the program has made its pages impossible to write to.
 */
int ssol_area_write(struct mm_struct *mm, unsigned long base, unsigned long addr, const u8 *code,
		    size_t len)
{
	int ret;

	mmap_read_lock(mm);
	ret = ssol_area_there(mm, base) ? pages_write(mm, addr, code, len) : -ENOSPC;
	mmap_read_unlock(mm);
	return ret;
}

/**
 * ssol_area_create() - create an area and map it
 * @mm: the address space; the caller holds a reference that keeps it in use
 * @areas: the areas that @mm has, or has had
 * @nr: number of @areas
 * @near: address of the text that the slots must be able to reach
 *
 * Context: may sleep; takes the mmap lock.
 * Return: the area, or ERR_PTR: -ENOMEM if there is no memory, -ENOSPC if no room is near enough
 * or the program may map no more.
 */
struct ssol_area *ssol_area_create(struct mm_struct *mm, struct ssol_area *const *areas,
				   unsigned int nr, unsigned long near)
{
	struct ssol_area *area = kzalloc(sizeof(*area), SSOL_GFP);
	int tries = 8;
	long ret;

	if (!area)
		return ERR_PTR(-ENOMEM);
	area->used = SSOL_SLOT_ALIGN;
	/* The program may race, and map something at the same place. */
	do {
		area->base = area_find_room(mm, areas, nr, near);
		ret = area->base ? ssol_area_map(mm, area->base, true) : -ENOMEM;
	} while (ret == -EEXIST && --tries);
	if (!ret)
		return area;
	kfree(area);
	return ERR_PTR(ret == -ENOMEM || ret == -EEXIST ? -ENOSPC : ret);
}

/**
 * ssol_area_copy() - create the area of a child that has a copy of its parent's mapping
 * @area: the area of the parent
 * @mm: the address space of the child, in use
 *
 * Context: may sleep; takes the mmap lock; probed_mm::lock of the parent held.
 * Return: the area of the child; NULL if the child has no such mapping; ERR_PTR(-ENOMEM).
 */
struct ssol_area *ssol_area_copy(const struct ssol_area *area, struct mm_struct *mm)
{
	struct ssol_area *copy;
	bool there;

	mmap_read_lock(mm);
	there = ssol_area_there(mm, area->base);
	mmap_read_unlock(mm);
	if (!there)
		return NULL;
	copy = kzalloc(sizeof(*copy), SSOL_GFP);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	copy->base = area->base;
	copy->used = area->used;
	copy->has_kept = area->has_kept;
	copy->inherited = true;
	return copy;
}

/* Free an area that no reader can find any more.  The mapping stays. */
void ssol_area_free(struct ssol_area *area)
{
	unsigned int i;

	for (i = 0; i < SLOT_LISTS; i++)
		kfree(rcu_dereference_protected(area->lists[i], true));
	kfree(area);
}

/**
 * ssol_area_emit() - make the code of the next slot
 * @area: an area that reaches @addr
 * @plan: plan of the instruction
 * @addr: address of the instruction in the text
 * @step: the instruction is to be stepped under TF
 * @code: room for SSOL_SLOT_MAX bytes
 *
 * The slot will be at the first unused address of the area.
 *
 * Context: any; probed_mm::lock held.
 * Return: length of the code; -ENOSPC if the area is full; -ERANGE if the instruction cannot reach
 * its operand from this area.
 */
int ssol_area_emit(const struct ssol_area *area, const struct ssol_plan *plan, unsigned long addr,
		   bool step, u8 *code)
{
	unsigned long slot = area->base + area->used;

	if (area->used + SSOL_SLOT_MAX > SSOL_AREA_SIZE)
		return -ENOSPC;
	return step ? ssol_emit_step(plan, addr, slot, code) : ssol_emit(plan, addr, slot, code);
}

/*
 * Fill all pages of the file now, so that none is charged to a program.  Seal the file: a process
 * that opens it by /proc/PID/map_files must not change the mappings of other processes.  Without
 * CONFIG_SHMEM, such files are in ramfs, which has no seals.
 */
static int area_file_fill(struct file *file)
{
	pgoff_t nr;

	for (nr = 0; nr < SSOL_AREA_SIZE / PAGE_SIZE; nr++) {
		struct page *page = shmem_read_mapping_page_gfp(file->f_mapping, nr, GFP_KERNEL);
		void *bytes;

		if (IS_ERR(page))
			return PTR_ERR(page);
		bytes = kmap_local_page(page);
		memset(bytes, ARCH_BREAKPOINT, PAGE_SIZE);
		kunmap_local(bytes);
		set_page_dirty_lock(page);
		put_page(page);
	}
	if (IS_ENABLED(CONFIG_SHMEM))
		SHMEM_I(file_inode(file))->seals = F_SEAL_SEAL | F_SEAL_SHRINK |
						   F_SEAL_GROW | F_SEAL_WRITE;
	return mapping_deny_writable(file->f_mapping);
}

/**
 * ssol_area_init() - create the file that all areas map
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int ssol_area_init(void)
{
	int ret;

	area_file = compat_shmem_file("[uprobes]", SSOL_AREA_SIZE);
	if (IS_ERR(area_file))
		return PTR_ERR(area_file);
	flag_ops = *area_file->f_op;
	flag_ops.COMPAT_MMAP_OP = compat_mmap_flagged;
	/* That of shared memory insists on files with its own operations. */
	flag_ops.get_unmapped_area = NULL;
	ret = area_file_fill(area_file);
	if (ret)
		fput(area_file);
	return ret;
}

/* Drop the module's reference to the file.  The mappings keep the file.  Context: may sleep. */
void ssol_area_exit(void)
{
	fput(area_file);
}
