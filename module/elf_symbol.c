// SPDX-License-Identifier: GPL-2.0
/*
 * Finding a few symbols in ELF files by name: by the GNU hash table where the
 * file is linked dynamically, in the symbol table where it is not.
 *
 * A file can claim anything.  Whatever is read from it is a position or a
 * number that the next read checks; loops are bounded by constants.
 */
#include <linux/elf.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "elf_symbol.h"
#include "target.h"

#define MAX_SEGMENTS	64
#define MAX_SECTIONS	1024
#define MAX_DYNAMIC	256
#define MAX_CHAIN	256
#define MAX_NAME	64
/* Symbol tables and their strings are looked through up to here, in bytes. */
#define MAX_TABLE	(64U << 20)

/* Not in the kernel's elf.h. */
#define TAG_GNU_HASH	0x6ffffef5

/**
 * struct elf_file - a file that is being looked through
 * @target: the file
 * @wide: it is a 64-bit file
 * @head: its header, as of a 64-bit file
 * @segments: its program headers, as of a 64-bit file
 * @nr_segments: how many
 */
struct elf_file {
	const struct target *target;
	bool wide;
	struct elf64_hdr head;
	struct elf64_phdr segments[MAX_SEGMENTS];
	unsigned int nr_segments;
};

static bool file_read(const struct elf_file *elf, void *buf, size_t len, u64 pos)
{
	return pos <= S64_MAX - len && target_read(elf->target, buf, len, pos) == len;
}

static bool head_read(struct elf_file *elf)
{
	struct elf32_hdr h32;

	if (!file_read(elf, &elf->head, EI_NIDENT, 0) || memcmp(elf->head.e_ident, ELFMAG, SELFMAG))
		return false;
	elf->wide = elf->head.e_ident[EI_CLASS] == ELFCLASS64;
	if (elf->wide)
		return file_read(elf, &elf->head, sizeof(elf->head), 0);
	if (!file_read(elf, &h32, sizeof(h32), 0))
		return false;
	elf->head.e_phoff = h32.e_phoff;
	elf->head.e_phnum = h32.e_phnum;
	elf->head.e_shoff = h32.e_shoff;
	elf->head.e_shnum = h32.e_shnum;
	return true;
}

static bool segments_read(struct elf_file *elf)
{
	unsigned int i, n = min_t(unsigned int, elf->head.e_phnum, MAX_SEGMENTS);

	for (i = 0; i < n; i++) {
		struct elf64_phdr *ph = &elf->segments[i];
		struct elf32_phdr p32;

		if (elf->wide) {
			if (!file_read(elf, ph, sizeof(*ph), elf->head.e_phoff + i * sizeof(*ph)))
				return false;
			continue;
		}
		if (!file_read(elf, &p32, sizeof(p32), elf->head.e_phoff + i * sizeof(p32)))
			return false;
		*ph = (struct elf64_phdr) {
			.p_type = p32.p_type, .p_flags = p32.p_flags, .p_offset = p32.p_offset,
			.p_vaddr = p32.p_vaddr, .p_filesz = p32.p_filesz,
		};
	}
	elf->nr_segments = n;
	return true;
}

/* Where an address lies in the file; 0 when it does not. */
static u64 address_offset(const struct elf_file *elf, u64 addr, bool code)
{
	unsigned int i;

	for (i = 0; i < elf->nr_segments; i++) {
		const struct elf64_phdr *ph = &elf->segments[i];

		if (ph->p_type == PT_LOAD && (!code || ph->p_flags & PF_X) &&
		    addr >= ph->p_vaddr && addr - ph->p_vaddr < ph->p_filesz)
			return addr - ph->p_vaddr + ph->p_offset;
	}
	return 0;
}

static bool symbol_read(const struct elf_file *elf, u64 table, u32 index, struct elf64_sym *sym)
{
	struct elf32_sym s32;

	if (elf->wide)
		return file_read(elf, sym, sizeof(*sym), table + index * (u64)sizeof(*sym));
	if (!file_read(elf, &s32, sizeof(s32), table + index * (u64)sizeof(s32)))
		return false;
	*sym = (struct elf64_sym) {
		.st_name = s32.st_name, .st_shndx = s32.st_shndx, .st_value = s32.st_value,
		.st_info = s32.st_info,
	};
	return true;
}

