// SPDX-License-Identifier: GPL-2.0
/*
 * Look up a few symbols of an ELF file by name.  If the file is linked dynamically, use the GNU
 * hash table.  If it is not, or if it hides the symbols, search the symbol table.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "elf_symbol.h"
#include "elf_file.h"
#include "target_types.h"

#define MAX_SECTIONS	1024
#define MAX_DYNAMIC	256
#define MAX_CHAIN	256
#define MAX_IMPORTS	16384
#define MAX_NAME	64
#define MAX_SYMBOLS	16
#define MAX_PLACES	64
/* Number of bytes that are searched of a symbol table, and of its strings. */
#define MAX_TABLE	(64U << 20)

/* The kernel's elf.h does not define it. */
#define TAG_GNU_HASH	0x6ffffef5

/**
 * struct symbol_file - a file whose symbols are looked up
 * @elf: the file
 * @segments: its program headers
 * @nr_segments: number of @segments
 */
struct symbol_file {
	struct elf_file elf;
	struct elf64_phdr segments[ELF_FILE_SEGMENTS];
	unsigned int nr_segments;
};

static bool segments_read(struct symbol_file *file)
{
	unsigned int i, n = elf_file_segments(&file->elf);

	for (i = 0; i < n; i++) {
		if (!elf_file_segment(&file->elf, i, &file->segments[i]))
			return false;
	}
	file->nr_segments = n;
	return true;
}

/* Convert an address to an offset in the file.  Return 0 if the file does not hold it. */
static u64 address_offset(struct symbol_file *file, u64 addr, bool code)
{
	unsigned int i;

	for (i = 0; i < file->nr_segments; i++) {
		const struct elf64_phdr *ph = &file->segments[i];

		if (ph->p_type == PT_LOAD && (!code || ph->p_flags & PF_X) &&
		    addr >= ph->p_vaddr && addr - ph->p_vaddr < ph->p_filesz)
			return addr - ph->p_vaddr + ph->p_offset;
	}
	return 0;
}

static bool symbol_read(struct symbol_file *file, u64 table, u32 index,
			struct elf64_sym *sym)
{
	struct elf32_sym s32;

	if (file->elf.wide)
		return elf_file_read(&file->elf, sym, sizeof(*sym),
				     table + index * (u64)sizeof(*sym));
	if (!elf_file_read(&file->elf, &s32, sizeof(s32), table + index * (u64)sizeof(s32)))
		return false;
	*sym = (struct elf64_sym) {
		.st_name = s32.st_name, .st_shndx = s32.st_shndx, .st_value = s32.st_value,
		.st_info = s32.st_info,
	};
	return true;
}

static u64 symbol_offset(struct symbol_file *file, const struct elf64_sym *sym)
{
	if (sym->st_shndx == SHN_UNDEF || ELF_ST_TYPE(sym->st_info) != STT_FUNC)
		return 0;
	return address_offset(file, sym->st_value, true);
}

static bool name_matches(struct symbol_file *file, u64 at, const char *name)
{
	size_t len = strlen(name) + 1;
	char there[MAX_NAME];

	return len <= sizeof(there) && elf_file_read(&file->elf, there, len, at) &&
	       !memcmp(there, name, len);
}

/**
 * struct dynamic_info - what the dynamic section of a file says
 * @symbols: position of the symbol table
 * @strings: position of its strings
 * @hash: position of the GNU hash table; 0 if there is none
 * @alone: the file needs no other file, as with -static-pie
 */
struct dynamic_info {
	u64 symbols;
	u64 strings;
	u64 hash;
	bool alone;
};

