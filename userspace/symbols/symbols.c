// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "debug_file.h"
#include "debuginfod.h"
#include "elf/dynamic.h"
#include "util/error.h"
#include "go_symbols.h"
#include "util/progress.h"
#include "elf/versions.h"

/**
 * struct table - a symbol table being read
 * @from: the ELF file that it is in
 * @symbols: its entries
 * @strings: its names
 * @strings_len: bytes of @strings up to and with the last NUL, so that any
 *	offset below it starts a terminated string
 * @bias: added to each address
 * @known: its definitions have been read from another table
 * @versions: for a dynamic symbol table
 */
struct table {
	const struct elf_image *from;
	Elf_Data *symbols;
	const char *strings;
	size_t strings_len;
	u64 bias;
	bool known;
	struct versions versions;
};

/* ld appends versions to the names in .symtab: f@@V for the default, f@V for old versions. */
static void split_version(struct symbols *syms, struct symbol *sym)
{
	const char *at = strchr(sym->name, '@');

	if (!at || at == sym->name)
		return;
	sym->name = arena_strndup(&syms->strings, sym->name, at - sym->name);
	sym->hidden = at[1] != '@';
	sym->version = at + (sym->hidden ? 1 : 2);
	/* For an import, f@V only gives the version that the file was linked against. */
	if (!sym->defined)
		sym->hidden = false;
}

static void add_symbol(struct symbols *syms, const struct table *table,
		       size_t index, const GElf_Sym *raw, const char *file)
{
	struct symbol *sym;
	const char *name;

	if (raw->st_name >= table->strings_len)
		return;
	name = table->strings + raw->st_name;
	if (!*name || !strncmp(name, ".L", 2))
		return;
	if (!str_printable(name)) {
		syms->unprintable++;
		return;
	}
	syms->v = grow(syms->v, syms->n, &syms->cap, sizeof(*syms->v));
	sym = &syms->v[syms->n];
	memset(sym, 0, sizeof(*sym));
	sym->name = name;
	sym->addr = raw->st_value + table->bias;
	sym->size = raw->st_size;
	sym->type = GELF_ST_TYPE(raw->st_info);
	sym->bind = GELF_ST_BIND(raw->st_info);
	sym->defined = raw->st_shndx != SHN_UNDEF;
	sym->section = sym->defined && raw->st_shndx != SHN_ABS &&
		       raw->st_shndx != SHN_COMMON;
	if (sym->bind == STB_LOCAL)
		sym->file = file;
	if (table->versions.versym) {
		struct version version;

		if (!versions_of(&table->versions, index, &version,
				 &sym->hidden))
			return;
		sym->version = version.name;
		sym->library = version.library;
	} else {
		split_version(syms, sym);
	}
	syms->n++;
}

/* libelf has already converted the symbols to our byte order and form. */
static_assert(sizeof(GElf_Sym) == sizeof(Elf64_Sym),
	      "64-bit symbols are libelf's general ones");

