// SPDX-License-Identifier: GPL-2.0
#include "debug_info.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug_file.h"
#include "debuginfod.h"
#include "util.h"

static bool has_debug_info(const struct elf_image *img)
{
	static const char *const names[] = { ".debug_info", ".zdebug_info" };
	GElf_Shdr shdr;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (elf_image_section(img, names[i], &shdr) &&
		    shdr.sh_type != SHT_NOBITS)
			return true;
	return false;
}

static bool use(struct debug_info *info, const struct elf_image *img)
{
	if (has_debug_info(img))
		info->dwarf = dwarf_begin_elf(img->elf, DWARF_C_READ, NULL);
	return info->dwarf;
}

static bool use_separate(struct debug_info *info)
{
	info->separate = use(info, &info->debug);
	if (!info->separate)
		elf_image_close(&info->debug);
	else
		info->bias = debug_file_bias(info->image, &info->debug);
	return info->separate;
}

/**
 * debug_info_open() - open the debug information of a file, once
 * @info: all zero before the first call; to be closed with debug_info_close()
 * @img: the file; must stay open as long as @info is used
 * @debug_dir: where debug files are installed
 * @fetch: debug servers may be asked, if it is nowhere else
 *
 * Return: whether there is any.
 */
bool debug_info_open(struct debug_info *info, const struct elf_image *img,
		     const char *debug_dir, bool fetch)
{
	if (!info->asked) {
		info->asked = true;
		info->image = img;
		if (!use(info, img) &&
		    debug_file_open(img, debug_dir, &info->debug))
			use_separate(info);
	}
	if (!info->dwarf && fetch && !info->fetched) {
		info->fetched = true;
		if (debuginfod_open(img, &info->debug))
			use_separate(info);
	}
	return info->dwarf;
}

/* Short names are not in the table of strings. */
#define SHORT_NAME 4

static bool strings_hold(const struct elf_image *img, const char *name)
{
	GElf_Shdr shdr;
	Elf_Data *data;
	Elf_Scn *scn;

	if (!has_debug_info(img))
		return false;
	scn = elf_image_section(img, ".debug_str", &shdr);
	/* The strings may be in yet another file. */
	if (!scn || elf_image_section(img, ".gnu_debugaltlink", &shdr))
		return true;
	if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_COMPRESSED &&
	    elf_compress(scn, 0, 0) < 0)
		return true;
	data = elf_getdata(scn, NULL);
	return !data || !data->d_buf ||
	       memmem(data->d_buf, data->d_size, name, strlen(name));
}

/**
 * debug_info_may_mention() - is it worth while to look for a name?
 * @info: as debug_info_open() takes it
 * @img: the file
 * @debug_dir: where debug files are installed
 * @name: a name
 *
 * Reading all debug information takes its time, and its strings can be had
 * without.
 */
bool debug_info_may_mention(const struct debug_info *info,
			    const struct elf_image *img,
			    const char *debug_dir, const char *name)
{
	struct elf_image debug;
	bool may;

	if (info->asked || strlen(name) < SHORT_NAME)
		return true;
	if (has_debug_info(img))
		return strings_hold(img, name);
	if (!debug_file_open(img, debug_dir, &debug))
		return false;
	may = strings_hold(&debug, name);
	elf_image_close(&debug);
	return may;
}

void debug_info_close(struct debug_info *info)
{
	if (info->dwarf)
		dwarf_end(info->dwarf);
	if (info->separate)
		elf_image_close(&info->debug);
	memset(info, 0, sizeof(*info));
}

/**
 * unit_next() - go to the next unit that can have code
 * @walk: all zero but for its info before the first call
 *
 * Where the unit is only a skeleton, this is the unit in the .dwo file.
 *
 * Return: whether there is one.
 */
bool unit_next(struct unit_walk *walk)
{
	Dwarf_CU *unit = walk->next;
	Dwarf_Die die, split;
	u8 type;

	if (!walk->info->dwarf)
		return false;
	while (!dwarf_get_units(walk->info->dwarf, unit, &unit, NULL, &type,
				&die, &split)) {
		if (type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid)
			die = split;
		if (dwarf_tag(&die) != DW_TAG_compile_unit)
			continue;
		walk->next = unit;
		walk->die = die;
		return true;
	}
	return false;
}

/**
 * unit_at() - find the unit that an address belongs to
 * @info: the debug information
 * @addr: the address, as the program headers of the file count
 * @unit: set on success
 *
 * Return: whether there is one.
 */
bool unit_at(const struct debug_info *info, u64 addr, Dwarf_Die *unit)
{
	struct unit_walk walk = { .info = info };

	if (!info->dwarf)
		return false;
	if (dwarf_addrdie(info->dwarf, addr - info->bias, unit)) {
		Dwarf_Die split;
		u8 type;

		if (!dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL,
				   NULL, NULL) && type == DW_UT_skeleton &&
		    dwarf_tag(&split) != DW_TAG_invalid)
			*unit = split;
		return true;
	}
	/* Not every compiler writes the index that this was. */
	while (unit_next(&walk)) {
		if (dwarf_haspc(&walk.die, addr - info->bias) > 0) {
			*unit = walk.die;
			return true;
		}
	}
	return false;
}

/**
 * die_name() - the name of something in a program
 * @die: its description
 *
 * Return: the name; NULL if it has none, or one that cannot be shown.
 */
const char *die_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && str_printable(name) ? name : NULL;
}

/**
 * die_linkage_name() - the symbol of a function
 * @die: its description
 *
 * Return: the mangled name; NULL if it is no other than its plain one.
 */
const char *die_linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	return name && str_printable(name) ? name : NULL;
}

/**
 * path_has_tail() - is this the file that somebody means?
 * @path: path of a source file
 * @tail: as it was typed: its name, or the last part of its path
 */
bool path_has_tail(const char *path, const char *tail)
{
	size_t len = strlen(path), n = strlen(tail);

	return n && n <= len && !strcmp(path + len - n, tail) &&
	       (n == len || path[len - n - 1] == '/' || tail[0] == '/');
}
