/* SPDX-License-Identifier: GPL-2.0 */
/* Promises to the compiler, spelled as in the kernel. */
#ifndef _USERSPACE_COMPILER_H
#define _USERSPACE_COMPILER_H

#define __printf(a, b)	__attribute__((__format__(__printf__, a, b)))

#endif /* _USERSPACE_COMPILER_H */
