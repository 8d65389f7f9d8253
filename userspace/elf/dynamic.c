// SPDX-License-Identifier: GPL-2.0
/*
 * Some files have their section headers stripped, because the dynamic linker
 * does not need them.  It finds its tables through PT_DYNAMIC (ELF
 * specification, "Dynamic Section").  The dynamic section does not give the
 * number of symbols, so derive this number from the hash tables.
 */
#include "dynamic.h"

#include <string.h>

#include "util/util.h"

/* More entries than any dynamic section has; a limit on hostile files. */
#define ENTRIES_MAX 4096
#define SYMBOLS_MAX 16777216

static bool file_offset(const struct elf_image *img, u64 addr, u64 *offset)
{
	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];
		u64 in = addr - ph->p_vaddr;

		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    in < ph->p_filesz && ph->p_offset + in >= in) {
			*offset = ph->p_offset + in;
			return true;
		}
	}
	return false;
}

static bool read_u32(const struct elf_image *img, u64 addr, u32 *value)
{
	u64 offset;

	return file_offset(img, addr, &offset) &&
	       elf_image_read(img, offset, value, sizeof(*value)) ==
	       sizeof(*value);
}

/**
 * struct dynamic - the entries that we need of a dynamic section
 * @symtab: DT_SYMTAB
 * @strtab: DT_STRTAB
 * @strsz: DT_STRSZ
 * @hash: DT_HASH
 * @gnu_hash: DT_GNU_HASH
 */
struct dynamic {
	u64 symtab;
	u64 strtab;
	u64 strsz;
	u64 hash;
	u64 gnu_hash;
};

static void read_dynamic(const struct elf_image *img, struct dynamic *dynamic)
{
	const GElf_Phdr *ph = NULL;
	Elf_Data *data;
	GElf_Dyn dyn;

	memset(dynamic, 0, sizeof(*dynamic));
	for (size_t i = 0; i < img->phnum; i++)
		if (img->phdrs[i].p_type == PT_DYNAMIC)
			ph = &img->phdrs[i];
	data = ph ? elf_getdata_rawchunk(img->elf, ph->p_offset, ph->p_filesz,
					 ELF_T_DYN) : NULL;
	for (int i = 0; data && i < ENTRIES_MAX && gelf_getdyn(data, i, &dyn) &&
	     dyn.d_tag != DT_NULL; i++) {
		switch (dyn.d_tag) {
		case DT_SYMTAB:
			dynamic->symtab = dyn.d_un.d_ptr;
			break;
		case DT_STRTAB:
			dynamic->strtab = dyn.d_un.d_ptr;
			break;
		case DT_STRSZ:
			dynamic->strsz = dyn.d_un.d_val;
			break;
		case DT_HASH:
			dynamic->hash = dyn.d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			dynamic->gnu_hash = dyn.d_un.d_ptr;
			break;
		}
	}
}

/*
 * Count the symbols of a GNU hash table.  The chain of the highest bucket ends
 * at the last symbol; a set lowest bit marks the end of a chain.
 * Layout: nbuckets, symoffset, bloom words, shift, bloom, buckets, chains.
 */
static u64 count_gnu_hash(const struct elf_image *img, u64 table)
{
	u64 word = img->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	u32 nbuckets, first, bloom, bucket, last = 0, chain = 0;
	u64 buckets;

	if (!read_u32(img, table, &nbuckets) ||
	    !read_u32(img, table + 4, &first) ||
	    !read_u32(img, table + 8, &bloom) || nbuckets > SYMBOLS_MAX)
		return 0;
	buckets = table + 16 + word * bloom;
	for (u32 i = 0; i < nbuckets; i++) {
		if (!read_u32(img, buckets + 4ull * i, &bucket))
			return 0;
		if (bucket > last)
			last = bucket;
	}
	if (last < first)
		return first;
	for (; last < SYMBOLS_MAX && !(chain & 1); last++)
		if (!read_u32(img, buckets + 4ull * nbuckets +
				   4ull * (last - first), &chain))
			return 0;
	return last;
}

static u64 count_symbols(const struct elf_image *img,
			 const struct dynamic *dynamic)
{
	u32 nchain;

	if (dynamic->hash && read_u32(img, dynamic->hash + 4, &nchain))
		return nchain;
	return dynamic->gnu_hash ? count_gnu_hash(img, dynamic->gnu_hash) : 0;
}

/**
 * dynamic_find() - find the dynamic symbols without section headers
 * @img: the file
 * @tables: filled in
 *
 * Return: whether there is such a table.
 */
bool dynamic_find(const struct elf_image *img, struct dynamic_tables *tables)
{
	struct dynamic dynamic;
	u64 at, names, n;
	size_t size;

	read_dynamic(img, &dynamic);
	n = count_symbols(img, &dynamic);
	size = gelf_fsize(img->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (!n || n > SYMBOLS_MAX || !file_offset(img, dynamic.symtab, &at) ||
	    !file_offset(img, dynamic.strtab, &names))
		return false;
	tables->symbols = elf_getdata_rawchunk(img->elf, at, n * size,
					       ELF_T_SYM);
	tables->strings = elf_getdata_rawchunk(img->elf, names, dynamic.strsz,
					       ELF_T_BYTE);
	return tables->symbols && tables->strings && tables->strings->d_buf;
}
