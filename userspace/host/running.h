/* SPDX-License-Identifier: GPL-2.0 */
/* Find libraries in the mappings of running programs. */
#ifndef _USERSPACE_RUNNING_H
#define _USERSPACE_RUNNING_H

#include <sys/types.h>

#include "library.h"
#include "process.h"

char *mapping_reach(pid_t pid, const struct mapping *map);
bool mapping_is(const struct mapping *map, const char *path);
void running_find(const char *name, struct paths *found, pid_t *pid);

#endif /* _USERSPACE_RUNNING_H */
