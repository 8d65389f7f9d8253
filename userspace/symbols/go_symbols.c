// SPDX-License-Identifier: GPL-2.0
/*
 * .gopclntab, the table that Go programs print tracebacks from (Go source,
 * internal/abi and debug/gosym).  All layouts start with
 *
 *	u32 magic, u16 0, u8 instruction quantum, u8 size of a pointer
 *
 *	fffffff1 (1.20), fffffff0 (1.18): pointers nfunc, nfile, text start,
 *		and the offsets of names, ..., functions; a function is
 *		{ u32 entry - text start, u32 offset of its description };
 *		1.26 omits the text start; in a PIE the text start is a
 *		relocation; the module data also hold it
 *	fffffffa (1.16): the same without text start; a function is
 *		{ pointer entry, pointer offset of its description }
 *	fffffffb (1.2): pointer nfunc, functions as in 1.16, offsets count from
 *		the start of the table
 *
 * A description starts with { entry, s32 offset of the name, ... }.
 */
#include "go_symbols.h"

#include <string.h>

#include "go_module.h"
#include "util/util.h"

#define MAGIC_1_2	0xfffffffb
#define MAGIC_1_16	0xfffffffa
#define MAGIC_1_18	0xfffffff0
#define MAGIC_1_20	0xfffffff1

#define HEADER 8
#define NAME_MAX_LEN 4096

/* Go's internal ABI specification, "amd64 architecture". */
const char *const go_registers[] = {
	"%ax", "%bx", "%cx", "%di", "%si", "%r8", "%r9", "%r10", "%r11",
};

const size_t go_registers_n = ARRAY_SIZE(go_registers);

/**
 * struct go_table - a function table and the positions of its parts
 * @addr: address of the table
 * @bytes: the table
 * @size: its length
 * @magic: which layout it has
 * @ptr: size of a pointer
 * @text: address that entries of 1.18 and later are relative to, if @placed
 * @placed: the addresses of functions are known
 * @names: offset that the offsets of names are relative to
 * @functions: offset of the list of functions; the offsets of descriptions are
 *	relative to it
 * @n: number of functions
 */
struct go_table {
	u64 addr;
	const unsigned char *bytes;
	u64 size;
	u32 magic;
	unsigned int ptr;
	u64 text;
	bool placed;
	u64 names;
	u64 functions;
	u64 n;
};

static bool get(const struct go_table *table, u64 at, unsigned int size,
		u64 *value)
{
	if (at > table->size || size > table->size - at)
		return false;
	*value = 0;
	memcpy(value, table->bytes + at, size);
	return true;
}

/* Read word number @i after the first eight bytes. */
static bool header_word(const struct go_table *table, unsigned int i,
			u64 *value)
{
	return get(table, HEADER + i * table->ptr, table->ptr, value);
}

static Elf_Scn *find_section(const struct elf_image *img, GElf_Shdr *shdr)
{
	static const char *const names[] = {
		".gopclntab", ".data.rel.ro.gopclntab",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		Elf_Scn *scn = elf_image_section(img, names[i], shdr);

		if (scn)
			return scn;
	}
	return NULL;
}

static bool open_table(const struct elf_image *img, struct go_table *table)
{
	GElf_Shdr shdr;
	Elf_Data *data;
	Elf_Scn *scn;
	u64 magic;

	memset(table, 0, sizeof(*table));
	scn = find_section(img, &shdr);
	data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	if (!data || !data->d_buf || data->d_size < HEADER)
		return false;
	table->addr = shdr.sh_addr;
	table->bytes = data->d_buf;
	table->size = data->d_size;
	get(table, 0, 4, &magic);
	table->magic = magic;
	table->ptr = table->bytes[7];
	if ((table->ptr != 4 && table->ptr != 8) ||
	    !header_word(table, 0, &table->n))
		return false;
	switch (table->magic) {
	case MAGIC_1_20:
	case MAGIC_1_18:
		if (!header_word(table, 2, &table->text) ||
		    !header_word(table, 3, &table->names) ||
		    !header_word(table, 7, &table->functions))
			return false;
		table->placed = elf_image_is_code(img, table->text);
		if (!table->placed)
			table->text = 0;
		return true;
	case MAGIC_1_16:
		table->placed = true;
		return header_word(table, 2, &table->names) &&
		       header_word(table, 6, &table->functions);
	case MAGIC_1_2:
		table->placed = true;
		table->functions = HEADER + table->ptr;
		return true;
	default:
		return false;
	}
}

