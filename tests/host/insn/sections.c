// SPDX-License-Identifier: GPL-2.0
/* The executable sections of an object file, for tests. */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sections.h"

/* The part of a section header that is wanted, from either class of file. */
struct section {
	u64 type, flags, addr, offset, size;
	u32 name;
};

static bool section_header(const u8 *file, u64 size, u64 at, bool wide, struct section *section)
{
	if (at > size || size - at < (wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return false;
	if (wide) {
		Elf64_Shdr h;

		memcpy(&h, file + at, sizeof(h));
		*section = (struct section){ h.sh_type, h.sh_flags, h.sh_addr, h.sh_offset,
					     h.sh_size, h.sh_name };
	} else {
		Elf32_Shdr h;

		memcpy(&h, file + at, sizeof(h));
		*section = (struct section){ h.sh_type, h.sh_flags, h.sh_addr, h.sh_offset,
					     h.sh_size, h.sh_name };
	}
	return true;
}

static int visit_sections(const u8 *file, u64 size,
			  void (*visit)(const struct code_section *section, void *data),
			  void *data)
{
	bool wide = file[EI_CLASS] == ELFCLASS64;
	u64 at, step, count, names_index;
	struct section names;
	u16 machine;
	int n = 0;

	memcpy(&machine, file + 18, sizeof(machine));
	if (machine != (wide ? EM_X86_64 : EM_386))
		return -1;
	if (wide) {
		Elf64_Ehdr h;

		memcpy(&h, file, sizeof(h));
		at = h.e_shoff;
		step = h.e_shentsize;
		count = h.e_shnum;
		names_index = h.e_shstrndx;
	} else {
		Elf32_Ehdr h;

		memcpy(&h, file, sizeof(h));
		at = h.e_shoff;
		step = h.e_shentsize;
		count = h.e_shnum;
		names_index = h.e_shstrndx;
	}
	if (!at || !section_header(file, size, at + names_index * step, wide, &names))
		return -1;
	for (u64 i = 0; i < count; i++) {
		struct section section;

		if (!section_header(file, size, at + i * step, wide, &section))
			return -1;
		if (section.type != SHT_PROGBITS || !(section.flags & SHF_EXECINSTR) ||
		    section.offset > size || section.size > size - section.offset)
			continue;
		visit(&(struct code_section){
			.name = names.offset + section.name < size ?
				(const char *)file + names.offset + section.name : "?",
			.text = file + section.offset,
			.size = section.size,
			.addr = section.addr,
			.mode = wide ? UINSN_MODE_64 : UINSN_MODE_32,
		}, data);
		n++;
	}
	return n;
}

int for_each_code_section(const char *path,
			  void (*visit)(const struct code_section *section, void *data),
			  void *data)
{
	struct stat st;
	u8 *file;
	int fd, n = -1;

	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(Elf64_Ehdr)) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			if (!memcmp(file, ELFMAG, SELFMAG))
				n = visit_sections(file, (u64)st.st_size, visit, data);
			munmap(file, (size_t)st.st_size);
		}
	}
	close(fd);
	return n;
}
