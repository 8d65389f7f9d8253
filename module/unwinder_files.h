/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the unwinders are in files that have been searched for them.
 *
 * Most processes map the same libraries.  A file is told by what its file system says of it, and no
 * reference is held: it counts as the same as long as it has not been changed since.
 */
#ifndef _UPROBES_UNWINDER_FILES_H
#define _UPROBES_UNWINDER_FILES_H

#include <linux/types.h>

struct elf_symbol;
struct inode;

/* The most names that are looked for. */
#define UNWINDER_NAMES	5

int unwinder_files_init(void);
void unwinder_files_exit(void);
bool unwinder_file_known(const struct inode *inode, struct elf_symbol *symbols);
void unwinder_file_note(const struct inode *inode, const struct elf_symbol *symbols);

#endif /* _UPROBES_UNWINDER_FILES_H */
