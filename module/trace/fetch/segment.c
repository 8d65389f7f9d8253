// SPDX-License-Identifier: GPL-2.0
/*
 * The distance of two places of a file in memory.
 *
 * The segments of an ELF file keep their distance wherever the file is loaded.
 * So the address of one place, which a hit knows, gives the address of any other
 * place.  The file is not trusted: each field is checked before use.
 */
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "segment.h"

#define SEGMENTS_MAX	1024	/* program headers that are read */

/**
 * struct phdrs - place of the program headers
 * @is_64: ELF64, else ELF32
 * @pos: of the first one
 * @size: of each
 * @count: number of headers
 */
struct phdrs {
	bool is_64;
	u64 pos;
	unsigned int size;
	unsigned int count;
};

/* A segment: @filesz bytes of the file at @offset are mapped at @vaddr. */
struct segment {
	u64 offset;
	u64 vaddr;
	u64 filesz;
};

static int find_phdrs(const struct tracer_bytes *bytes, struct phdrs *phdrs)
{
	union {
		unsigned char ident[EI_NIDENT];
		struct elf64_hdr e64;
		struct elf32_hdr e32;
	} header;
	int ret;

	/* Any ELF file has at least the smaller header. */
	ret = bytes->read(bytes->file, 0, &header, sizeof(header.e32));
	if (ret)
		return ret;
	if (memcmp(header.ident, ELFMAG, SELFMAG) ||
	    header.ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;

	switch (header.ident[EI_CLASS]) {
	case ELFCLASS64:
		ret = bytes->read(bytes->file, 0, &header, sizeof(header.e64));
		if (ret)
			return ret;
		phdrs->is_64 = true;
		phdrs->pos = header.e64.e_phoff;
		phdrs->size = header.e64.e_phentsize;
		phdrs->count = header.e64.e_phnum;
		break;
	case ELFCLASS32:
		phdrs->is_64 = false;
		phdrs->pos = header.e32.e_phoff;
		phdrs->size = header.e32.e_phentsize;
		phdrs->count = header.e32.e_phnum;
		break;
	default:
		return -ENOEXEC;
	}
	if (phdrs->size != (phdrs->is_64 ? sizeof(struct elf64_phdr) :
					   sizeof(struct elf32_phdr)))
		return -ENOEXEC;
	phdrs->count = min_t(unsigned int, phdrs->count, SEGMENTS_MAX);
	return 0;
}

/* Read header @i.  Return: 1 if its segment gets mapped, 0 if not, or -errno. */
static int read_segment(const struct tracer_bytes *bytes,
			const struct phdrs *phdrs, unsigned int i,
			struct segment *segment)
{
	union {
		struct elf64_phdr p64;
		struct elf32_phdr p32;
	} header;
	u64 pos = phdrs->pos + (u64)i * phdrs->size;
	u32 type;
	int ret;

	if (pos < phdrs->pos)
		return -ENOEXEC;
	ret = bytes->read(bytes->file, pos, &header, phdrs->size);
	if (ret)
		return ret;
	if (phdrs->is_64) {
		type = header.p64.p_type;
		segment->offset = header.p64.p_offset;
		segment->vaddr = header.p64.p_vaddr;
		segment->filesz = header.p64.p_filesz;
	} else {
		type = header.p32.p_type;
		segment->offset = header.p32.p_offset;
		segment->vaddr = header.p32.p_vaddr;
		segment->filesz = header.p32.p_filesz;
	}
	return type == PT_LOAD;
}

static bool holds(const struct segment *segment, u64 offset)
{
	return offset >= segment->offset &&
	       offset - segment->offset < segment->filesz;
}

/**
 * tracer_segment_distance() - compute the distance of two places of a file in memory
 * @bytes: the file
 * @from: offset of one place
 * @to: offset of the other place
 * @distance: the address of @to minus the address of @from
 *
 * If the file is not an ELF file, assume that it is mapped in one piece.
 *
 * Return: 0; -ENOENT if a place is in no segment; or the error of reading the file.
 */
int tracer_segment_distance(const struct tracer_bytes *bytes, u64 from, u64 to,
			    s64 *distance)
{
	bool from_found = false, to_found = false;
	u64 from_vaddr = 0, to_vaddr = 0;
	struct segment segment;
	struct phdrs phdrs;
	unsigned int i;
	int ret;

	ret = find_phdrs(bytes, &phdrs);
	if (ret) {
		*distance = (s64)(to - from);
		return 0;
	}

	for (i = 0; i < phdrs.count && !(from_found && to_found); i++) {
		ret = read_segment(bytes, &phdrs, i, &segment);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		if (!from_found && holds(&segment, from)) {
			from_found = true;
			from_vaddr = segment.vaddr + (from - segment.offset);
		}
		if (!to_found && holds(&segment, to)) {
			to_found = true;
			to_vaddr = segment.vaddr + (to - segment.offset);
		}
	}
	if (!from_found || !to_found)
		return -ENOENT;
	*distance = (s64)(to_vaddr - from_vaddr);
	return 0;
}
