/* SPDX-License-Identifier: GPL-2.0 */
/* The file that TARGET on the command line stands for. */
#ifndef _USERSPACE_TARGET_H
#define _USERSPACE_TARGET_H

#include <sys/types.h>

#include "dwarf/debug_info.h"
#include "elf/elf_image.h"
#include "host/library.h"

struct error;
struct options;

/**
 * struct target - the file to probe
 * @image: the open file; its path is the path for definitions
 * @root: the directory that the process of the target sees as /; "" for our own /
 * @debug_dir: the directory of its debug files
 * @debug_info: its debug information; see target_debug_info()
 */
struct target {
	struct elf_image image;
	char *root;
	char *debug_dir;
	struct debug_info debug_info;
};

struct error *target_open(const char *name, const struct options *options,
			  struct target *target);
bool target_is_memory(const char *name);
void target_close(struct target *target);
const struct debug_info *target_debug_info(struct target *target, bool fetch);
struct error *target_need_debug_info(struct target *target,
				     const struct debug_info **info);

#endif /* _USERSPACE_TARGET_H */
