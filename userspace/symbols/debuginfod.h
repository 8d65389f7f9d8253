/* SPDX-License-Identifier: GPL-2.0 */
/* Debug files from the debuginfod servers that the user has configured. */
#ifndef _USERSPACE_DEBUGINFOD_H
#define _USERSPACE_DEBUGINFOD_H

#include "elf/elf_image.h"

bool debuginfod_open(const struct elf_image *img, struct elf_image *debug);

#endif /* _USERSPACE_DEBUGINFOD_H */
