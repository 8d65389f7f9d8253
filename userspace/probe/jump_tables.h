/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of addresses through which a function's switch statements jump. */
#ifndef _USERSPACE_JUMP_TABLES_H
#define _USERSPACE_JUMP_TABLES_H

#include <stddef.h>

#include "elf/elf_image.h"
#include "types.h"

/**
 * struct jump_table - the targets of one jump
 * @jump: address of the jump
 * @targets: where it can lead to
 * @n: number of @targets
 */
struct jump_table {
	u64 jump;
	u64 *targets;
	size_t n;
};

/**
 * struct jump_tables - the tables of a piece of code
 * @v: the tables, in the order of their jumps
 * @n: number of @v
 * @cap: capacity of @v
 */
struct jump_tables {
	struct jump_table *v;
	size_t n;
	size_t cap;
};

void jump_tables_find(const struct elf_image *img, u64 addr, const u8 *text, size_t len,
		      struct jump_tables *tables);
const struct jump_table *jump_tables_of(const struct jump_tables *tables, u64 jump);
void jump_tables_free(struct jump_tables *tables);

#endif /* _USERSPACE_JUMP_TABLES_H */
