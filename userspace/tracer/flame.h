/* SPDX-License-Identifier: GPL-2.0 */
/* Draw counted stacks as a flame graph. */
#ifndef _USERSPACE_FLAME_H
#define _USERSPACE_FLAME_H

#include <stdio.h>

#include "call_tree.h"

void flame_draw(const struct call_node *root, const char *title, FILE *out);

#endif /* _USERSPACE_FLAME_H */