static void dynamic_read(struct symbol_file *file, struct dynamic_info *dyn)
{
	u64 at = 0, tag, value;
	unsigned int i;

	*dyn = (struct dynamic_info) { .alone = true };
	for (i = 0; i < file->nr_segments; i++) {
		if (file->segments[i].p_type == PT_DYNAMIC)
			at = file->segments[i].p_offset;
	}
	for (i = 0; at && i < MAX_DYNAMIC; i++) {
		if (file->elf.wide) {
			Elf64_Dyn d;

			if (!elf_file_read(&file->elf, &d, sizeof(d), at + i * sizeof(d)))
				return;
			tag = d.d_tag;
			value = d.d_un.d_val;
		} else {
			Elf32_Dyn d;

			if (!elf_file_read(&file->elf, &d, sizeof(d), at + i * sizeof(d)))
				return;
			tag = (u32)d.d_tag;
			value = d.d_un.d_val;
		}
		if (tag == DT_NULL)
			return;
		if (tag == DT_NEEDED)
			dyn->alone = false;
		else if (tag == DT_SYMTAB)
			dyn->symbols = address_offset(file, value, false);
		else if (tag == DT_STRTAB)
			dyn->strings = address_offset(file, value, false);
		else if (tag == TAG_GNU_HASH)
			dyn->hash = address_offset(file, value, false);
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
 * Look up a function in the GNU hash table.  The table has a header, the words of a Bloom filter,
 * the buckets (the number of the first symbol), and the hash of each symbol from the first hashed
 * one on.  The lowest bit of a hash marks the last symbol of its bucket.
 */
static u64 hashed_find(struct symbol_file *file, const struct dynamic_info *dyn,
		       const char *name)
{
	u32 head[4], first, at, hash = name_hash(name), link;
	struct elf64_sym sym;
	u64 buckets, chains;
	unsigned int i;

	if (!elf_file_read(&file->elf, head, sizeof(head), dyn->hash) || !head[0])
		return 0;
	buckets = dyn->hash + sizeof(head) + head[2] * (file->elf.wide ? 8ULL : 4ULL);
	chains = buckets + head[0] * 4ULL;
	first = head[1];
	if (!elf_file_read(&file->elf, &at, sizeof(at), buckets + hash % head[0] * 4ULL) ||
	    at < first)
		return 0;
	for (i = 0; i < MAX_CHAIN; i++, at++) {
		if (!elf_file_read(&file->elf, &link, sizeof(link),
				   chains + (at - first) * 4ULL))
			return 0;
		if ((link | 1) == (hash | 1) && symbol_read(file, dyn->symbols, at, &sym) &&
		    name_matches(file, dyn->strings + sym.st_name, name))
			return symbol_offset(file, &sym);
		if (link & 1)
			return 0;
	}
	return 0;
}

/**
 * struct name_places - the places of symbol names in a string table
 * @pos: positions in the table
 * @symbol: number of the symbol that has the name
 * @nr: number of places
 *
 * A table can hold a name more than once.  A linker that shares strings lets a name begin inside
 * a longer name that ends in it.  Other linkers store both names.
 */
struct name_places {
	u32 pos[MAX_PLACES];
	u8 symbol[MAX_PLACES];
	unsigned int nr;
};

/*
 * Search the symbol table, a page at a time.  Recognize a symbol by the position of its name.
 */
static void table_search(struct symbol_file *file, const struct elf64_shdr *table,
			 void *page, struct elf_symbol *symbols, const struct name_places *names)
{
	size_t size = file->elf.wide ? sizeof(struct elf64_sym) : sizeof(struct elf32_sym);
	u64 pos, end = min_t(u64, table->sh_size, MAX_TABLE);
	size_t per = PAGE_SIZE / size * size, at, len;
	unsigned int i;

	for (pos = 0; pos < end; pos += per) {
		len = min_t(u64, per, end - pos) / size * size;
		if (!elf_file_read(&file->elf, page, len, table->sh_offset + pos))
			return;
		for (at = 0; at < len; at += size) {
			u32 name = *(u32 *)(page + at);
			struct elf64_sym sym;

			for (i = 0; i < names->nr; i++) {
				struct elf_symbol *symbol = &symbols[names->symbol[i]];

				if (names->pos[i] == name && !symbol->offset &&
				    symbol_read(file, table->sh_offset, (pos + at) / size, &sym))
					symbol->offset = symbol_offset(file, &sym);
			}
		}
		cond_resched();
	}
}

static void name_add(struct name_places *names, u32 pos, unsigned int symbol)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		/* The pages overlap, so a name can be found twice. */
		if (names->pos[i] == pos)
			return;
	}
	if (names->nr == MAX_PLACES)
		return;
	names->pos[names->nr] = pos;
	names->symbol[names->nr++] = symbol;
}

/* Find the strings of a string table that end in a name, page by page with an overlap. */
static void strings_search(struct symbol_file *file, const struct elf64_shdr *strings,
			   char *page, const struct elf_symbol *symbols, unsigned int n,
			   struct name_places *names)
{
	u64 pos, end = min_t(u64, strings->sh_size, MAX_TABLE);
	size_t sizes[MAX_SYMBOLS];
	unsigned int i;

