/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes, spelled as in the kernel. */
#ifndef _TESTS_ATTRIBUTES_H
#define _TESTS_ATTRIBUTES_H

#define noinline	__attribute__((__noinline__))
#define __cold		__attribute__((__cold__))
#define __weak		__attribute__((__weak__))
#define __aligned(n)	__attribute__((__aligned__(n)))

#endif /* _TESTS_ATTRIBUTES_H */
