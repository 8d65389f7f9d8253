// SPDX-License-Identifier: GPL-2.0
/* The executable sections and the functions of an object file, for tests. */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sections.h"

struct object {
	const u8 *file;
	u64 size;
	bool wide;
	u64 at, step, count, names;
};

/* The fields of a section header that are needed, from either class of file. */
struct section {
	u64 type, flags, addr, offset, size;
	u32 name;
};

static bool object_open(struct object *object, const char *path)
{
	struct stat st;
	u16 machine;
	void *file;
	int fd;

	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= (off_t)sizeof(Elf64_Ehdr)) {
		close(fd);
		return false;
	}
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return false;
	object->file = file;
	object->size = (u64)st.st_size;
	object->wide = object->file[EI_CLASS] == ELFCLASS64;
	memcpy(&machine, object->file + 18, sizeof(machine));
	if (memcmp(file, ELFMAG, SELFMAG) || machine != (object->wide ? EM_X86_64 : EM_386)) {
		munmap(file, object->size);
		return false;
	}
	if (object->wide) {
		Elf64_Ehdr h;

		memcpy(&h, file, sizeof(h));
		object->at = h.e_shoff;
		object->step = h.e_shentsize;
		object->count = h.e_shnum;
		object->names = h.e_shstrndx;
	} else {
		Elf32_Ehdr h;

		memcpy(&h, file, sizeof(h));
		object->at = h.e_shoff;
		object->step = h.e_shentsize;
		object->count = h.e_shnum;
		object->names = h.e_shstrndx;
	}
	return true;
}

static void object_close(struct object *object)
{
	munmap((void *)object->file, object->size);
}

/* Read a section header. Return false if it or its section is not completely in the file. */
static bool object_section(const struct object *object, u64 index, struct section *section)
{
	u64 at = object->at + index * object->step;

	if (!object->at || at > object->size ||
	    object->size - at < (object->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return false;
	if (object->wide) {
		Elf64_Shdr h;

		memcpy(&h, object->file + at, sizeof(h));
		*section = (struct section){ h.sh_type, h.sh_flags, h.sh_addr, h.sh_offset,
					     h.sh_size, h.sh_name };
	} else {
		Elf32_Shdr h;

		memcpy(&h, object->file + at, sizeof(h));
		*section = (struct section){ h.sh_type, h.sh_flags, h.sh_addr, h.sh_offset,
					     h.sh_size, h.sh_name };
	}
	return section->offset <= object->size && section->size <= object->size - section->offset;
}

static const char *name_of(const struct object *object, const struct section *section)
{
	struct section names;

	if (!object_section(object, object->names, &names) || section->name >= names.size)
		return "?";
	return (const char *)object->file + names.offset + section->name;
}

int visit_code_sections(const char *path, visit_section visit, void *data)
{
	struct object object;
	struct section section;
	int n = 0;

	if (!object_open(&object, path))
		return -1;
	for (u64 i = 0; i < object.count; i++) {
		if (!object_section(&object, i, &section) || section.type != SHT_PROGBITS ||
		    !(section.flags & SHF_EXECINSTR))
			continue;
		visit(&(struct code_section){
			.name = name_of(&object, &section),
			.text = object.file + section.offset,
			.size = section.size,
			.addr = section.addr,
			.mode = object.wide ? UINSN_MODE_64 : UINSN_MODE_32,
		}, data);
		n++;
	}
	object_close(&object);
	return n;
}

/* Visit the functions of the sorted table in .eh_frame_hdr, in the only form that linkers write. */
static int unwind_functions(const u8 *table, const struct section *section,
			    visit_function visit, void *data)
{
	static const u8 form[] = { 1, 0x1b, 0x03, 0x3b };
	u64 count;

	if (section->size < 12 || memcmp(table, form, sizeof(form)))
		return 0;
	count = uinsn_get32(table + 8);
	if (count > (section->size - 12) / 8)
		return 0;
	for (u64 i = 0; i < count; i++)
		visit(section->addr + (u64)(s32)uinsn_get32(table + 12 + 8 * i), data);
	return (int)count;
}

/* Visit the functions of .gopclntab, in the formats that Go 1.18 and 1.20 introduced. */
static int go_functions(const u8 *table, const struct section *section,
			visit_function visit, void *data)
{
	u64 count, text, at;

	if (section->size < 72 || (uinsn_get32(table) | 1) != 0xfffffff1 || table[7] != 8)
		return 0;
	memcpy(&count, table + 8, 8);
	memcpy(&text, table + 24, 8);
	memcpy(&at, table + 64, 8);
	if (at > section->size || count > (section->size - at) / 8)
		return 0;
	for (u64 i = 0; i < count; i++)
		visit(text + uinsn_get32(table + at + 8 * i), data);
	return (int)count;
}

int visit_functions(const char *path, visit_function visit, void *data)
{
	struct object object;
	struct section section;
	int n = 0;

	if (!object_open(&object, path))
		return -1;
	for (u64 i = 0; i < object.count; i++) {
		u64 step = object.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

		if (!object_section(&object, i, &section))
			continue;
		if (!strcmp(name_of(&object, &section), ".eh_frame_hdr"))
			n += unwind_functions(object.file + section.offset, &section, visit, data);
		if (!strcmp(name_of(&object, &section), ".gopclntab"))
			n += go_functions(object.file + section.offset, &section, visit, data);
		if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM)
			continue;
		for (u64 at = 0; at + step <= section.size; at += step) {
			Elf64_Sym wide = { 0 };
			Elf32_Sym narrow;

			if (object.wide) {
				memcpy(&wide, object.file + section.offset + at, step);
			} else {
				memcpy(&narrow, object.file + section.offset + at, step);
				wide.st_info = narrow.st_info;
				wide.st_value = narrow.st_value;
				wide.st_size = narrow.st_size;
				wide.st_shndx = narrow.st_shndx;
			}
			if (ELF64_ST_TYPE(wide.st_info) != STT_FUNC || !wide.st_size ||
			    wide.st_shndx == SHN_UNDEF)
				continue;
			visit(wide.st_value, data);
			n++;
		}
	}
	object_close(&object);
	return n;
}
