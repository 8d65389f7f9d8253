/* SPDX-License-Identifier: GPL-2.0 */
/* The base of a function's stack slots, at any instruction of the function. */
#ifndef _USERSPACE_FRAME_BASE_H
#define _USERSPACE_FRAME_BASE_H

#include <stdbool.h>

#include "elf/cfa.h"
#include "location.h"

bool cfa_at(const struct debug_info *info, u64 addr, struct cfa *cfa);
bool frame_base_distance(const struct frame *frame, u64 reg, s64 *distance);
bool frame_is_set_up(const struct frame *frame, u64 reg);
bool frame_register_holds(const struct frame *frame, u64 reg);

#endif /* _USERSPACE_FRAME_BASE_H */
