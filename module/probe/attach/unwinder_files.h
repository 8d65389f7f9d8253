/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The positions of unwinders in files that have been searched for them.
 *
 * Most processes map the same libraries.  A file is identified by its device, inode number,
 * generation, size and change time.  While these are the same, the file is the same.  No reference
 * to it is held.
 */
#ifndef _UPROBES_UNWINDER_FILES_H
#define _UPROBES_UNWINDER_FILES_H

#include <linux/time64.h>
#include <linux/types.h>

struct elf_symbol;
struct inode;

/**
 * struct file_key - identifies a file in one state
 * @dev: device of its file system
 * @ino: inode number
 * @generation: generation of the inode number
 * @size: size in bytes
 * @changed: time of the last change of the file or of its attributes
 */
struct file_key {
	dev_t dev;
	unsigned long ino;
	u32 generation;
	loff_t size;
	struct timespec64 changed;
};

/* The number of names that are looked for. */
#define UNWINDER_NAMES	11

int unwinder_files_init(void);
void unwinder_files_exit(void);
bool unwinder_file_known(const struct inode *inode, struct file_key *key,
			 struct elf_symbol *symbols);
void unwinder_file_note(const struct inode *inode, const struct file_key *key,
			const struct elf_symbol *symbols);

#endif /* _UPROBES_UNWINDER_FILES_H */
