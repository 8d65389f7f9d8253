/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions of a target: boundaries, and the bytes at a place. */
#ifndef _USERSPACE_TEXT_H
#define _USERSPACE_TEXT_H

#include <stdint.h>

#include "decode.h"
#include "elf_image.h"

struct error;

/**
 * struct instruction - one instruction of a target
 * @addr: its address
 * @bytes: its bytes, @decoded.len of them
 * @decoded: what it is
 */
struct instruction {
	uint64_t addr;
	unsigned char bytes[UINSN_MAX_LEN];
	struct uinsn decoded;
};

struct error *text_instruction(const struct elf_image *img, uint64_t addr,
			       struct instruction *insn);
struct error *text_check_boundary(const struct elf_image *img,
				  const char *function, uint64_t start,
				  uint64_t addr);
char *instruction_bytes(const struct instruction *insn);

#endif /* _USERSPACE_TEXT_H */
