/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types and functions that the instruction analyzer needs, from the kernel or from the C
 * library: its files are built into the module and into programs.
 */
#ifndef UPROBES_ARCH_X86_TYPES_H
#define UPROBES_ARCH_X86_TYPES_H

#ifdef __KERNEL__

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#else

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;
typedef __INT8_TYPE__ s8;
typedef __INT16_TYPE__ s16;
typedef __INT32_TYPE__ s32;
typedef __INT64_TYPE__ s64;

#define noinline_for_stack

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#endif

#endif

/* Text is little-endian and unaligned; the machine that reads it may differ. */

static inline u16 uinsn_get16(const u8 *p)
{
	return (u16)(p[0] | p[1] << 8);
}

static inline u32 uinsn_get32(const u8 *p)
{
	return p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

static inline void uinsn_put16(u8 *p, u16 v)
{
	p[0] = (u8)v;
	p[1] = (u8)(v >> 8);
}

static inline void uinsn_put32(u8 *p, u32 v)
{
	uinsn_put16(p, (u16)v);
	uinsn_put16(p + 2, (u16)(v >> 16));
}

static inline void uinsn_put64(u8 *p, u64 v)
{
	uinsn_put32(p, (u32)v);
	uinsn_put32(p + 4, (u32)(v >> 32));
}

#endif /* UPROBES_ARCH_X86_TYPES_H */
