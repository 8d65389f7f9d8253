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

/* The part of a section header that is wanted, from either class of file. */
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

/* A section header, false when it or its section is not all in the file. */
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

int for_each_code_section(const char *path,
			  void (*visit)(const struct code_section *section, void *data),
			  void *data)
{
	struct object object;
	struct section names, section;
	int n = 0;

	if (!object_open(&object, path))
		return -1;
	if (!object_section(&object, object.names, &names))
		names = (struct section){ 0 };
	for (u64 i = 0; i < object.count; i++) {
		if (!object_section(&object, i, &section) || section.type != SHT_PROGBITS ||
		    !(section.flags & SHF_EXECINSTR))
			continue;
		visit(&(struct code_section){
			.name = section.name < names.size ?
				(const char *)object.file + names.offset + section.name : "?",
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

int for_each_function(const char *path, void (*visit)(u64 addr, u64 size, void *data),
		      void *data)
{
	struct object object;
	struct section section;
	int n = 0;

	if (!object_open(&object, path))
		return -1;
	for (u64 i = 0; i < object.count; i++) {
		u64 step = object.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

		if (!object_section(&object, i, &section) ||
		    (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM))
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
			if (ELF64_ST_TYPE(wide.st_info) != STT_FUNC || wide.st_shndx == SHN_UNDEF)
				continue;
			visit(wide.st_value, wide.st_size, data);
			n++;
		}
	}
	object_close(&object);
	return n;
}
