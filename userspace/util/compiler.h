/* SPDX-License-Identifier: GPL-2.0 */
/* Compiler attributes under their kernel names. */
#ifndef _USERSPACE_COMPILER_H
#define _USERSPACE_COMPILER_H

#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#undef __packed
#define __packed	__attribute__((__packed__))
#undef __aligned
#define __aligned(n)	__attribute__((__aligned__(n)))

#endif /* _USERSPACE_COMPILER_H */
