// SPDX-License-Identifier: GPL-2.0
/*
 * LSB Core, "Symbol Versioning": .gnu.version gives each dynamic symbol a
 * version index.  .gnu.version_d names the versions that this file defines,
 * .gnu.version_r the versions that it takes from other libraries.
 */
#include "versions.h"

#include <stdlib.h>
#include <string.h>

#include "util/util.h"

#define VERSYM_HIDDEN 0x8000
#define VERSYM_INDEX 0x7fff

static void set_version(struct versions *versions, size_t index,
			const char *name, const char *library)
{
	index &= VERSYM_INDEX;
	if (index < 2 || !name || !str_printable(name))
		return;
	if (index >= versions->n) {
		versions->v = xreallocarray(versions->v, index + 1,
					    sizeof(*versions->v));
		memset(versions->v + versions->n, 0,
		       (index + 1 - versions->n) * sizeof(*versions->v));
		versions->n = index + 1;
	}
	versions->v[index].name = name;
	versions->v[index].library = library;
}

static void load_definitions(const struct elf_image *img,
			     struct versions *versions)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_image_section_of_type(img, SHT_GNU_verdef, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Verdaux aux;
	GElf_Verdef def;
	size_t left;
	int pos = 0;

	if (!data)
		return;
	/* A chain cannot have more links than the section has room for entries. */
	for (left = data->d_size / sizeof(Elf32_Verdef); left; left--) {
		if (!gelf_getverdef(data, pos, &def))
			return;
		if (gelf_getverdaux(data, pos + def.vd_aux, &aux))
			set_version(versions, def.vd_ndx,
				    elf_strptr(img->elf, shdr.sh_link,
					       aux.vda_name), NULL);
		if (!def.vd_next || def.vd_next > data->d_size - pos)
			return;
		pos += def.vd_next;
	}
}

static void load_needs(const struct elf_image *img, struct versions *versions)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_image_section_of_type(img, SHT_GNU_verneed, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t left;
	int pos = 0;

	if (!data)
		return;
	left = data->d_size / sizeof(Elf32_Verneed);
	while (left--) {
		const char *library;
		GElf_Verneed need;
		GElf_Vernaux aux;
		int aux_pos;

		if (!gelf_getverneed(data, pos, &need))
			return;
		library = elf_strptr(img->elf, shdr.sh_link, need.vn_file);
		if (library && !str_printable(library))
			library = NULL;
		if (need.vn_aux > data->d_size - pos)
			return;
		aux_pos = pos + need.vn_aux;
		for (size_t i = 0; i < need.vn_cnt; i++) {
			if (!left || !gelf_getvernaux(data, aux_pos, &aux))
				break;
			left--;
			set_version(versions, aux.vna_other,
				    elf_strptr(img->elf, shdr.sh_link,
					       aux.vna_name), library);
			if (!aux.vna_next ||
			    aux.vna_next > data->d_size - aux_pos)
				break;
			aux_pos += aux.vna_next;
		}
		if (!need.vn_next || need.vn_next > data->d_size - pos)
			return;
		pos += need.vn_next;
	}
}

/**
 * versions_load() - read a file's version tables
 * @img: the file; must stay open while @versions is used
 * @versions: filled in; empty for a file without versions
 */
void versions_load(const struct elf_image *img, struct versions *versions)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_image_section_of_type(img, SHT_GNU_versym, &shdr);

	memset(versions, 0, sizeof(*versions));
	if (!scn)
		return;
	versions->versym = elf_getdata(scn, NULL);
	load_definitions(img, versions);
	load_needs(img, versions);
}

void versions_free(struct versions *versions)
{
	free(versions->v);
	memset(versions, 0, sizeof(*versions));
}

/**
 * versions_of() - get the version of a dynamic symbol
 * @versions: the file's versions
 * @symbol: index of the symbol
 * @version: set; both fields NULL for an unversioned symbol
 * @hidden: set to true if only f@V names the symbol and plain f does not
 *
 * Return: false for a symbol that is local to the file.
 */
bool versions_of(const struct versions *versions, size_t symbol,
		 struct version *version, bool *hidden)
{
	GElf_Versym versym;
	size_t index;

	memset(version, 0, sizeof(*version));
	*hidden = false;
	if (!versions->versym || symbol > INT32_MAX ||
	    !gelf_getversym(versions->versym, symbol, &versym))
		return true;
	index = versym & VERSYM_INDEX;
	if (index == VER_NDX_LOCAL)
		return false;
	*hidden = versym & VERSYM_HIDDEN;
	if (index < versions->n)
		*version = versions->v[index];
	return true;
}
