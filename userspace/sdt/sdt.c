// SPDX-License-Identifier: GPL-2.0
/*
 * A statically defined probe consists of a nop in the code, and a note that no
 * segment contains (SystemTap, "UserSpaceProbeImplementation"):
 *
 *	owner "stapsdt", type 3, in .note.stapsdt
 *	  address   of the nop, when the file was linked
 *	  address   of the section .stapsdt.base, then
 *	  address   of a 16-bit counter, or 0
 *	  "provider" NUL "name" NUL "operands" NUL
 *
 * If a tool has moved the file to other addresses later (prelink), it has moved
 * the section, but has not changed the note.  Add the difference to the present
 * address of .stapsdt.base to the addresses of the nop and the counter.
 */
#include "sdt.h"

#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "elf/text.h"
#include "util/util.h"

#define SDT_OWNER "stapsdt"
#define SDT_TYPE 3
#define SDT_SECTION ".note.stapsdt"
#define SDT_BASE ".stapsdt.base"

static u64 get_addr(const char *p, size_t size)
{
	u64 addr = 0;

	memcpy(&addr, p, size);
	return addr;
}

/* Take a string of a note, if the string ends inside the note and is printable. */
static const char *take_string(const char **p, const char *end)
{
	const char *s = *p, *nul = s < end ? memchr(s, '\0', end - s) : NULL;

	if (!nul || !str_printable(s))
		return NULL;
	*p = nul + 1;
	return s;
}

static const char *check_site(const struct elf_image *img,
			      struct sdt_site *site)
{
	struct instruction insn;
	struct error *err;

	err = elf_image_offset(img, site->addr, &site->offset);
	if (!err)
		err = text_instruction(img, site->addr, &insn);
	if (err) {
		error_free(err);
		return "there is no code at its address";
	}
	if (insn.decoded.class != UINSN_NOP)
		return "there is no nop at its address";
	if (site->semaphore &&
	    (!elf_image_data(img, site->semaphore, PF_W, &site->semaphore_offset) ||
	     site->semaphore_offset & 1))
		return "its counter is not in the file's data";
	return NULL;
}

static void add_note(const struct elf_image *img, const char *desc, size_t len,
		     const GElf_Shdr *base, struct sdt_list *list)
{
	size_t size = img->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	const char *p = desc + 3 * size, *end = desc + len;
	struct sdt_site site = { 0 };
	u64 moved = 0;

	if (len < 3 * size)
		return;
	site.provider = take_string(&p, end);
	site.name = site.provider ? take_string(&p, end) : NULL;
	site.operands = site.name ? take_string(&p, end) : NULL;
	if (!site.name || !*site.provider || !*site.name)
		return;
	if (!site.operands)
		site.operands = "";
	if (base && get_addr(desc + size, size))
		moved = base->sh_addr - get_addr(desc + size, size);
	site.addr = get_addr(desc, size) + moved;
	site.semaphore = get_addr(desc + 2 * size, size);
	if (site.semaphore)
		site.semaphore += moved;
	site.problem = check_site(img, &site);
	list->v = grow(list->v, list->n, &list->cap, sizeof(*list->v));
	list->v[list->n++] = site;
}

static int by_name(const void *pa, const void *pb)
{
	const struct sdt_site *a = pa, *b = pb;
	int order = strcmp(a->provider, b->provider);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = a->addr < b->addr ? -1 : a->addr > b->addr;
	return order;
}

/**
 * sdt_load() - list the statically defined probes of a file
 * @img: the file; must stay open while @list is used
 * @list: filled in; to be freed with sdt_free()
 */
void sdt_load(const struct elf_image *img, struct sdt_list *list)
{
	GElf_Shdr shdr, base_shdr;
	const GElf_Shdr *base;
	size_t next, name_at, desc_at, pos = 0;
	Elf_Data *data;
	GElf_Nhdr nhdr;
	Elf_Scn *scn;

	memset(list, 0, sizeof(*list));
	base = elf_image_section(img, SDT_BASE, &base_shdr) ? &base_shdr : NULL;
	scn = elf_image_section(img, SDT_SECTION, &shdr);
	data = scn && shdr.sh_type == SHT_NOTE ? elf_getdata(scn, NULL) : NULL;
	while (data && data->d_buf &&
	       (next = gelf_getnote(data, pos, &nhdr, &name_at, &desc_at))) {
		const char *buf = data->d_buf;

		if (nhdr.n_type == SDT_TYPE &&
		    nhdr.n_namesz == sizeof(SDT_OWNER) &&
		    !memcmp(buf + name_at, SDT_OWNER, sizeof(SDT_OWNER)))
			add_note(img, buf + desc_at, nhdr.n_descsz, base, list);
		pos = next;
	}
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_name);
}

void sdt_free(struct sdt_list *list)
{
	free(list->v);
	memset(list, 0, sizeof(*list));
}
