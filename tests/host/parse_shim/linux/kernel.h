/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few helpers of linux/kernel.h and its neighbours that the parser uses,
 * with the kernel's semantics.
 */
#ifndef _SHIM_LINUX_KERNEL_H
#define _SHIM_LINUX_KERNEL_H

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define min_t(type, a, b)	({ type x_ = (a), y_ = (b); x_ < y_ ? x_ : y_; })
#define max_t(type, a, b)	({ type x_ = (a), y_ = (b); x_ > y_ ? x_ : y_; })
#define min(a, b)		min_t(typeof(a), a, b)
#define max(a, b)		max_t(typeof(a), a, b)
#define fallthrough		__attribute__((fallthrough))
#define S64_MAX			((s64)(~0ULL >> 1))
#define DIV_ROUND_UP(n, d)	({ typeof(n) d_ = (d); ((n) + d_ - 1) / d_; })
#define ALIGN(n, to)		({ typeof(n) to_ = (to); ((n) + to_ - 1) & ~(to_ - 1); })
#define __aligned(n)		__attribute__((aligned(n)))
#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))

#define PAGE_SIZE		4096UL

/* Return: the number of the highest bit that is set, counted from 1; 0 if no bit is set. */
static inline int fls64(u64 value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

/* User space can be preempted at any time. */
static inline void cond_resched(void)
{
}

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-4095;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

/*
 * Like the kernel's function: accept an optional '+' and a newline at the end, but no other white
 * space and no overflow.
 */
static inline int kstrtoull(const char *s, unsigned int base,
			    unsigned long long *value)
{
	unsigned long long u;
	char *end;

	if (*s == '+')
		s++;
	if (!isxdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	u = strtoull(s, &end, base);
	if (errno)
		return -ERANGE;
	/* strtoull() takes "0x" for a zero; the kernel does not. */
	if (end == s || (end == s + 1 && (*end == 'x' || *end == 'X')))
		return -EINVAL;
	if (*end == '\n')
		end++;
	if (*end)
		return -EINVAL;
	*value = u;
	return 0;
}

static inline int kstrtouint(const char *s, unsigned int base,
			     unsigned int *value)
{
	unsigned long long u;
	int ret = kstrtoull(s, base, &u);

	if (ret)
		return ret;
	if (u != (unsigned int)u)
		return -ERANGE;
	*value = u;
	return 0;
}

#endif /* _SHIM_LINUX_KERNEL_H */
