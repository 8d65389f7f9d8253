/* SPDX-License-Identifier: GPL-2.0 */
/* What a function's slots count from, wherever in the function that is asked. */
#ifndef _USERSPACE_FRAME_BASE_H
#define _USERSPACE_FRAME_BASE_H

#include <stdbool.h>

#include "location.h"

/**
 * struct cfa - where the caller's stack pointer was before the call
 * @reg: register that it is found by, as DWARF numbers them
 * @offset: what is added to that
 * @stored: the sum is not it, but the address where it can be found
 * @end: address behind the instructions for which this holds
 */
struct cfa {
	u64 reg;
	s64 offset;
	bool stored;
	u64 end;
};

bool cfa_at(const struct debug_info *info, u64 addr, struct cfa *cfa);
bool frame_base_distance(const struct frame *frame, u64 reg, s64 *distance);
bool frame_is_set_up(const struct frame *frame, u64 reg);
bool frame_register_holds(const struct frame *frame, u64 reg);

#endif /* _USERSPACE_FRAME_BASE_H */
