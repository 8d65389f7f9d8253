/* SPDX-License-Identifier: GPL-2.0 */
/* The dynamic symbol table of a file whose section headers are gone. */
#ifndef _USERSPACE_DYNAMIC_H
#define _USERSPACE_DYNAMIC_H

#include "elf_image.h"

bool dynamic_tables(const struct elf_image *img, Elf_Data **symbols,
		    Elf_Data **strings);

#endif /* _USERSPACE_DYNAMIC_H */
