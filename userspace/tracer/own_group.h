/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The group for the events of a run of this program.
 */
#ifndef _USERSPACE_OWN_GROUP_H
#define _USERSPACE_OWN_GROUP_H

#include "trace.h"

char *own_group(void);
bool own_group_alive(const char *group, bool *ours);

#endif /* _USERSPACE_OWN_GROUP_H */