/* Read function number @i.  The entry after the last function gives that function's end. */
static bool get_function(const struct go_table *table, u64 i, u64 *entry,
			 u64 *description)
{
	bool relative = table->magic == MAGIC_1_18 ||
			table->magic == MAGIC_1_20;
	unsigned int size = relative ? 4 : table->ptr;
	u64 at;

	if (i > table->size)
		return false;
	at = table->functions + i * 2 * size;
	if (at < table->functions || !get(table, at, size, entry))
		return false;
	if (relative)
		*entry += table->text;
	return get(table, at + size, size, description);
}

/*
 * Find the start of the text in the module data.  If the program has C code,
 * Go calls an external linker, which can place C code before Go's code.
 */
static bool place(const struct elf_image *img, struct go_table *table)
{
	struct go_extent extent = { .table = table->addr, .ptr = table->ptr };
	u64 unused;

	if (!table->placed)
		table->placed = get_function(table, 0, &extent.first, &unused) &&
				get_function(table, table->n, &extent.last,
					     &unused) &&
				go_module_text(img, &extent, &table->text);
	return table->placed;
}

static const char *get_name(const struct go_table *table, u64 description)
{
	bool relative = table->magic == MAGIC_1_18 ||
			table->magic == MAGIC_1_20;
	u64 base = table->magic == MAGIC_1_2 ? 0 : table->functions;
	u64 offset, at;
	const char *name;

	if (!get(table, base + description + (relative ? 4 : table->ptr), 4,
		 &offset))
		return NULL;
	at = table->names + offset;
	if (at < offset || at >= table->size)
		return NULL;
	name = (const char *)table->bytes + at;
	return memchr(name, '\0', table->size - at < NAME_MAX_LEN ?
				  table->size - at : NAME_MAX_LEN) ? name : NULL;
}

/**
 * go_each_function() - list the functions of a Go program
 * @img: the program
 * @each: called for each function; @name is valid while @img is open
 * @arg: passed on to @each
 *
 * Return: whether the program has a function table and the addresses of the
 * functions are known.
 */
bool go_each_function(const struct elf_image *img,
		      void (*each)(const char *name, u64 addr, u64 size,
				   void *arg), void *arg)
{
	struct go_table table;
	u64 description, entry;

	if (!open_table(img, &table) || !place(img, &table))
		return false;
	for (u64 i = 0; i < table.n; i++) {
		u64 next, unused;
		const char *name;

		if (!get_function(&table, i, &entry, &description))
			break;
		name = get_name(&table, description);
		/* In old layouts, the last entry has no description. */
		if (!get_function(&table, i + 1, &next, &unused) ||
		    next < entry)
			next = entry;
		if (name && *name)
			each(name, entry, next - entry, arg);
	}
	return true;
}

/**
 * go_is_program() - check whether a file was built by Go
 * @img: the file
 */
bool go_is_program(const struct elf_image *img)
{
	GElf_Shdr shdr;

	return find_section(img, &shdr) ||
	       elf_image_section(img, ".go.buildinfo", &shdr) ||
	       elf_image_section(img, ".note.go.buildid", &shdr);
}

/**
 * go_has_register_abi() - check whether a Go program passes arguments in registers
 * @img: the file
 *
 * Go 1.17 also uses registers, but its table cannot be distinguished from that of 1.16.
 *
 * Return: false also for programs of Go 1.17.
 */
bool go_has_register_abi(const struct elf_image *img)
{
	struct go_table table;

	return img->ehdr.e_machine == EM_X86_64 && open_table(img, &table) &&
	       (table.magic == MAGIC_1_18 || table.magic == MAGIC_1_20);
}
