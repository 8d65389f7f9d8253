/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write jumps into text, and remove them, while threads execute it.
 */
#ifndef _UPROBES_JUMP_TEXT_H
#define _UPROBES_JUMP_TEXT_H

#include "core/jump_types.h"
#include "core/probed_mm.h"

void jumps_write(struct probed_mm *pmm, struct jump **jumps, unsigned int n);
void jumps_erase(struct probed_mm *pmm, bool (*leaves)(const struct jump *jump, const void *data),
		 const void *data);
void jumps_drop(struct probed_mm *pmm);
void jumps_show_text(const struct probed_mm *pmm, unsigned long addr, u8 *text, size_t len);

#endif /* _UPROBES_JUMP_TEXT_H */
