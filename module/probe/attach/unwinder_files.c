// SPDX-License-Identifier: GPL-2.0
/*
 * The positions of unwinders in files that have been searched for them.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/timekeeping.h>

#include "unwinder_files.h"
#include "base/compat.h"
#include "target/elf_symbol.h"

#define KNOWN_BITS	8

/* Two changes of a file within this many seconds may have the same time. */
#define CHANGE_TIME	2

/**
 * struct known_file - the unwinders that were found in a file
 * @key: the file; zeroes if the entry is not used
 * @offsets: position of each unwinder in the file, or 0
 */
struct known_file {
	struct file_key key;
	u64 offsets[UNWINDER_NAMES];
};

/* For each hash, the file that was noted last.  Allocated by unwinder_files_init(). */
static struct known_file *known;
static DEFINE_MUTEX(known_mutex);

/*
 * Make the key of a file.  Return whether its times are reliable: the file system is on a disk or
 * in memory, and the last change is some time ago.
 */
static bool key_make(struct file_key *key, const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	*key = (struct file_key) {};
	key->dev = sb->s_dev;
	key->ino = inode->i_ino;
	key->generation = inode->i_generation;
	key->size = i_size_read(inode);
	key->changed = compat_inode_changed(inode);
	if (!(sb->s_type->fs_flags & FS_REQUIRES_DEV) && sb->s_magic != TMPFS_MAGIC)
		return false;
	return sb->s_magic != FUSE_SUPER_MAGIC &&
	       key->changed.tv_sec < ktime_get_real_seconds() - CHANGE_TIME;
}

static struct known_file *known_at(const struct file_key *key)
{
	return &known[hash_64(key->ino ^ ((u64)key->dev << 32), KNOWN_BITS)];
}

static bool key_same(const struct file_key *a, const struct file_key *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->generation == b->generation &&
	       a->size == b->size && timespec64_equal(&a->changed, &b->changed);
}

/**
 * unwinder_file_known() - look up the unwinders that were found in a file
 * @inode: the file as processes map it
 * @key: set to its present state
 * @symbols: UNWINDER_NAMES symbols; their offsets are set
 *
 * Context: may sleep.
 * Return: false if the file has not been searched, or has changed since.
 */
bool unwinder_file_known(const struct inode *inode, struct file_key *key,
			 struct elf_symbol *symbols)
{
	const struct known_file *file;
	unsigned int i;
	bool same;

	if (!key_make(key, inode))
		return false;
	mutex_lock(&known_mutex);
	file = known_at(key);
	same = key_same(&file->key, key);
	for (i = 0; same && i < UNWINDER_NAMES; i++)
		symbols[i].offset = file->offsets[i];
	mutex_unlock(&known_mutex);
	return same;
}

/**
 * unwinder_file_note() - note the unwinders that were found in a file
 * @inode: the file as processes map it
 * @key: its state before it was searched; if the file has changed since, nothing is noted
 * @symbols: UNWINDER_NAMES symbols with their offsets
 *
 * Context: may sleep.
 */
void unwinder_file_note(const struct inode *inode, const struct file_key *key,
			const struct elf_symbol *symbols)
{
	struct known_file *file;
	struct file_key now;
	unsigned int i;

	if (!key_make(&now, inode) || !key_same(&now, key))
		return;
	mutex_lock(&known_mutex);
	file = known_at(key);
	file->key = *key;
	for (i = 0; i < UNWINDER_NAMES; i++)
		file->offsets[i] = symbols[i].offset;
	mutex_unlock(&known_mutex);
}

int unwinder_files_init(void)
{
	known = kvcalloc(1UL << KNOWN_BITS, sizeof(*known), GFP_KERNEL);
	return known ? 0 : -ENOMEM;
}

void unwinder_files_exit(void)
{
	kvfree(known);
}
