/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of Go programs.  Go's own function table survives stripping. */
#ifndef _USERSPACE_GO_SYMBOLS_H
#define _USERSPACE_GO_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "elf/elf_image.h"
#include "types.h"

bool go_is_program(const struct elf_image *img);
bool go_has_register_abi(const struct elf_image *img);
bool go_each_function(const struct elf_image *img,
		      void (*each)(const char *name, u64 addr, u64 size,
				   void *arg), void *arg);

/* Registers of integer and pointer arguments, in their order. */
extern const char *const go_registers[];
extern const size_t go_registers_n;

#endif /* _USERSPACE_GO_SYMBOLS_H */
