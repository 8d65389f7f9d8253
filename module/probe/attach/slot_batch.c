// SPDX-License-Identifier: GPL-2.0
/*
 * Make slots for many instructions, and write them together: to find a page of the program takes
 * several times as long as to make a slot.
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "slot_batch.h"
#include "arch.h"
#include "attach_types.h"
#include "ssol.h"
#include "ssol_emit.h"
#include "core/probed_mm.h"
#include "core/slots.h"
#include "core/ssol_area.h"

/* The maximum size of the slots that are written together, in bytes. */
#define BATCH_SIZE	PAGE_SIZE

static bool force_step;
module_param_named(single_step, force_step, bool, 0644);
MODULE_PARM_DESC(single_step,
		 "execute instructions out of line under the trap flag, for sites made from now on");

/*
 * Check whether to step over an instruction that does not need a step.  A system call must not be
 * stepped: it may fork, exec or block while the step is in flight.
 */
static bool prefer_step(const struct ssol_plan *plan)
{
	return !ssol_is_syscall(plan) && READ_ONCE(force_step);
}

/**
 * slots_flush() - write the slots of a batch
 * @batch: the batch; empty afterwards
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: 0; -ENOMEM; -EINTR if the task is being killed; -EIO if the program has made its pages
 * impossible to write to, or has mapped something else there.
 */
int slots_flush(struct slot_batch *batch)
{
	struct pmm_areas *areas = &batch->pmm->areas;

	lockdep_assert_held(&batch->pmm->lock);
	if (batch->len && !batch->error)
		batch->error = ssol_area_write(batch->pmm->mm, batch->area->base, batch->start,
					       batch->code, batch->len);
	batch->len = 0;
	if (batch->error == -ENOSPC)
		batch->error = -EIO;
	if (!batch->error) {
		/* Pairs with pmm_copy_begins(): a copy that is made from now on has the slots. */
		smp_store_release(&areas->slots_written, areas->slots_made);
	}
	return batch->error;
}

/**
 * slots_end() - write the slots of a batch, and free its memory
 * @batch: the batch
 *
 * Context: as slots_flush().
 * Return: likewise; also the error of an earlier slots_flush().
 */
int slots_end(struct slot_batch *batch)
{
	int ret = slots_flush(batch);

	kfree(batch->code);
	batch->code = NULL;
	return ret;
}

/* Check whether the program still has an area.  Context: may sleep. */
static bool area_there(struct probed_mm *pmm, const struct ssol_area *area)
{
	bool there;

	mmap_read_lock(pmm->mm);
	there = ssol_area_there(pmm->mm, area->base);
	mmap_read_unlock(pmm->mm);
	return there;
}

/* Have the code of the next slot of an area written: now, or together with others. */
static int batch_code(struct slot_batch *batch, struct ssol_area *area, const u8 *code, size_t len)
{
	unsigned long slot = area->base + area->used;
	unsigned int at = slot - batch->start;
	int ret;

	/* Slots that were kept are not written again. */
	if (!batch->len || batch->area != area || at + len > BATCH_SIZE ||
	    at != ALIGN(batch->len, SSOL_SLOT_ALIGN)) {
		ret = slots_flush(batch);
		if (ret)
			return ret;
		if (batch->many && !batch->code)
			batch->code = kmalloc(BATCH_SIZE, SSOL_GFP);
		if (!batch->code)
			return ssol_area_write(batch->pmm->mm, area->base, slot, code, len);
		if (!area_there(batch->pmm, area))
			return -ENOSPC;
		memset(batch->code, ARCH_BREAKPOINT, BATCH_SIZE);
		batch->area = area;
		batch->start = slot;
		at = 0;
	}
	memcpy(batch->code + at, code, len);
	batch->len = at + len;
	return 0;
}

/* Make the next slot of an area.  Return as slots_add(), or as ssol_area_emit(). */
static long area_add(struct slot_batch *batch, struct ssol_area *area,
		     const struct ssol_plan *plan, unsigned long addr, bool step)
{
	unsigned long slot;
	u8 code[SSOL_SLOT_MAX];
	int len, ret;

	area_skip_slots(area);
	slot = area->base + area->used;
	len = ssol_area_emit(area, plan, addr, step, code);
	if (len < 0)
		return len;
	ret = batch_code(batch, area, code, len);
	if (ret)
		return ret;
	area->used += ALIGN(len, SSOL_SLOT_ALIGN);
	return slot;
}

/*
 * Make a slot in one of the existing areas.  Return its address; -ENOSPC if no area has room;
 * -ERANGE if some areas have room, but cannot reach the operand of the instruction.
 */
static long use_room(struct slot_batch *batch, const struct ssol_plan *plan, unsigned long addr,
		     bool step)
{
	struct pmm_areas *areas = &batch->pmm->areas;
	long slot, ret = -ENOSPC;
	unsigned int i;

	for (i = 0; i < areas->nr; i++) {
		if (!ssol_area_reaches(areas->list[i], addr))
			continue;
		slot = area_add(batch, areas->list[i], plan, addr, step);
		if (slot != -ENOSPC && slot != -ERANGE)
			return slot;
		if (slot == -ERANGE)
			ret = slot;
	}
	return ret;
}

/**
 * slots_add() - make a slot for an instruction, in a new area if necessary
 * @batch: the batch
 * @plan: plan of the instruction
 * @addr: its address
 * @step: set to whether the instruction is to be stepped in the slot
 *
 * The slot is written by the next slots_flush() at the latest.  If that fails, no further slots are
 * made.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: its address; -ENOSPC if there is no room for an area within reach, or the program may
 * map no more; or the errors of slots_flush().
 */
long slots_add(struct slot_batch *batch, const struct ssol_plan *plan, unsigned long addr,
	       bool *step)
{
	struct probed_mm *pmm = batch->pmm;
	struct ssol_area *area;
	long slot;

	*step = ssol_needs_step(plan) || prefer_step(plan);
	slot = use_room(batch, plan, addr, *step);
	if (slot == -ERANGE && pmm->areas.nothing_nearer) {
		*step = true;
		slot = use_room(batch, plan, addr, true);
	}
	if (slot != -ENOSPC && slot != -ERANGE)
		return slot;
	if (pmm->areas.nr == PMM_MAX_AREAS)
		return -ENOSPC;
	area = ssol_area_create(pmm->mm, pmm->areas.list, pmm->areas.nr, addr);
	if (IS_ERR(area))
		return PTR_ERR(area);
	pmm_add_area(pmm, area);
	slot = area_add(batch, area, plan, addr, *step);
	if (slot == -ERANGE) {
		/* The nearest area does not reach the operand; a step borrows a register for it. */
		pmm->areas.nothing_nearer = true;
		*step = true;
		slot = area_add(batch, area, plan, addr, true);
	}
	return slot;
}