static u64 symbol_offset(const struct elf_file *elf, const struct elf64_sym *sym)
{
	if (sym->st_shndx == SHN_UNDEF || ELF_ST_TYPE(sym->st_info) != STT_FUNC)
		return 0;
	return address_offset(elf, sym->st_value, true);
}

static bool name_matches(const struct elf_file *elf, u64 at, const char *name)
{
	size_t len = strlen(name) + 1;
	char there[MAX_NAME];

	return len <= sizeof(there) && file_read(elf, there, len, at) && !memcmp(there, name, len);
}

/**
 * struct dynamic_info - what the dynamic section of a file says
 * @symbols: position of the symbol table
 * @strings: of its strings
 * @hash: of the GNU hash table; 0 when there is none
 */
struct dynamic_info {
	u64 symbols;
	u64 strings;
	u64 hash;
};

static void dynamic_read(const struct elf_file *elf, struct dynamic_info *dyn)
{
	u64 at = 0, tag, value;
	unsigned int i;

	memset(dyn, 0, sizeof(*dyn));
	for (i = 0; i < elf->nr_segments; i++) {
		if (elf->segments[i].p_type == PT_DYNAMIC)
			at = elf->segments[i].p_offset;
	}
	for (i = 0; at && i < MAX_DYNAMIC; i++) {
		if (elf->wide) {
			Elf64_Dyn d;

			if (!file_read(elf, &d, sizeof(d), at + i * sizeof(d)))
				return;
			tag = d.d_tag;
			value = d.d_un.d_val;
		} else {
			Elf32_Dyn d;

			if (!file_read(elf, &d, sizeof(d), at + i * sizeof(d)))
				return;
			tag = (u32)d.d_tag;
			value = d.d_un.d_val;
		}
		if (tag == DT_NULL)
			return;
		if (tag == DT_SYMTAB)
			dyn->symbols = address_offset(elf, value, false);
		else if (tag == DT_STRTAB)
			dyn->strings = address_offset(elf, value, false);
		else if (tag == TAG_GNU_HASH)
			dyn->hash = address_offset(elf, value, false);
	}
}

/* The hash function of DT_GNU_HASH: Bernstein's, over the bytes of the name. */
static u32 name_hash(const char *name)
{
	u32 hash = 5381;

	while (*name)
		hash = hash * 33 + (u8)*name++;
	return hash;
}

/*
 * The table: a header, the words of a Bloom filter, the buckets (number of the
 * first symbol), and for each symbol from the first one hashed its hash, whose
 * lowest bit says that it is the last of its bucket.
 */
static u64 hashed_find(const struct elf_file *elf, const struct dynamic_info *dyn, const char *name)
{
	u32 head[4], first, at, hash = name_hash(name), link;
	struct elf64_sym sym;
	u64 buckets, chains;
	unsigned int i;

	if (!file_read(elf, head, sizeof(head), dyn->hash) || !head[0])
		return 0;
	buckets = dyn->hash + sizeof(head) + head[2] * (elf->wide ? 8ULL : 4ULL);
	chains = buckets + head[0] * 4ULL;
	first = head[1];
	if (!file_read(elf, &at, sizeof(at), buckets + hash % head[0] * 4ULL) || at < first)
		return 0;
	for (i = 0; i < MAX_CHAIN; i++, at++) {
		if (!file_read(elf, &link, sizeof(link), chains + (at - first) * 4ULL))
			return 0;
		if ((link | 1) == (hash | 1) && symbol_read(elf, dyn->symbols, at, &sym) &&
		    name_matches(elf, dyn->strings + sym.st_name, name))
			return symbol_offset(elf, &sym);
		if (link & 1)
			return 0;
	}
	return 0;
}

static bool section_read(const struct elf_file *elf, u32 index, struct elf64_shdr *sh)
{
	Elf32_Shdr s32;

	if (elf->wide)
		return file_read(elf, sh, sizeof(*sh),
				 elf->head.e_shoff + index * (u64)sizeof(*sh));
	if (!file_read(elf, &s32, sizeof(s32), elf->head.e_shoff + index * (u64)sizeof(s32)))
		return false;
	*sh = (struct elf64_shdr) {
		.sh_type = s32.sh_type, .sh_offset = s32.sh_offset, .sh_size = s32.sh_size,
		.sh_link = s32.sh_link,
	};
	return true;
}

