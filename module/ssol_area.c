// SPDX-License-Identifier: GPL-2.0
/*
 * SSOL areas: finding room near the text, mapping, handing out slots.
 */
#include <linux/file.h>
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include "compat.h"
#include "ssol_area.h"
#include "worker.h"

/* Nothing is placed below: null pointers with offsets must go on to fault. */
#define LOWEST_ADDRESS		0x100000UL

/**
 * struct map_request - a file to be mapped into another address space
 * @mm: the address space; the requester holds a reference
 * @area: what to map; @area->base is where
 */
struct map_request {
	struct mm_struct *mm;
	struct ssol_area *area;
};

static long map_call(void *data)
{
	struct map_request *req = data;
	unsigned long addr;

	kthread_use_mm(req->mm);
	addr = vm_mmap(req->area->file, req->area->base, SSOL_AREA_SIZE,
		       PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
	kthread_unuse_mm(req->mm);
	return IS_ERR_VALUE(addr) ? (long)addr : 0;
}

/*
 * Mapped by a kernel thread and not by the task itself, whoever asks: then
 * the limits that the program set for itself are not its death.
 */
static long area_map(struct mm_struct *mm, struct ssol_area *area)
{
	struct map_request req = { .mm = mm, .area = area };

	return worker_call_locked(map_call, &req);
}

static unsigned long distance(unsigned long a, unsigned long b)
{
	return a > b ? a - b : b - a;
}

/**
 * struct room - the best place for an area so far
 * @near: what it should be near
 * @base: where it would start, 0 for none
 */
struct room {
	unsigned long near;
	unsigned long base;
};

/* With a page of nothing on both sides, at the end that is nearer. */
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
 * The heap of @mm grows into a part of the range: as much as slots can reach is left to it
 * there, and nothing is taken where @room is had elsewhere.
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
	/* Before it is used, it begins at random behind the program. */
	room_consider(room, start, min(start_brk, end) & PAGE_MASK);
	end = min(end, reach);
	start = end - min(end, SSOL_AREA_SIZE + 2 * PAGE_SIZE);
	if (start > brk)
		room_consider(beyond_heap, start, end);
}

/*
 * The free range of SSOL_AREA_SIZE that is nearest to @near, but not below
 * something that grows downwards, and where the heap grows only if there is no other.
 * Above the last mapping there is room, too; nothing else is in reach of a vDSO that
 * follows the stack.  Returns 0 where there is none in reach.
 */
static unsigned long area_find_room(struct mm_struct *mm, unsigned long near)
{
	unsigned long limit = arch_limit(arch_mm_mode(mm));
	struct room room = { .near = near }, beyond_heap = { .near = near };
	unsigned long gap_start = LOWEST_ADDRESS;
	struct vm_area_struct *vma;
	VMA_ITERATOR(vmi, mm, 0);

	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		if (!(vma->vm_flags & VM_GROWSDOWN))
			gap_consider(&room, &beyond_heap, mm, gap_start, min(vma->vm_start, limit));
		gap_start = max(gap_start, vma->vm_end);
	}
	gap_consider(&room, &beyond_heap, mm, gap_start, limit);
	mmap_read_unlock(mm);

	if (room_reached(&room))
		return room.base;
	return room_reached(&beyond_heap) ? beyond_heap.base : 0;
}

