/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make slots for many instructions, and write them together.
 */
#ifndef _UPROBES_SLOT_BATCH_H
#define _UPROBES_SLOT_BATCH_H

#include <linux/types.h>

struct slot_batch;
struct ssol_plan;

long slots_add(struct slot_batch *batch, const struct ssol_plan *plan, unsigned long addr,
	       bool *step);
int slots_flush(struct slot_batch *batch);
int slots_end(struct slot_batch *batch);

#endif /* _UPROBES_SLOT_BATCH_H */
