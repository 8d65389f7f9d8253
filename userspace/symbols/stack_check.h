/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that can start again after their stack check. */
#ifndef _USERSPACE_STACK_CHECK_H
#define _USERSPACE_STACK_CHECK_H

#include "elf/elf_image.h"
#include "types.h"

u64 stack_check_entry(const struct elf_image *img, u64 start);
u64 stack_check_end(const struct elf_image *img, u64 start);

#endif /* _USERSPACE_STACK_CHECK_H */
