// SPDX-License-Identifier: GPL-2.0
/*
 * Imported functions that use their return address.
 *
 * A jump to an import goes through a pointer, in the procedure linkage table or without one.  A
 * relocation names the symbol that ld.so stores there (psABI, 4.4 and 5.2).
 */
#include "retaddr_import.h"

#ifdef __KERNEL__
#include <linux/elf.h>
#else
#include <elf.h>
#endif

/* Relocations that store the address of a function (psABI, table 4.9). */
#define GLOB_DAT	6
#define JUMP_SLOT	7

/* Dynamic tags (psABI, 5.2.1); relocations of the linkage table have tags of their own. */
#define TAG_PLTRELSZ	2
#define TAG_STRTAB	5
#define TAG_SYMTAB	6
#define TAG_RELA	7
#define TAG_RELASZ	8
#define TAG_JMPREL	23
#define TAG_RELACOUNT	0x6ffffff9
#define TAGS		36

/* The largest numbers of headers, tags and relocations to read. */
#define HEADERS_MAX	64
#define LOADS_MAX	8
#define TAGS_MAX	128
#define RELOCATIONS_MAX	65536
#define BATCH		16

#define NAME_MAX_LEN	16

static const char * const users[] = {
	"dlsym", "dlvsym", "dlopen", "dlmopen", "vfork", "getcontext",
	"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
};

/**
 * struct load - a part of a file that ld.so maps
 * @offset: its position in the file
 * @address: where it is mapped
 * @size: its size in the file
 */
struct load {
	u64 offset;
	u64 address;
	u64 size;
};

/**
 * struct image - a file, as ld.so maps it
 * @file: the file
 * @read: reads it
 * @loads: what is mapped
 * @nr: number of @loads
 * @tags: values of its dynamic tags, 0 if it does not have one
 * @relative: number of relocations at the start of TAG_RELA that name no symbol
 */
struct image {
	const void *file;
	retaddr_read read;
	struct load loads[LOADS_MAX];
	unsigned int nr;
	u64 tags[TAGS];
	u64 relative;
};

static bool image_get(const struct image *image, u64 offset, void *buf, size_t len)
{
	return image->read(image->file, offset, buf, len) == len;
}

/* Translate an offset to an address, or an address to an offset. */
static bool translate(const struct image *image, bool to_address, u64 from, u64 *to)
{
	const struct load *load;
	u64 start;

	for (load = image->loads; load < image->loads + image->nr; load++) {
		start = to_address ? load->offset : load->address;
		if (from < start || from - start >= load->size)
			continue;
		*to = from - start + (to_address ? load->address : load->offset);
		return true;
	}
	return false;
}

static void tags_read(struct image *image, u64 at)
{
	unsigned int i;
	Elf64_Dyn dyn;

	for (i = 0; i < TAGS_MAX; i++, at += sizeof(dyn)) {
		if (!image_get(image, at, &dyn, sizeof(dyn)) || dyn.d_tag == DT_NULL)
			return;
		if (dyn.d_tag > 0 && dyn.d_tag < TAGS)
			image->tags[dyn.d_tag] = dyn.d_un.d_val;
		if (dyn.d_tag == TAG_RELACOUNT)
			image->relative = dyn.d_un.d_val;
	}
}

static bool image_open(struct image *image)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	unsigned int i;

	if (!image_get(image, 0, &ehdr, sizeof(ehdr)) || memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_phentsize != sizeof(phdr) ||
	    ehdr.e_phnum > HEADERS_MAX)
		return false;
	for (i = 0; i < ehdr.e_phnum; i++) {
		if (!image_get(image, ehdr.e_phoff + i * sizeof(phdr), &phdr, sizeof(phdr)))
			return false;
		if (phdr.p_type == PT_DYNAMIC)
			tags_read(image, phdr.p_offset);
		if (phdr.p_type == PT_LOAD && image->nr < LOADS_MAX)
			image->loads[image->nr++] = (struct load) {
				.offset = phdr.p_offset,
				.address = phdr.p_vaddr,
				.size = phdr.p_filesz,
			};
	}
	return image->tags[TAG_SYMTAB] && image->tags[TAG_STRTAB];
}

/* Check the name of a symbol. */
static bool symbol_uses(const struct image *image, u64 index)
{
	char name[NAME_MAX_LEN] = "";
	u64 symbols, strings;
	unsigned int i;
	Elf64_Sym sym;

	if (!translate(image, false, image->tags[TAG_SYMTAB], &symbols) ||
	    !translate(image, false, image->tags[TAG_STRTAB], &strings) ||
	    !image_get(image, symbols + index * sizeof(sym), &sym, sizeof(sym)))
		return false;
	image->read(image->file, strings + sym.st_name, name, sizeof(name) - 1);
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		if (!strcmp(name, users[i]))
			return true;
	}
	return false;
}

/*
 * Look for the relocation of the pointer at an address, from the relocation @first of a table on.
 * Return whether it is there; set @uses if its symbol uses its return address.
 */
static bool relocation_find(const struct image *image, unsigned int table, unsigned int size,
			    u64 first, u64 address, bool *uses)
{
	u64 nr = image->tags[size] / sizeof(Elf64_Rela), at, i, n;
	Elf64_Rela batch[BATCH];
	u32 type;

	if (!image->tags[table] || !translate(image, false, image->tags[table], &at) ||
	    first > nr || nr - first > RELOCATIONS_MAX)
		return false;
	for (; first < nr; first += n) {
		n = nr - first < BATCH ? nr - first : BATCH;
		if (!image_get(image, at + first * sizeof(*batch), batch, n * sizeof(*batch)))
			return false;
		for (i = 0; i < n; i++) {
			type = (u32)batch[i].r_info;
			if (batch[i].r_offset != address || (type != GLOB_DAT && type != JUMP_SLOT))
				continue;
			*uses = symbol_uses(image, batch[i].r_info >> 32);
			return true;
		}
	}
	return false;
}

int retaddr_used_by_import(const void *file, retaddr_read read, u64 offset, long pointer)
{
	struct image image = { .file = file, .read = read };
	bool uses = false;
	u64 address;

	if (!image_open(&image) || !translate(&image, true, offset, &address))
		return 0;
	address += pointer;
	if (!relocation_find(&image, TAG_JMPREL, TAG_PLTRELSZ, 0, address, &uses))
		relocation_find(&image, TAG_RELA, TAG_RELASZ, image.relative, address, &uses);
	return uses;
}
