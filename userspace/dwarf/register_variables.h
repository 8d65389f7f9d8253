/* SPDX-License-Identifier: GPL-2.0 */
/* $argN and $goN: arguments of a function by their numbers. */
#ifndef _USERSPACE_REGISTER_VARIABLES_H
#define _USERSPACE_REGISTER_VARIABLES_H

#include "elf/elf_image.h"

struct error;

struct error *register_variables(const struct elf_image *img, char kind,
				 const char *args, char **out);

#endif /* _USERSPACE_REGISTER_VARIABLES_H */
