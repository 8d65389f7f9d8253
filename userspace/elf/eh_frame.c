// SPDX-License-Identifier: GPL-2.0
/*
 * LSB Core, "Exception Frames": .eh_frame_hdr, found through PT_GNU_EH_FRAME,
 * holds a table of (function, description) pairs sorted by function.  The
 * description in .eh_frame gives the length of the function.
 */
#include "eh_frame.h"

#include <dwarf.h>
#include <string.h>

#include "util/util.h"

/*
 * The only form that linkers emit: version 1, any 4-byte pointer to .eh_frame,
 * count as u32, table entries as s32 relative to the start of the header.
 */
#define HEADER_SIZE 12
#define HEADER_VERSION 1
#define ENTRY_SIZE 8

#define DESCRIPTION_MAX 256

static bool read_at(const struct elf_image *img, u64 addr, void *buf,
		    size_t len, size_t *got)
{
	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];
		u64 in = addr - ph->p_vaddr;

		if (ph->p_type != PT_LOAD || addr < ph->p_vaddr ||
		    in >= ph->p_filesz || ph->p_offset + in < in)
			continue;
		if (len > ph->p_filesz - in)
			len = ph->p_filesz - in;
		*got = elf_image_read(img, ph->p_offset + in, buf, len);
		return true;
	}
	return false;
}

static bool read_exactly(const struct elf_image *img, u64 addr, void *buf,
			 size_t len)
{
	size_t got;

	return read_at(img, addr, buf, len, &got) && got == len;
}

/**
 * struct cursor - bytes that are read in order and never past their end
 * @p: next byte
 * @end: after the last byte
 * @bad: a read would have gone past @end
 */
struct cursor {
	const unsigned char *p;
	const unsigned char *end;
	bool bad;
};

static u64 take(struct cursor *c, size_t size)
{
	u64 v = 0;

	if (c->bad || size > (size_t)(c->end - c->p)) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->p, size);
	c->p += size;
	return v;
}

/* Read or skip a LEB128 number; signed numbers have the same length. */
static u64 take_leb(struct cursor *c)
{
	u64 v = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

static size_t pointer_size(const struct elf_image *img, unsigned int encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		return img->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	default:
		return 0;
	}
}

/* Open a record of .eh_frame: skip its length field and limit the cursor to that length. */
static bool open_record(const struct elf_image *img, u64 addr,
			unsigned char *buf, struct cursor *c)
{
	size_t got;
	u64 len;

	if (!read_at(img, addr, buf, DESCRIPTION_MAX, &got))
		return false;
	*c = (struct cursor){ .p = buf, .end = buf + got };
	len = take(c, 4);
	if (c->bad || len == 0 || len == 0xffffffff)
		return false;
	if (len < (size_t)(c->end - c->p))
		c->end = c->p + len;
	return true;
}

/* Get the encoding of addresses in the descriptions (FDEs) that share this record (CIE). */
static bool address_encoding(const struct elf_image *img, u64 cie,
			     unsigned int *encoding)
{
	unsigned char buf[DESCRIPTION_MAX];
	const char *augmentation;
	unsigned int version;
	struct cursor c;

	*encoding = DW_EH_PE_absptr;
	if (!open_record(img, cie, buf, &c) || take(&c, 4))
		return false;
	version = take(&c, 1);
	augmentation = (const char *)c.p;
	while (take(&c, 1))
		;
	if (c.bad || (version != 1 && version != 3))
		return false;
	if (augmentation[0] != 'z')
		return augmentation[0] == '\0';
	take_leb(&c);
	take_leb(&c);
	if (version == 1)
		take(&c, 1);
	else
		take_leb(&c);
	take_leb(&c);
	for (const char *a = augmentation + 1; *a; a++) {
		switch (*a) {
		case 'R':
			*encoding = take(&c, 1);
			return !c.bad;
		case 'L':
			take(&c, 1);
			break;
		case 'P':
			take(&c, pointer_size(img, take(&c, 1)));
			break;
		case 'S':
		case 'B':
			break;
		default:
			return false;
		}
	}
	return !c.bad;
}

static bool description_length(const struct elf_image *img, u64 fde,
			       u64 *length)
{
	unsigned char buf[DESCRIPTION_MAX];
	unsigned int encoding;
	u64 back;
	struct cursor c;
	size_t size;

	if (!open_record(img, fde, buf, &c))
		return false;
	back = take(&c, 4);
	if (c.bad || !back || !address_encoding(img, fde + 4 - back, &encoding))
		return false;
	size = pointer_size(img, encoding);
	take(&c, size);
	*length = take(&c, size);
	return size && !c.bad;
}

static bool table_entry(const struct elf_image *img, u64 header,
			u64 index, u64 *function, u64 *fde)
{
	s32 pair[2];

	if (!read_exactly(img, header + HEADER_SIZE + index * ENTRY_SIZE, pair,
			  sizeof(pair)))
		return false;
	*function = header + (s64)pair[0];
	*fde = header + (s64)pair[1];
	return true;
}

static bool table_open(const struct elf_image *img, u64 *header,
		       u64 *count)
{
	unsigned char head[HEADER_SIZE];
	const GElf_Phdr *ph = NULL;
	u32 n;

	for (size_t i = 0; i < img->phnum; i++)
		if (img->phdrs[i].p_type == PT_GNU_EH_FRAME)
			ph = &img->phdrs[i];
	if (!ph || ph->p_memsz < HEADER_SIZE ||
	    !read_exactly(img, ph->p_vaddr, head, sizeof(head)) ||
	    head[0] != HEADER_VERSION || pointer_size(img, head[1]) != 4 ||
	    head[2] != DW_EH_PE_udata4 ||
	    head[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return false;
	memcpy(&n, head + 8, sizeof(n));
	*header = ph->p_vaddr;
	*count = n;
	return n <= (ph->p_memsz - HEADER_SIZE) / ENTRY_SIZE;
}

/**
 * eh_frame_function_at() - find the bounds of the function at an address
 * @img: the file
 * @addr: an address inside the function
 * @start: set to the start of the function
 * @end: set to the end of the function
 *
 * Return: whether the unwind table has such a function.
 */
bool eh_frame_function_at(const struct elf_image *img, u64 addr,
			  u64 *start, u64 *end)
{
	u64 header, lo = 0, hi, function, fde, length;

	if (!table_open(img, &header, &hi))
		return false;
	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (!table_entry(img, header, mid, &function, &fde))
			return false;
		if (function <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !table_entry(img, header, lo - 1, &function, &fde) ||
	    !description_length(img, fde, &length) || function > addr ||
	    addr - function >= length)
		return false;
	*start = function;
	*end = function + length;
	return true;
}