/*
 * Looks through the symbol table, a page at a time.  A symbol is told by where
 * its name is: @names are the positions in the string table.
 */
static void table_search(const struct elf_file *elf, const struct elf64_shdr *table, void *page,
			 struct elf_symbol *symbols, const u32 *names, unsigned int n)
{
	size_t size = elf->wide ? sizeof(struct elf64_sym) : sizeof(struct elf32_sym);
	u64 pos, end = min_t(u64, table->sh_size, MAX_TABLE);
	size_t per = PAGE_SIZE / size * size, at, len;
	unsigned int i;

	for (pos = 0; pos < end; pos += per) {
		len = min_t(u64, per, end - pos) / size * size;
		if (!file_read(elf, page, len, table->sh_offset + pos))
			return;
		for (at = 0; at < len; at += size) {
			u32 name = *(u32 *)(page + at);
			struct elf64_sym sym;

			for (i = 0; i < n; i++) {
				if (names[i] && names[i] == name && !symbols[i].offset &&
				    symbol_read(elf, table->sh_offset, (pos + at) / size, &sym))
					symbols[i].offset = symbol_offset(elf, &sym);
			}
		}
		cond_resched();
	}
}

/* Where the names begin in a string table, page by page with an overlap. */
static void strings_search(const struct elf_file *elf, const struct elf64_shdr *strings,
			   char *page, const struct elf_symbol *symbols, u32 *names,
			   unsigned int n)
{
	u64 pos, end = min_t(u64, strings->sh_size, MAX_TABLE);
	unsigned int i;

	for (pos = 0; pos < end; pos += PAGE_SIZE - MAX_NAME) {
		size_t len = min_t(u64, PAGE_SIZE, end - pos);
		char *at, *last = page + len;

		if (!file_read(elf, page, len, strings->sh_offset + pos))
			return;
		for (at = page; at < last; at += strnlen(at, last - at) + 1) {
			for (i = 0; i < n; i++) {
				size_t size = strlen(symbols[i].name) + 1;

				if (last - at >= size && !memcmp(at, symbols[i].name, size))
					names[i] = pos + (at - page);
			}
		}
		cond_resched();
	}
}

static void table_find(const struct elf_file *elf, struct elf_symbol *symbols, unsigned int n)
{
	u32 i, sections = min_t(u32, elf->head.e_shnum, MAX_SECTIONS);
	struct elf64_shdr table, strings;
	u32 names[16] = {};
	void *page;

	if (!elf->head.e_shoff || n > ARRAY_SIZE(names))
		return;
	for (i = 0; ; i++) {
		if (i == sections || !section_read(elf, i, &table))
			return;
		if (table.sh_type == SHT_SYMTAB)
			break;
	}
	if (!section_read(elf, table.sh_link, &strings) || strings.sh_type != SHT_STRTAB)
		return;
	page = (void *)__get_free_page(GFP_KERNEL);
	if (!page)
		return;
	strings_search(elf, &strings, page, symbols, names, n);
	for (i = 0; i < n; i++) {
		if (names[i]) {
			table_search(elf, &table, page, symbols, names, n);
			break;
		}
	}
	free_page((unsigned long)page);
}

/**
 * elf_symbols_find() - where functions are in a file
 * @target: the file; need not be an ELF file
 * @symbols: which; all that are not found get the offset 0
 * @n: how many
 *
 * Context: may sleep.
 */
void elf_symbols_find(const struct target *target, struct elf_symbol *symbols, unsigned int n)
{
	struct elf_file *elf = kzalloc(sizeof(*elf), GFP_KERNEL);
	struct dynamic_info dyn;
	unsigned int i;

	for (i = 0; i < n; i++)
		symbols[i].offset = 0;
	if (!elf)
		return;
	elf->target = target;
	if (head_read(elf) && segments_read(elf)) {
		dynamic_read(elf, &dyn);
		for (i = 0; dyn.hash && dyn.symbols && dyn.strings && i < n; i++)
			symbols[i].offset = hashed_find(elf, &dyn, symbols[i].name);
		if (!dyn.hash)
			table_find(elf, symbols, n);
	}
	kfree(elf);
}
