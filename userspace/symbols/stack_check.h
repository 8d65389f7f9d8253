/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that can start anew before they have done anything. */
#ifndef _USERSPACE_STACK_CHECK_H
#define _USERSPACE_STACK_CHECK_H

#include "elf/elf_image.h"
#include "types.h"

u64 stack_check_end(const struct elf_image *img, u64 start);

#endif /* _USERSPACE_STACK_CHECK_H */