static bool get_symbol(const struct table *table, size_t i, GElf_Sym *raw)
{
	if (table->from->ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return i < INT32_MAX &&
		       gelf_getsym(table->symbols, i, raw);
	if (i >= table->symbols->d_size / sizeof(*raw))
		return false;
	memcpy(raw, (const char *)table->symbols->d_buf + i * sizeof(*raw),
	       sizeof(*raw));
	return true;
}

/* Reserve room for a whole table: growing in steps would copy the symbols several times. */
static void make_room(struct symbols *syms, const struct table *table)
{
	size_t more = table->symbols->d_size / sizeof(Elf64_Sym);

	if (syms->cap - syms->n >= more)
		return;
	syms->cap = syms->n + more;
	syms->v = xreallocarray(syms->v, syms->cap, sizeof(*syms->v));
}

static void read_table(struct symbols *syms, const struct table *table)
{
	size_t all = table->symbols->d_size / sizeof(Elf64_Sym);
	const char *file = NULL;
	struct progress progress;
	GElf_Sym raw;

	make_room(syms, table);
	progress_begin(&progress, "symbols read");
	for (size_t i = 1; get_symbol(table, i, &raw); i++) {
		progress_step(&progress, i, all);
		/* Without versions, the entry repeats an entry of the full table. */
		if (table->known && raw.st_shndx != SHN_UNDEF)
			continue;
		switch (GELF_ST_TYPE(raw.st_info)) {
		case STT_FILE:
			file = raw.st_name < table->strings_len ?
			       table->strings + raw.st_name : NULL;
			if (file && (!*file || !str_printable(file)))
				file = NULL;
			break;
		case STT_SECTION:
			break;
		default:
			add_symbol(syms, table, i, &raw, file);
		}
	}
	progress_end(&progress);
}

static bool load_section(struct symbols *syms, const struct elf_image *from,
			 u32 type)
{
	struct table table = { .from = from };
	struct dynamic_tables found;
	Elf_Data *strings;
	GElf_Shdr shdr;
	Elf_Scn *scn;
	size_t len;

	scn = elf_image_section_of_type(from, type, &shdr);
	if (scn) {
		table.symbols = elf_getdata(scn, NULL);
		strings = elf_getdata(elf_getscn(from->elf, shdr.sh_link),
				      NULL);
		if (!table.symbols || !strings || !strings->d_buf)
			return false;
	} else if (type == SHT_DYNSYM && !from->ehdr.e_shoff &&
		   dynamic_find(from, &found)) {
		table.symbols = found.symbols;
		strings = found.strings;
	} else {
		return false;
	}
	table.strings = strings->d_buf;
	for (len = strings->d_size; len && table.strings[len - 1]; len--)
		;
	table.strings_len = len;
	if (from != syms->image)
		table.bias = debug_file_bias(syms->image, from);
	if (type == SHT_DYNSYM)
		versions_load(from, &table.versions);
	table.known = type == SHT_DYNSYM && syms->full &&
		      !table.versions.versym;
	read_table(syms, &table);
	versions_free(&table.versions);
	return true;
}

static void add_go_function(const char *name, u64 addr, u64 size, void *arg)
{
	struct symbols *syms = arg;
	struct symbol *sym;

	if (!str_printable(name)) {
		syms->unprintable++;
		return;
	}
	syms->v = grow(syms->v, syms->n, &syms->cap, sizeof(*syms->v));
	sym = &syms->v[syms->n++];
	memset(sym, 0, sizeof(*sym));
	sym->name = name;
	sym->addr = addr;
	sym->size = size;
	sym->type = STT_FUNC;
	sym->bind = STB_LOCAL;
	sym->defined = true;
	sym->section = true;
}

/**
 * symbols_load_dynamic() - read the symbols that a file exports and imports
 * @img: the file; must stay open while @syms is used
 * @syms: filled in; to be freed with symbols_free()
 */
void symbols_load_dynamic(const struct elf_image *img, struct symbols *syms)
{
	memset(syms, 0, sizeof(*syms));
	syms->image = img;
	syms->root = "";
	load_section(syms, img, SHT_DYNSYM);
}

/**
 * symbols_load() - read all symbols of a program or library
 * @img: the file; must stay open while @syms is used
 * @root: directory that the file's processes see as /, "" for our own;
 *	must stay valid while @syms is used
 * @debug_dir: where debug files are installed
 * @syms: filled in; to be freed with symbols_free()
 *
 * Look for a separate debug file only if the file itself has no .symtab, for
 * MiniDebugInfo only if there is no debug file either, and for Go's own table
 * last.  Each of these holds what the previous one holds.  If a file has a full
 * table, installing its debug package must not change the result.
 */
void symbols_load(const struct elf_image *img, const char *root,
		  const char *debug_dir, struct symbols *syms)
{
	memset(syms, 0, sizeof(*syms));
	syms->image = img;
	syms->root = root;
	syms->full = load_section(syms, img, SHT_SYMTAB);
	load_section(syms, img, SHT_DYNSYM);
	if (syms->full)
		return;
	if (debug_file_open(img, debug_dir, &syms->debug)) {
		syms->have_debug = true;
		syms->full = load_section(syms, &syms->debug, SHT_SYMTAB);
		if (syms->full)
			return;
		elf_image_close(&syms->debug);
		syms->have_debug = false;
	}
	if (debug_file_open_mini(img, &syms->debug)) {
		syms->have_debug = true;
		syms->full = load_section(syms, &syms->debug, SHT_SYMTAB);
	}
	if (!syms->full)
		syms->full = go_each_function(img, add_go_function, syms);
}

/**
 * symbols_fetch() - ask debug servers for missing symbols
 * @syms: the symbols; pointers to single symbols become invalid
 *
 * This is slow, so use it only for names that are not found otherwise.
 *
 * Return: whether there are more symbols now.
 */
bool symbols_fetch(struct symbols *syms)
{
	if (syms->full || syms->have_debug ||
	    !debuginfod_open(syms->image, &syms->debug))
		return false;
	syms->have_debug = true;
	free(syms->by_addr);
	syms->by_addr = NULL;
	syms->by_addr_n = 0;
	syms->full = load_section(syms, &syms->debug, SHT_SYMTAB);
	return syms->full;
}

void symbols_free(struct symbols *syms)
{
	free(syms->v);
	free(syms->by_addr);
	arena_free(&syms->strings);
	if (syms->have_debug)
		elf_image_close(&syms->debug);
	memset(syms, 0, sizeof(*syms));
}

/**
 * symbol_is_function() - check whether a symbol can be the start of code
 * @syms: the symbols
 * @sym: one of them
 *
 * Hand-written assembly often gives its functions no type.  Such a symbol
 * counts if it lies in an executable segment.
 */
bool symbol_is_function(const struct symbols *syms, const struct symbol *sym)
{
	if (!sym->defined || !sym->section)
		return false;
	if (sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC)
		return true;
	return sym->type == STT_NOTYPE && sym->name[0] != '.' &&
	       elf_image_is_code(syms->image, sym->addr);
}

static int by_addr(const void *pa, const void *pb)
{
	const struct symbol *a = *(struct symbol *const *)pa;
	const struct symbol *b = *(struct symbol *const *)pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	/* Of several names for one place, put the most informative one last. */
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	if (a->bind != b->bind)
		return a->bind == STB_LOCAL ? -1 : 1;
	return strcmp(b->name, a->name);
}

/* One place can have several names, and a function can have labels: look back this far. */
#define LOOK_BACK 256

static void sort_functions(struct symbols *syms)
{
	syms->by_addr = xcalloc(syms->n, sizeof(*syms->by_addr));
	for (size_t i = 0; i < syms->n; i++)
		if (symbol_is_function(syms, &syms->v[i]))
			syms->by_addr[syms->by_addr_n++] = &syms->v[i];
	qsort(syms->by_addr, syms->by_addr_n, sizeof(*syms->by_addr), by_addr);
}

/**
 * symbols_function_at() - find the function at an address
 * @syms: the symbols
 * @addr: the address
 * @end: set to the end of the function; if its size is not known, to the start
 *	of the next function (UINT64_MAX if there is none)
 *
 * Return: the innermost function whose size covers the address; otherwise a
 * symbol without a size before the address; NULL if there is neither.
 */
const struct symbol *symbols_function_at(struct symbols *syms, u64 addr,
					 u64 *end)
{
	const struct symbol *sizeless = NULL;
	size_t lo = 0, hi;

	if (!syms->by_addr)
		sort_functions(syms);
	hi = syms->by_addr_n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (syms->by_addr[mid]->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* All entries before lo start at or before the address. */
	for (size_t i = lo; i-- && lo - i <= LOOK_BACK;) {
		const struct symbol *sym = syms->by_addr[i];

		if (addr - sym->addr < sym->size) {
			*end = sym->addr + sym->size;
			return sym;
		}
		/* A function that ends before the address hides sizeless symbols before it. */
		if (!sym->size && !sizeless && i == lo - 1)
			sizeless = sym;
	}
	if (sizeless)
		*end = lo < syms->by_addr_n ? syms->by_addr[lo]->addr :
					      UINT64_MAX;
	return sizeless;
}
