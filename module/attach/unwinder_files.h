/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the unwinders are in files that have been searched for them.
 *
 * Most processes map the same libraries.  A file is told by what its file system says of it, and no
 * reference is held: it counts as the same as long as it has not been changed since.
 */
#ifndef _UPROBES_UNWINDER_FILES_H
#define _UPROBES_UNWINDER_FILES_H

#include <linux/time64.h>
#include <linux/types.h>

struct elf_symbol;
struct inode;

/**
 * struct file_key - a file in the state that it was in
 * @dev: its file system
 * @ino: its number there
 * @generation: of that number
 * @size: in bytes
 * @changed: when it was last changed, its times included
 */
struct file_key {
	dev_t dev;
	unsigned long ino;
	u32 generation;
	loff_t size;
	struct timespec64 changed;
};

/* The most names that are looked for. */
#define UNWINDER_NAMES	5

int unwinder_files_init(void);
void unwinder_files_exit(void);
bool unwinder_file_known(const struct inode *inode, struct file_key *key,
			 struct elf_symbol *symbols);
void unwinder_file_note(const struct inode *inode, const struct file_key *key,
			const struct elf_symbol *symbols);

#endif /* _UPROBES_UNWINDER_FILES_H */
