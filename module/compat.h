/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions.  The only file that may ask which
 * version it is built for; each entry names the change that made it necessary.
 */
#ifndef _UPROBES_COMPAT_H
#define _UPROBES_COMPAT_H

#include <linux/mm.h>
#include <linux/ring_buffer.h>
#include <linux/shmem_fs.h>
#include <linux/version.h>

/**
 * compat_gup_remote() - get one page of another address space
 *
 * Commit ca5e863233e8 ("mm/gup: remove vmas parameter from
 * get_user_pages_remote()", 6.5) dropped an argument that nobody here needs.
 *
 * Context: mmap lock of @mm held for reading.
 */
static inline long compat_gup_remote(struct mm_struct *mm, unsigned long addr,
				     unsigned int gup_flags, struct page **page)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return get_user_pages_remote(mm, addr, 1, gup_flags, page, NULL);
#else
	return get_user_pages_remote(mm, addr, 1, gup_flags, page, NULL, NULL);
#endif
}

/**
 * compat_shmem_file() - a file without a name in any file system
 * @name: what /proc/PID/maps shows
 * @size: in bytes
 *
 * VM_NORESERVE: only the pages that get slots are charged.
 */
static inline struct file *compat_shmem_file(const char *name, loff_t size)
{
	return shmem_file_setup(name, size, VM_NORESERVE);
}

/**
 * compat_ring_buffer_commit() - commit a reserved event
 *
 * "ring_buffer: Remove unused "event" parameter" (6.4) dropped the argument.
 */
static inline void compat_ring_buffer_commit(struct trace_buffer *rb,
					     struct ring_buffer_event *event)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	ring_buffer_unlock_commit(rb);
#else
	ring_buffer_unlock_commit(rb, event);
#endif
}

#endif /* _UPROBES_COMPAT_H */
