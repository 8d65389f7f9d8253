/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for the parser, from malloc.  With shim_fail_after set to n, the
 * n-th allocation from then on fails, so that a test reaches every failure.
 */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#define GFP_KERNEL 0

extern long shim_fail_after;

static inline void *shim_alloc(size_t size)
{
	if (shim_fail_after && !--shim_fail_after)
		return NULL;
	return malloc(size);
}

static inline void *kmalloc(size_t size, int flags)
{
	(void)flags;
	return shim_alloc(size);
}

static inline void *kzalloc(size_t size, int flags)
{
	void *p = kmalloc(size, flags);

	if (p)
		memset(p, 0, size);
	return p;
}

static inline void *kvzalloc(size_t size, int flags)
{
	return kzalloc(size, flags);
}

static inline void *kmemdup(const void *src, size_t size, int flags)
{
	void *p = kmalloc(size, flags);

	if (p)
		memcpy(p, src, size);
	return p;
}

static inline char *kstrdup(const char *s, int flags)
{
	return kmemdup(s, strlen(s) + 1, flags);
}

static inline void kfree(const void *p)
{
	free((void *)p);
}

static inline void kvfree(const void *p)
{
	free((void *)p);
}

/* The sanitizer knows the bounds of this page, too. */
static inline unsigned long __get_free_page(int flags)
{
	(void)flags;
	if (shim_fail_after && !--shim_fail_after)
		return 0;
	return (unsigned long)aligned_alloc(PAGE_SIZE, PAGE_SIZE);
}

static inline void free_page(unsigned long page)
{
	free((void *)page);
}

#endif /* _SHIM_LINUX_SLAB_H */
