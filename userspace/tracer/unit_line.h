/* SPDX-License-Identifier: GPL-2.0 */
/* The line of a hit that comes in a block. */
#ifndef _USERSPACE_UNIT_LINE_H
#define _USERSPACE_UNIT_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct unit_hit;

char *unit_line(const struct unit_hit *hit, bool with_process, char **buf, size_t *cap);

#endif /* _USERSPACE_UNIT_LINE_H */
