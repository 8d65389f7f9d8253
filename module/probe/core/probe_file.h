/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is probed in all processes.
 */
#ifndef _UPROBES_PROBE_FILE_H
#define _UPROBES_PROBE_FILE_H

#include <linux/types.h>

struct consumer;
struct file;
struct inode;
struct probe_file;

int probe_file_init(void);
void probe_file_exit(void);
struct probe_file *probe_file_find(const struct inode *inode);
bool probe_file_wanted(const struct inode *inode, bool as_code);
bool probe_files_any(void);
struct probe_file *probe_file_get(struct probe_file *file);
void probe_file_put(struct probe_file *file);
int probe_file_add(struct inode *inode, struct file *file, struct consumer *c);
void probe_file_del(struct consumer *c);

#endif /* _UPROBES_PROBE_FILE_H */
