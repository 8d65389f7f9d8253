/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recognize programs in Go.
 */
#ifndef _UPROBES_ELF_GO_H
#define _UPROBES_ELF_GO_H

#include <linux/types.h>

struct elf_file;

bool elf_file_is_go(struct elf_file *elf);

#endif /* _UPROBES_ELF_GO_H */
