/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers of ELF files, 64-bit and 32-bit ones alike.
 *
 * A file can claim anything.  Whatever is read from it is a position or a
 * number that the next read checks; who goes through it bounds his loops.
 */
#ifndef _UPROBES_ELF_FILE_H
#define _UPROBES_ELF_FILE_H

#include <linux/elf.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct target;

/* Nobody looks at more program headers than that. */
#define ELF_FILE_SEGMENTS	64

/* What a read counts as, beside the bytes that are read. */
#define ELF_FILE_READ_COST	64

/* Time counts, too: so many nanoseconds are as much as a byte. */
#define ELF_FILE_BYTE_NS	8

/**
 * struct elf_file - a file that is being looked through
 * @target: the file
 * @allowance: how many bytes may still be read, for files that nobody has named: each read takes
 *	its part of that, and so does the time since the one before.  It fails, and nothing is
 *	left, if that is not enough or the task is being killed; or NULL
 * @since: when that was, in ns
 * @failed: a read has failed for another reason than the end of the file
 * @wide: it is a 64-bit file
 * @head: its header, as of a 64-bit file
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

/* How many program headers there are to look at. */
static inline unsigned int elf_file_segments(const struct elf_file *elf)
{
	return min_t(unsigned int, elf->head.e_phnum, ELF_FILE_SEGMENTS);
}

#endif /* _UPROBES_ELF_FILE_H */