	for (i = 0; i < n; i++)
		sizes[i] = strlen(symbols[i].name) + 1;
	for (pos = 0; pos < end; pos += PAGE_SIZE - MAX_NAME) {
		size_t at, next, len = min_t(u64, PAGE_SIZE, end - pos);

		if (!elf_file_read(&file->elf, page, len, strings->sh_offset + pos))
			return;
		for (at = 0; at < len; at = next) {
			next = at + strnlen(page + at, len - at) + 1;
			/* If the page cuts off the string, another page has its end. */
			for (i = 0; next <= len && i < n; i++) {
				const char *tail = page + next - sizes[i];

				if (next - at >= sizes[i] && *tail == *symbols[i].name &&
				    !memcmp(tail, symbols[i].name, sizes[i]))
					name_add(names, pos + (tail - page), i);
			}
		}
		cond_resched();
	}
}

/* Find the symbol table.  Return false if the file is stripped. */
static bool table_section(struct symbol_file *file, struct elf64_shdr *table)
{
	u32 i, sections = min_t(u32, file->elf.head.e_shnum, MAX_SECTIONS);

	for (i = 0; i < sections && elf_file_section(&file->elf, i, table); i++) {
		if (table->sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

static void table_find(struct symbol_file *file, struct elf_symbol *symbols, unsigned int n)
{
	struct elf64_shdr table, strings;
	struct name_places names = {};
	void *page;

	if (n > MAX_SYMBOLS || !table_section(file, &table))
		return;
	if (!elf_file_section(&file->elf, table.sh_link, &strings) || strings.sh_type != SHT_STRTAB)
		return;
	page = (void *)__get_free_page(GFP_KERNEL);
	file->elf.failed |= !page;
	if (!page)
		return;
	strings_search(file, &strings, page, symbols, n, &names);
	if (names.nr)
		table_search(file, &table, page, symbols, &names);
	free_page((unsigned long)page);
}

/*
 * Check whether the file imports one of @names.  Imported symbols have no hash.  They precede the
 * hashed symbols in the symbol table.
 */
static bool imports(struct symbol_file *file, const struct dynamic_info *dyn,
		    const char *const *names)
{
	struct elf64_sym sym;
	u32 i, head[2];

	if (!elf_file_read(&file->elf, head, sizeof(head), dyn->hash))
		return false;
	for (; *names; names++) {
		for (i = 1; i < min_t(u32, head[1], MAX_IMPORTS); i++) {
			if (symbol_read(file, dyn->symbols, i, &sym) &&
			    name_matches(file, dyn->strings + sym.st_name, *names))
				return true;
		}
		cond_resched();
	}
	return false;
}

static bool hidden_ones(struct symbol_file *file, const struct dynamic_info *dyn,
			const struct elf_symbol *symbols, unsigned int n,
			const char *const *needs)
{
	struct elf64_shdr table;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (symbols[i].offset)
			return false;
	}
	return table_section(file, &table) && (dyn->alone || imports(file, dyn, needs));
}

/**
 * elf_symbols_find() - look up functions in a file
 * @target: the file; need not be an ELF file
 * @symbols: the functions; a function that is not found gets the offset 0
 * @n: number of @symbols
 * @needs: NULL: look up exported functions only.  Otherwise names, ended by NULL.  If the file has
 *	no hash table of exported functions, search its symbol table.  If the file exports none
 *	of @symbols, and imports one of these names or needs no other file, search it, too
 * @allowance: number of bytes that may be read of files, reduced by each read; or NULL
 *
 * Find nothing if @allowance is too small, or if the task is being killed.
 *
 * Context: may sleep.
 * Return: true if the file has been searched completely.
 */
bool elf_symbols_find(const struct target *target, struct elf_symbol *symbols, unsigned int n,
		      const char *const *needs, u64 *allowance)
{
	struct symbol_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	struct dynamic_info dyn;
	unsigned int i;
	bool hashed, all;

	for (i = 0; i < n; i++)
		symbols[i].offset = 0;
	if (!file)
		return false;
	if (elf_file_open(&file->elf, target, allowance) && segments_read(file)) {
		dynamic_read(file, &dyn);
		hashed = dyn.hash && dyn.symbols && dyn.strings;
		for (i = 0; hashed && i < n; i++)
			symbols[i].offset = hashed_find(file, &dyn, symbols[i].name);
		if (needs && (!dyn.hash || (hashed && hidden_ones(file, &dyn, symbols, n, needs))))
			table_find(file, symbols, n);
	}
	all = (!allowance || *allowance) && !file->elf.failed;
	kfree(file);
	return all;
}
