/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Floating-point numbers in decimal, without floating-point arithmetic: the
 * computations use large integers, so they are exact.
 */
#ifndef _TRACER_DECIMAL_H
#define _TRACER_DECIMAL_H

#include <linux/errno.h>
#include <linux/types.h>

#define TRACER_DECIMAL_MAX	32	/* characters of a number, its NUL included */

#ifndef UPROBES_NO_FLOAT
#define TRACER_FLOAT_TYPES	"f32, f64, "	/* for lists of types in texts */
void tracer_decimal_print(u64 bits, unsigned int size, char *text);
int tracer_decimal_parse(const char *text, size_t len, unsigned int size,
			 u64 *bits);
bool tracer_decimal_order(u64 bits, unsigned int size, s64 *order);
#else
#define TRACER_FLOAT_TYPES	""
/* Without floating-point types, no argument needs these functions. */
static inline void tracer_decimal_print(u64 bits, unsigned int size, char *text)
{
	*text = '\0';
}

static inline int tracer_decimal_parse(const char *text, size_t len, unsigned int size,
				       u64 *bits)
{
	return -EINVAL;
}

static inline bool tracer_decimal_order(u64 bits, unsigned int size, s64 *order)
{
	return false;
}
#endif

#endif /* _TRACER_DECIMAL_H */
