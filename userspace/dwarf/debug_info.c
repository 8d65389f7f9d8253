// SPDX-License-Identifier: GPL-2.0
#include "debug_info.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/debug_file.h"
#include "symbols/debuginfod.h"
#include "util/error.h"
#include "util/util.h"

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

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/*
 * libdw treats a section that it cannot decompress as absent.  All versions know
 * zlib; newer versions know more methods than older ones.
 *
 * Return: how a section is compressed that cannot be decompressed; NULL if there is
 * no such section.
 */
static const char *unknown_packing(const struct elf_image *img)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr shdr;
	GElf_Chdr chdr;

	if (elf_getshdrstrndx(img->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(img->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &shdr) ||
		    !(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		name = elf_strptr(img->elf, names, shdr.sh_name);
		if (!name || !str_starts(name, ".debug_") ||
		    !gelf_getchdr(scn, &chdr) ||
		    chdr.ch_type == ELFCOMPRESS_ZLIB ||
		    elf_compress(scn, 0, 0) >= 0)
			continue;
		return chdr.ch_type == ELFCOMPRESS_ZSTD ?
		       "with zstd" :
		       "in a way of its own";
	}
	return NULL;
}

static bool use(struct debug_info *info, const struct elf_image *img)
{
	const char *packing;

	if (!has_debug_info(img))
		return false;
	packing = unknown_packing(img);
	if (!packing)
		info->dwarf = dwarf_begin_elf(img->elf, DWARF_C_READ, NULL);
	if (!info->dwarf) {
		free(info->unread);
		info->unread = xstrdup(img->path);
		info->packing = packing;
	}
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
 * @img: the file; must stay open while @info is used
 * @debug_dir: where debug files are installed
 * @fetch: debug servers may be asked, if the debug information is nowhere else
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

/* Names shorter than this are not in the string table. */
#define SHORT_NAME 4

/* Suffix of the separate files that can hold units. */
#define DWO_SUFFIX ".dwo"

static bool data_holds(const Elf_Data *data, const char *text)
{
	return memmem(data->d_buf, data->d_size, text, strlen(text));
}

static bool strings_hold(const struct elf_image *img, const char *name)
{
	GElf_Shdr shdr;
	Elf_Data *data;
	Elf_Scn *scn;

	if (!has_debug_info(img))
		return false;
	scn = elf_image_section(img, ".debug_str", &shdr);
	/* If there is an alternate debug file, the strings may be in that file. */
	if (!scn || elf_image_section(img, ".gnu_debugaltlink", &shdr))
		return true;
	if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_COMPRESSED &&
	    elf_compress(scn, 0, 0) < 0)
		return true;
	data = elf_getdata(scn, NULL);
	return !data || !data->d_buf || data_holds(data, name) ||
	       data_holds(data, DWO_SUFFIX);
}

/**
 * debug_info_may_mention() - check whether it is worth looking for a name
 * @info: as for debug_info_open()
 * @img: the file
 * @debug_dir: where debug files are installed
 * @name: a name
 *
 * Reading all debug information is slow.  Its string table can be searched
 * without that.
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
	free(info->unread);
	memset(info, 0, sizeof(*info));
}

/**
 * unit_next() - go to the next unit that can have code
 * @walk: all zero except @info before the first call
 *
 * If the unit is only a skeleton, go to the unit in the .dwo file.  If there is
 * no .dwo file, go to the skeleton, which has lines but no functions.
 *
 * Return: whether there is a next unit.
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
		if (dwarf_tag(&die) != DW_TAG_compile_unit &&
		    dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		walk->next = unit;
		walk->die = die;
		return true;
	}
	return false;
}

static char *dwo_path(Dwarf_Die *skeleton)
{
	Dwarf_Attribute attr;
	const char *name = NULL, *dir = NULL;

	if (dwarf_attr(skeleton, DW_AT_dwo_name, &attr) ||
	    dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr))
		name = dwarf_formstring(&attr);
	if (dwarf_attr(skeleton, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	if (!name || !str_printable(name) || (dir && !str_printable(dir)))
		return xstrdup("a .dwo file");
	return dir && name[0] != '/' ? xasprintf("%s/%s", dir, name) :
				       xstrdup(name);
}

/* Suffix of the packages of .dwo files, and the first elfutils whose libdw reads them: 0.191. */
#define DWP_SUFFIX ".dwp"
#define DWP_MINOR 191

static bool reads_packages(void)
{
	unsigned int major, minor;

	return sscanf(dwfl_version(NULL), "%u.%u", &major, &minor) != 2 || major ||
	       minor >= DWP_MINOR;
}

/* Say why a package of .dwo files next to the program is of no use; "" if there is none. */
static char *package_excuse(const struct debug_info *info)
{
	_cleanup_free_ char *program = realpath(info->image->file, NULL);
	const struct elf_image *read = info->separate ? &info->debug : info->image;
	_cleanup_free_ char *wanted = xasprintf("%s%s", read->path, DWP_SUFFIX);
	char *beside = xasprintf("%s%s", program ? program : info->image->file, DWP_SUFFIX);
	char *package = path_escape(beside), *excuse;

	if (access(beside, R_OK))
		excuse = xstrdup("");
	else if (!reads_packages())
		excuse = xasprintf("; it may be in the package %s, which libdw %s cannot read and that of elfutils 0.%u can",
				   package, dwfl_version(NULL), DWP_MINOR);
	else if (info->separate)
		excuse = xasprintf("; it may be in the package %s, which libdw looks for as %s",
				   package, wanted);
	else
		excuse = xasprintf("; it is not in the package %s either", package);
	free(package);
	free(beside);
	return excuse;
}

/**
 * debug_info_missing() - find out which part of the debug information is missing
 * @info: the debug information
 *
 * With -gsplit-dwarf, most of the debug information stays in .dwo files.  dwz(1)
 * moves the parts that several files have in common to another file.
 *
 * Return: the first missing file, the number of others, and why a package does not help, from
 * malloc(); NULL if nothing is missing.
 */
char *debug_info_missing(const struct debug_info *info)
{
	const char *common;
	const void *id;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	char *first = NULL, *package, *text;
	size_t others = 0;
	u8 type;

	if (dwelf_dwarf_gnu_debugaltlink(info->dwarf, &common, &id) > 0 &&
	    !dwarf_getalt(info->dwarf))
		return xstrdup(str_printable(common) ? common :
						       "a common file");
	while (!dwarf_get_units(info->dwarf, unit, &unit, NULL, &type, &die,
				&split)) {
		if (type != DW_UT_skeleton || dwarf_tag(&split) != DW_TAG_invalid)
			continue;
		if (first)
			others++;
		else
			first = dwo_path(&die);
	}
	if (!first)
		return NULL;
	package = package_excuse(info);
	text = others ? xasprintf("%s (with %zu others%s)", first, others, package) :
	       *package ? xasprintf("%s (%s)", first, package + strlen("; ")) : xstrdup(first);
	free(package);
	free(first);
	return text;
}

/**
 * debug_info_excuse() - add a note about missing debug information to an error
 * @info: the debug information
 * @err: an error that reports something as unknown
 *
 * Return: @err.
 */
struct error *debug_info_excuse(const struct debug_info *info,
				struct error *err)
{
	_cleanup_free_ char *missing = debug_info_missing(info);

	if (missing)
		error_append(err, "\n  part of the debug information of %s is missing: %s was not found; put it back there, or build without -gsplit-dwarf or dwz",
			     info->image->path, missing);
	return err;
}

/**
 * unit_at() - find the unit that an address belongs to
 * @info: the debug information
 * @addr: the address, in terms of the file's program headers
 * @unit: set on success
 *
 * Return: whether there is such a unit.
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
	/* Not every compiler writes the index that dwarf_addrdie() uses. */
	while (unit_next(&walk)) {
		if (dwarf_haspc(&walk.die, addr - info->bias) > 0) {
			*unit = walk.die;
			return true;
		}
	}
	return false;
}

/**
 * die_name() - get the name in a description
 * @die: the description
 *
 * Return: the name; NULL if there is none, or if it is not printable.
 */
const char *die_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && str_printable(name) ? name : NULL;
}

/**
 * die_linkage_name() - get the symbol name of a function
 * @die: its description
 *
 * Return: the mangled name; NULL if it does not differ from the plain name.
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
 * path_has_tail() - check whether a user's file name stands for a path
 * @path: path of a source file
 * @tail: the name of the file, or the last part of its path, as the user typed it
 */
bool path_has_tail(const char *path, const char *tail)
{
	size_t len = strlen(path), n = strlen(tail);

	return n && n <= len && !strcmp(path + len - n, tail) &&
	       (n == len || path[len - n - 1] == '/' || tail[0] == '/');
}
