/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols that were stripped from a file: separate debug files, MiniDebugInfo. */
#ifndef _USERSPACE_DEBUG_FILE_H
#define _USERSPACE_DEBUG_FILE_H

#include <stdbool.h>

#include "elf/elf_image.h"

#define DEBUG_DIR "/usr/lib/debug"

bool debug_file_open(const struct elf_image *img, const char *debug_dir,
		     struct elf_image *debug);
bool debug_file_open_mini(const struct elf_image *img, struct elf_image *mini);
u64 debug_file_bias(const struct elf_image *img,
		    const struct elf_image *debug);

#endif /* _USERSPACE_DEBUG_FILE_H */
