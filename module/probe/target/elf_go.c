// SPDX-License-Identifier: GPL-2.0
/*
 * Recognize programs in Go.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "elf_go.h"
#include "elf_file.h"
#include "reader.h"
#include "target_types.h"

/* Number of bytes that are read of an ELF file: a hostile file can claim any size. */
#define MAX_NOTES	1024
#define MAX_NAMES	1024

static bool notes_name_go(const u8 *notes, size_t len)
{
	size_t at = 0;

	/* Look for the note of the Go linker: name "Go", type 4, the build id. */
	while (len - at >= sizeof(struct elf32_note)) {
		const struct elf32_note *note = (const void *)(notes + at);
		u64 next = at + sizeof(*note) + ALIGN((u64)note->n_namesz, 4) +
			   ALIGN((u64)note->n_descsz, 4);

		if (note->n_namesz == 4 && note->n_type == 4 &&
		    len - at >= sizeof(*note) + 4 && !memcmp(note + 1, "Go\0", 4))
			return true;
		if (next >= len)
			break;
		at = next;
	}
	return false;
}

static bool segment_names_go(const struct target *target, u64 offset, u64 size)
{
	u8 notes[MAX_NOTES] __aligned(4);
	ssize_t len = target_read(target, notes, min_t(u64, size, sizeof(notes)), offset);

	return len > 0 && notes_name_go(notes, len);
}

static bool segments_name_go(struct elf_file *elf)
{
	struct elf64_phdr ph;
	unsigned int i;

	for (i = 0; i < elf_file_segments(elf); i++) {
		if (!elf_file_segment(elf, i, &ph))
			return false;
		if (ph.p_type == PT_NOTE && ph.p_offset < S64_MAX - MAX_NOTES &&
		    segment_names_go(elf->target, ph.p_offset, ph.p_filesz))
			return true;
	}
	return false;
}

/* Check whether a section has the name of the table by which Go's runtime walks stacks. */
static bool sections_name_go(struct elf_file *elf)
{
	struct elf64_shdr names;
	char buf[MAX_NAMES];
	ssize_t n;

	if (elf->head.e_shstrndx >= SHN_LORESERVE ||
	    !elf_file_section(elf, elf->head.e_shstrndx, &names) ||
	    names.sh_offset > S64_MAX - MAX_NAMES)
		return false;
	n = target_read(elf->target, buf, min_t(u64, names.sh_size, sizeof(buf)), names.sh_offset);
	/* In position-independent programs the name of another section precedes this name. */
	return n > 0 && strnstr(buf, ".gopclntab", n);
}

/**
 * elf_file_is_go() - check whether a file is a program in Go
 * @elf: the file
 *
 * Context: may sleep.
 * Return: true if the file has the Go linker's build id, or a table of Go's runtime.
 */
bool elf_file_is_go(struct elf_file *elf)
{
	/* The note can be missing (-buildid=), and the section names can be stripped. */
	return segments_name_go(elf) || sections_name_go(elf);
}
