// SPDX-License-Identifier: GPL-2.0
/*
 * runtime.moduledata (Go source, runtime/symtab.go) consists of words.  The
 * first word is the address of the function table.  Since Go 1.18, words 20 to
 * 23 are
 *
 *	minpc, maxpc	the start of the first function, the end of the last one
 *	text, etext	the start of the text, which entries of the table are
 *			relative to, and its end
 *
 * The structure has a section of its own only since 1.26.  In a
 * position-independent program, relocations hold the words.
 */
#include "go_module.h"

#include <string.h>

#define MINPC 20
#define MAXPC 21
#define TEXT 22
#define ETEXT 23

/* Check at most this many words that hold the table's address: each check takes time. */
#define CANDIDATES_MAX 16

static bool relative(const struct elf_image *img, const GElf_Rela *rela)
{
	u32 type = img->ehdr.e_machine == EM_X86_64 ? R_X86_64_RELATIVE :
						      R_386_RELATIVE;

	return GELF_R_TYPE(rela->r_info) == type;
}

/**
 * struct relocations - a walk over the relocations that add the load address
 * @img: the file
 * @scn: the section that is walked
 * @data: its contents
 * @next: number of the next relocation
 */
struct relocations {
	const struct elf_image *img;
	Elf_Scn *scn;
	Elf_Data *data;
	int next;
};

static bool next_relocation(struct relocations *walk, GElf_Rela *rela)
{
	GElf_Shdr shdr;

	for (;;) {
		while (walk->data && gelf_getrela(walk->data, walk->next, rela)) {
			walk->next++;
			if (relative(walk->img, rela))
				return true;
		}
		walk->next = 0;
		walk->data = NULL;
		walk->scn = elf_nextscn(walk->img->elf, walk->scn);
		if (!walk->scn)
			return false;
		if (gelf_getshdr(walk->scn, &shdr) && shdr.sh_type == SHT_RELA)
			walk->data = elf_getdata(walk->scn, NULL);
	}
}

/* Read a word as the running program has it, without the load address. */
static bool get_word(const struct elf_image *img, unsigned int ptr, u64 addr,
		     u64 *word)
{
	struct relocations walk = { .img = img };
	GElf_Rela rela;

	while (next_relocation(&walk, &rela)) {
		if (rela.r_offset == addr) {
			*word = rela.r_addend;
			return true;
		}
	}
	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];
		u64 in = addr - ph->p_vaddr;

		if (ph->p_type != PT_LOAD || in >= ph->p_filesz)
			continue;
		*word = 0;
		return elf_image_read(img, ph->p_offset + in, word, ptr) == ptr;
	}
	return false;
}

/* Check whether the structure at @module is the module data: it must agree with the table. */
static bool fits(const struct elf_image *img, const struct go_extent *extent,
		 u64 module, u64 *text)
{
	u64 min, max, end;
	unsigned int ptr = extent->ptr;

	return get_word(img, ptr, module + MINPC * ptr, &min) &&
	       get_word(img, ptr, module + MAXPC * ptr, &max) &&
	       get_word(img, ptr, module + TEXT * ptr, text) &&
	       get_word(img, ptr, module + ETEXT * ptr, &end) &&
	       min == *text + extent->first && max == *text + extent->last &&
	       min < max && max <= end && elf_image_is_code(img, min) &&
	       elf_image_is_code(img, max - 1);
}

static bool find_in_section(const struct elf_image *img,
			    const struct go_extent *extent, Elf_Scn *scn,
			    unsigned int *candidates, u64 *text)
{
	unsigned int ptr = extent->ptr;
	GElf_Shdr shdr;
	Elf_Data *data;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
	    !(shdr.sh_flags & SHF_ALLOC) || shdr.sh_flags & SHF_EXECINSTR)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return false;
	for (u64 at = 0; at + ptr <= data->d_size; at += ptr) {
		u64 word = 0;

		memcpy(&word, (const char *)data->d_buf + at, ptr);
		if (word == extent->table && (*candidates)++ < CANDIDATES_MAX &&
		    fits(img, extent, shdr.sh_addr + at, text))
			return true;
	}
	return false;
}

/**
 * go_module_text() - find the address that entries of a function table are relative to
 * @img: the program
 * @extent: values from the table, to recognize the module data
 * @text: set to the address
 *
 * Return: whether the address was found.
 */
bool go_module_text(const struct elf_image *img,
		    const struct go_extent *extent, u64 *text)
{
	struct relocations walk = { .img = img };
	unsigned int candidates = 0;
	Elf_Scn *scn = NULL;
	GElf_Rela rela;

	while (next_relocation(&walk, &rela))
		if ((u64)rela.r_addend == extent->table &&
		    candidates++ < CANDIDATES_MAX &&
		    fits(img, extent, rela.r_offset, text))
			return true;
	while ((scn = elf_nextscn(img->elf, scn)))
		if (find_in_section(img, extent, scn, &candidates, text))
			return true;
	return false;
}
