/* SPDX-License-Identifier: GPL-2.0 */
/* The DWARF debug information of a program or library, also in separate files. */
#ifndef _USERSPACE_DEBUG_INFO_H
#define _USERSPACE_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "elf/elf_image.h"
#include "types.h"

struct error;

/**
 * struct debug_info - open debug information
 * @dwarf: libdw's descriptor, NULL if there is none
 * @image: the program or library
 * @debug: the separate file that it is read from, if @separate
 * @separate: whether @debug is open
 * @bias: number to add to its addresses to get addresses of @image
 * @asked: the debug information was looked for already
 * @fetched: debug servers were asked, too
 * @unread: a file with debug information that cannot be read, or NULL
 * @packing: how @unread is compressed, if it cannot be read for that reason
 */
struct debug_info {
	Dwarf *dwarf;
	const struct elf_image *image;
	struct elf_image debug;
	bool separate;
	u64 bias;
	bool asked;
	bool fetched;
	char *unread;
	const char *packing;
};

/**
 * struct unit_walk - a walk over all units with code
 * @info: the debug information
 * @next: the unit found last, from which the walk goes on
 * @die: description of that unit
 */
struct unit_walk {
	const struct debug_info *info;
	Dwarf_CU *next;
	Dwarf_Die die;
};

bool debug_info_open(struct debug_info *info, const struct elf_image *img,
		     const char *debug_dir, bool fetch);
bool debug_info_may_mention(const struct debug_info *info,
			    const struct elf_image *img,
			    const char *debug_dir, const char *name);
void debug_info_close(struct debug_info *info);

char *debug_info_missing(const struct debug_info *info);
struct error *debug_info_excuse(const struct debug_info *info,
				struct error *err);
bool unit_next(struct unit_walk *walk);
bool unit_at(const struct debug_info *info, u64 addr, Dwarf_Die *unit);
const char *die_name(Dwarf_Die *die);
const char *die_linkage_name(Dwarf_Die *die);
bool path_has_tail(const char *path, const char *tail);

#endif /* _USERSPACE_DEBUG_INFO_H */
