/* SPDX-License-Identifier: GPL-2.0 */
/* Convert operands of statically defined probes to fetch arguments. */
#ifndef _USERSPACE_SDT_OPERAND_H
#define _USERSPACE_SDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/symbols.h"

/**
 * struct sdt_operand - one argument of a site
 * @size: bytes
 * @is_signed: the value is signed
 * @fetch: fetch argument in the syntax of uprobe_events, without a type; NULL if
 *	the operand cannot be read
 * @type: type that @fetch needs regardless of @size, or NULL
 * @text: the operand as it was written, for messages
 * @problem: why it cannot be read
 */
struct sdt_operand {
	unsigned int size;
	bool is_signed;
	char *fetch;
	const char *type;
	char *text;
	const char *problem;
};

/**
 * struct sdt_operands - all arguments of a site
 * @v: the arguments
 * @n: number of @v
 * @cap: capacity of @v
 */
struct sdt_operands {
	struct sdt_operand *v;
	size_t n;
	size_t cap;
};

void sdt_operands_parse(const char *text, u64 at, const struct symbols *syms,
			struct sdt_operands *operands);
void sdt_operands_free(struct sdt_operands *operands);
const char *sdt_operand_type(unsigned int size, bool is_signed);

#endif /* _USERSPACE_SDT_OPERAND_H */
