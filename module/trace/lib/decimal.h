/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Floating-point numbers in decimal, without floating-point arithmetic: all of
 * it is done on integers of any length, so it is exact.
 */
#ifndef _TRACER_DECIMAL_H
#define _TRACER_DECIMAL_H

#include <linux/types.h>

#define TRACER_DECIMAL_MAX	32	/* characters of a number, its NUL included */

void tracer_decimal_print(u64 bits, unsigned int size, char *text);
int tracer_decimal_parse(const char *text, size_t len, unsigned int size,
			 u64 *bits);
bool tracer_decimal_order(u64 bits, unsigned int size, s64 *order);

#endif /* _TRACER_DECIMAL_H */
