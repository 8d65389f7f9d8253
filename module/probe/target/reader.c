// SPDX-License-Identifier: GPL-2.0
/*
 * Read files that clients name.
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "reader.h"
#include "target_types.h"
#include "base/compat.h"

/**
 * inode_readable() - check whether a file can be read by its inode alone
 * @inode: the inode
 *
 * A file system that is neither on a disk nor in memory may need the credentials of the reader,
 * which only an open file has.
 *
 * Context: any.
 */
bool inode_readable(const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	if (!compat_cache_readable(inode->i_mapping) || sb->s_magic == FUSE_SUPER_MAGIC)
		return false;
	return sb->s_type->fs_flags & FS_REQUIRES_DEV || sb->s_magic == TMPFS_MAGIC ||
	       sb->s_magic == RAMFS_MAGIC;
}

/* Read through the page cache, without an open file. */
static ssize_t inode_read(struct inode *inode, void *buf, size_t len, loff_t pos)
{
	size_t done = 0;

	len = min_t(loff_t, len, max_t(loff_t, i_size_read(inode) - pos, 0));
	while (done < len) {
		pgoff_t index = (pos + done) >> PAGE_SHIFT;
		size_t n = min_t(size_t, len - done, PAGE_SIZE - offset_in_page(pos + done));
		struct folio *folio;

		folio = compat_cache_folio(inode->i_mapping, index);
		if (IS_ERR(folio))
			return done ?: PTR_ERR(folio);
		memcpy_from_page(buf + done, folio_file_page(folio, index),
				 offset_in_page(pos + done), n);
		folio_put(folio);
		done += n;
	}
	return done;
}

/**
 * target_read() - read from a file
 * @target: the file
 * @buf: the buffer to fill
 * @len: size of @buf, in bytes
 * @pos: position in the file
 *
 * Context: may sleep.
 * Return: the number of bytes read, or a negative errno.
 */
ssize_t target_read(const struct target *target, void *buf, size_t len, loff_t pos)
{
	if (target->file)
		return kernel_read(target->file, buf, len, &pos);
	return inode_read(target->inode, buf, len, pos);
}
