/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions of a target: their boundaries and their bytes. */
#ifndef _USERSPACE_TEXT_H
#define _USERSPACE_TEXT_H

#include "decode.h"
#include "elf_image.h"
#include "ssol.h"
#include "types.h"

struct error;

/**
 * struct instruction - one instruction of a target
 * @addr: its address
 * @bytes: its bytes, @decoded.len of them
 * @decoded: the decoder's result
 */
struct instruction {
	u64 addr;
	unsigned char bytes[UINSN_MAX_LEN];
	struct uinsn decoded;
};

enum uinsn_mode text_mode(const struct elf_image *img);
struct error *text_instruction(const struct elf_image *img, u64 addr,
			       struct instruction *insn);
struct error *text_check_boundary(const struct elf_image *img,
				  const char *function, u64 start,
				  u64 addr);
bool text_is_code(const struct elf_image *img, u64 start, u64 end);
struct error *text_check_probable(const struct elf_image *img, u64 addr);
bool text_keeps_return(const struct elf_image *img, u64 addr);
char *text_expected(const struct elf_image *img, u64 addr);

#endif /* _USERSPACE_TEXT_H */
