/* SPDX-License-Identifier: GPL-2.0 */
/* Function bounds from the unwind table, which stripping leaves in place. */
#ifndef _USERSPACE_EH_FRAME_H
#define _USERSPACE_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "elf_image.h"

bool eh_frame_function_at(const struct elf_image *img, uint64_t addr,
			  uint64_t *start, uint64_t *end);

#endif /* _USERSPACE_EH_FRAME_H */