/* Goes to a page of the file.  With a reference of ours it is not written back, so stays dirty. */
static int area_page(struct ssol_area *area, pgoff_t nr)
{
	struct page *page;

	if (area->page && area->page_nr == nr)
		return 0;
	/* It is charged to the program; see SITE_GFP. */
	page = shmem_read_mapping_page_gfp(area->file->f_mapping, nr,
					   GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (IS_ERR(page))
		return PTR_ERR(page);
	set_page_dirty_lock(page);
	if (area->page)
		put_page(area->page);
	area->page = page;
	area->page_nr = nr;
	return 0;
}

/* Context: area::lock held, or nobody else knows the area. */
static int area_write(struct ssol_area *area, unsigned long pos, const u8 *bytes, size_t len)
{
	while (len) {
		size_t n = min_t(size_t, len, PAGE_SIZE - offset_in_page(pos));
		int ret;

		ret = area_page(area, pos >> PAGE_SHIFT);
		if (ret)
			return ret;
		memcpy_to_page(area->page, offset_in_page(pos), bytes, n);
		pos += n;
		bytes += n;
		len -= n;
	}
	return 0;
}

/* The memory of an area that nobody knows. */
static void area_free(struct ssol_area *area)
{
	if (area->page)
		put_page(area->page);
	fput(area->file);
	kfree(area);
}

/**
 * ssol_area_create() - make an area and map it
 * @mm: the address space; the caller holds a reference that keeps it in use
 * @near: the text that its slots are to stand for
 *
 * Context: may sleep; takes the mmap lock.
 * Return: the area, or ERR_PTR: -ENOMEM also when no room is near enough.
 */
struct ssol_area *ssol_area_create(struct mm_struct *mm, unsigned long near)
{
	static const u8 trampoline[] = { ARCH_BREAKPOINT };
	struct ssol_area *area = kzalloc(sizeof(*area), GFP_KERNEL);
	int tries = 8;
	long ret;

	if (!area)
		return ERR_PTR(-ENOMEM);
	refcount_set(&area->refs, 1);
	mutex_init(&area->lock);
	area->file = compat_shmem_file("[uprobes]", SSOL_AREA_SIZE);
	if (IS_ERR(area->file)) {
		ret = PTR_ERR(area->file);
		goto free;
	}
	ret = area_write(area, 0, trampoline, sizeof(trampoline));
	if (ret)
		goto free_area;
	area->used = SSOL_SLOT_ALIGN;

	/* The program may map something at the same place meanwhile. */
	do {
		area->base = area_find_room(mm, near);
		ret = area->base ? area_map(mm, area) : -ENOMEM;
	} while (ret == -EEXIST && --tries);
	if (!ret)
		return area;
free_area:
	area_free(area);
	return ERR_PTR(ret);
free:
	kfree(area);
	return ERR_PTR(ret);
}

/**
 * ssol_area_mapped() - whether an address space has an area
 * @area: the area
 * @mm: the address space, in use
 *
 * Context: may sleep; takes the mmap lock.
 */
bool ssol_area_mapped(const struct ssol_area *area, struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	bool mapped;

	mmap_read_lock(mm);
	vma = find_vma(mm, area->base);
	mapped = vma && vma->vm_start <= area->base && vma->vm_file == area->file;
	mmap_read_unlock(mm);
	return mapped;
}

struct ssol_area *ssol_area_get(struct ssol_area *area)
{
	refcount_inc(&area->refs);
	return area;
}

/**
 * ssol_area_put() - drop a reference
 * @area: the area
 *
 * Context: may sleep.
 */
void ssol_area_put(struct ssol_area *area)
{
	if (refcount_dec_and_test(&area->refs))
		area_free(area);
}

/**
 * ssol_area_add_slot() - write the slot of an instruction
 * @area: an area that reaches @addr
 * @plan: how the instruction runs out of line
 * @addr: where it stands in the text
 * @step: it is to be executed under TF
 *
 * Context: may sleep.
 * Return: the slot's address; -ENOSPC when the area is full; -ERANGE when the
 * instruction cannot reach what it refers to from this area; what allocating
 * the page came to.
 */
long ssol_area_add_slot(struct ssol_area *area, const struct ssol_plan *plan,
			unsigned long addr, bool step)
{
	u8 code[SSOL_SLOT_MAX];
	unsigned long slot;
	long ret = -ENOSPC;
	int len;

	mutex_lock(&area->lock);
	if (area->used + SSOL_SLOT_MAX > SSOL_AREA_SIZE)
		goto unlock;
	slot = area->base + area->used;
	len = step ? ssol_emit_step(plan, addr, slot, code) : ssol_emit(plan, addr, slot, code);
	if (len < 0) {
		ret = len;
		goto unlock;
	}
	ret = area_write(area, area->used, code, len);
	if (ret)
		goto unlock;
	area->used += ALIGN(len, SSOL_SLOT_ALIGN);
	ret = slot;
unlock:
	mutex_unlock(&area->lock);
	return ret;
}
