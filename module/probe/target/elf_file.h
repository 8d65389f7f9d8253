/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the headers of ELF files, 64-bit and 32-bit ones.
 *
 * A file can claim anything.  Each value from the file is a position or a number that the next
 * read checks.  Code that walks a file must bound its loops.
 */
#ifndef _UPROBES_ELF_FILE_H
#define _UPROBES_ELF_FILE_H

#include <linux/elf.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct target;

/* The largest number of program headers that are looked at. */
#define ELF_FILE_SEGMENTS	64

/* Cost of a read, in bytes, in addition to the bytes that are read. */
#define ELF_FILE_READ_COST	64

/* Time has a cost, too: this many nanoseconds cost as much as one byte. */
#define ELF_FILE_BYTE_NS	8

/**
 * struct elf_file - an ELF file that is being read
 * @target: the file
 * @allowance: number of bytes that may still be read, for a file that no client has named; or
 *	NULL.  Each read reduces it by the cost of the read and of the time since the last one.
 *	If it is too small, or the task is being killed, it becomes 0, and the read fails
 * @since: when @allowance was last reduced, in ns
 * @failed: a read has failed for another reason than the end of the file
 * @wide: the file is a 64-bit file
 * @head: its header, converted to the 64-bit layout
 */
struct elf_file {
	const struct target *target;
	u64 *allowance;
	u64 since;
	bool failed;
	bool wide;
	struct elf64_hdr head;
};

bool elf_file_open(struct elf_file *elf, const struct target *target, u64 *allowance);
bool elf_file_read(struct elf_file *elf, void *buf, size_t len, u64 pos);
bool elf_file_segment(struct elf_file *elf, unsigned int i, struct elf64_phdr *ph);
bool elf_file_section(struct elf_file *elf, unsigned int i, struct elf64_shdr *sh);

/* Get the number of program headers to look at. */
static inline unsigned int elf_file_segments(const struct elf_file *elf)
{
	return min_t(unsigned int, elf->head.e_phnum, ELF_FILE_SEGMENTS);
}

#endif /* _UPROBES_ELF_FILE_H */
