/* SPDX-License-Identifier: GPL-2.0 */
/* Function bounds from the unwind table, which strip does not remove. */
#ifndef _USERSPACE_EH_FRAME_H
#define _USERSPACE_EH_FRAME_H

#include <stdbool.h>

#include "elf_image.h"
#include "types.h"

bool eh_frame_function_at(const struct elf_image *img, u64 addr,
			  u64 *start, u64 *end);

#endif /* _USERSPACE_EH_FRAME_H */
