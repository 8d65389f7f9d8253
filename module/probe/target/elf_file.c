// SPDX-License-Identifier: GPL-2.0
/*
 * Read the headers of ELF files.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "elf_file.h"
#include "reader.h"
#include "target_types.h"

/* Subtract the cost of a read from the allowance.  Return whether the read may be done. */
static bool pay(struct elf_file *elf, u64 cost)
{
	u64 now = ktime_get_ns();

	cost += div_u64(now - elf->since, ELF_FILE_BYTE_NS);
	elf->since = now;
	if (*elf->allowance < cost || fatal_signal_pending(current)) {
		*elf->allowance = 0;
		return false;
	}
	*elf->allowance -= cost;
	return true;
}

/**
 * elf_file_read() - read from an ELF file
 * @elf: the file
 * @buf: the buffer to fill
 * @len: size of @buf, in bytes
 * @pos: position in the file; may be an unchecked number of the file itself
 *
 * Context: may sleep.
 * Return: whether all @len bytes have been read.
 */
bool elf_file_read(struct elf_file *elf, void *buf, size_t len, u64 pos)
{
	ssize_t n;

	if (elf->allowance && !pay(elf, len + ELF_FILE_READ_COST))
		return false;
	if (pos > S64_MAX - len)
		return false;
	n = target_read(elf->target, buf, len, pos);
	elf->failed |= n < 0;
	return n == len;
}

/**
 * elf_file_open() - read the header of a file
 * @elf: what to fill in; needs no closing
 * @target: the file, which must stay open
 * @allowance: number of bytes that may be read of it; or NULL
 *
 * Context: may sleep.
 * Return: whether it is an ELF file.
 */
bool elf_file_open(struct elf_file *elf, const struct target *target, u64 *allowance)
{
	struct elf32_hdr h32;

	elf->target = target;
	elf->allowance = allowance;
	elf->since = ktime_get_ns();
	elf->failed = false;
	if (!elf_file_read(elf, &elf->head, EI_NIDENT, 0) ||
	    memcmp(elf->head.e_ident, ELFMAG, SELFMAG))
		return false;
	elf->wide = elf->head.e_ident[EI_CLASS] == ELFCLASS64;
	if (elf->wide)
		return elf_file_read(elf, &elf->head, sizeof(elf->head), 0);
	if (!elf_file_read(elf, &h32, sizeof(h32), 0))
		return false;
	elf->head.e_phoff = h32.e_phoff;
	elf->head.e_phnum = h32.e_phnum;
	elf->head.e_shoff = h32.e_shoff;
	elf->head.e_shnum = h32.e_shnum;
	elf->head.e_shstrndx = h32.e_shstrndx;
	return true;
}

/**
 * elf_file_segment() - read a program header
 * @elf: the file
 * @i: number of the header
 * @ph: what to fill in, as of a 64-bit file
 *
 * Context: may sleep.
 * Return: whether the file has the header.
 */
bool elf_file_segment(struct elf_file *elf, unsigned int i, struct elf64_phdr *ph)
{
	struct elf32_phdr p32;

	if (elf->wide)
		return elf_file_read(elf, ph, sizeof(*ph),
				     elf->head.e_phoff + i * (u64)sizeof(*ph));
	if (!elf_file_read(elf, &p32, sizeof(p32), elf->head.e_phoff + i * (u64)sizeof(p32)))
		return false;
	*ph = (struct elf64_phdr) {
		.p_type = p32.p_type, .p_flags = p32.p_flags, .p_offset = p32.p_offset,
		.p_vaddr = p32.p_vaddr, .p_filesz = p32.p_filesz,
	};
	return true;
}

/**
 * elf_file_section() - read a section header
 * @elf: the file
 * @i: number of the header
 * @sh: what to fill in, as of a 64-bit file
 *
 * Context: may sleep.
 * Return: whether the file has the header.
 */
bool elf_file_section(struct elf_file *elf, unsigned int i, struct elf64_shdr *sh)
{
	struct elf32_shdr s32;

	if (!elf->head.e_shoff)
		return false;
	if (elf->wide)
		return elf_file_read(elf, sh, sizeof(*sh),
				     elf->head.e_shoff + i * (u64)sizeof(*sh));
	if (!elf_file_read(elf, &s32, sizeof(s32), elf->head.e_shoff + i * (u64)sizeof(s32)))
		return false;
	*sh = (struct elf64_shdr) {
		.sh_type = s32.sh_type, .sh_offset = s32.sh_offset, .sh_size = s32.sh_size,
		.sh_link = s32.sh_link,
	};
	return true;
}
