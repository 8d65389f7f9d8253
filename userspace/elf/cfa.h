/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of the unwind table, which strip does not remove. */
#ifndef _USERSPACE_CFA_H
#define _USERSPACE_CFA_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "elf_image.h"
#include "types.h"

/**
 * struct cfa - the caller's stack pointer before the call
 * @reg: register that it is computed from, in DWARF numbering
 * @offset: number to add to the register
 * @stored: the sum is not the stack pointer, but the address where it is stored
 * @end: address after the instructions for which this holds
 */
struct cfa {
	u64 reg;
	s64 offset;
	bool stored;
	u64 end;
};

bool cfa_in_table(Dwarf_CFI *cfi, u64 addr, struct cfa *cfa);
bool cfa_in_image(const struct elf_image *img, u64 addr, struct cfa *cfa);
bool cfa_of_call(const struct elf_image *img, const struct cfa *cfa);

#endif /* _USERSPACE_CFA_H */
