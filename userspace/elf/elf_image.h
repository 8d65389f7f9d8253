/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An untrusted ELF file: opened once and checked.  Its program headers are
 * used to convert between addresses and file offsets.
 */
#ifndef _USERSPACE_ELF_IMAGE_H
#define _USERSPACE_ELF_IMAGE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "types.h"

struct error;

/**
 * struct elf_image - an open ELF file
 * @fd: the file, or -1 for an image that exists only in memory
 * @file: its path, as system calls take it
 * @path: the path for definitions and messages: white space, control
 *	characters, '#' and '\\' are octal escapes
 * @elf: libelf's descriptor
 * @ehdr: its ELF header
 * @phdrs: its program headers
 * @phnum: number of @phdrs
 * @size: bytes in the file
 * @dev: with @ino, the file's identity
 * @ino: see @dev; 0 for an image in memory
 * @memory: the bytes, for an image in memory; freed with it
 */
struct elf_image {
	int fd;
	char *file;
	char *path;
	Elf *elf;
	GElf_Ehdr ehdr;
	GElf_Phdr *phdrs;
	size_t phnum;
	u64 size;
	u64 dev;
	u64 ino;
	void *memory;
};

struct error *elf_image_open(const char *path, struct elf_image *img);
struct error *elf_image_from_memory(const char *path, void *bytes, size_t size,
				    struct elf_image *img);
void elf_image_close(struct elf_image *img);

bool elf_image_probable(const struct elf_image *img);
bool elf_image_data(const struct elf_image *img, u64 addr, u32 flags, u64 *offset);
bool elf_image_in_memory(const struct elf_image *img, u64 addr);
u64 elf_image_code_end(const struct elf_image *img, u64 addr);
bool elf_image_is_code(const struct elf_image *img, u64 addr);
struct error *elf_image_offset(const struct elf_image *img, u64 addr,
			       u64 *offset);
struct error *elf_image_addr(const struct elf_image *img, u64 offset,
			     u64 *addr);
char *elf_image_linker(const struct elf_image *img);
size_t elf_image_read(const struct elf_image *img, u64 offset, void *buf,
		      size_t len);
Elf_Scn *elf_image_section(const struct elf_image *img, const char *name,
			   GElf_Shdr *shdr);
Elf_Scn *elf_image_section_of_type(const struct elf_image *img,
				   u32 type, GElf_Shdr *shdr);

#endif /* _USERSPACE_ELF_IMAGE_H */
