/* SPDX-License-Identifier: GPL-2.0 */
/* Files of FUSE mounts. */
#ifndef _USERSPACE_FUSE_H
#define _USERSPACE_FUSE_H

#include <stdbool.h>

bool fuse_denies(const char *file);

#endif /* _USERSPACE_FUSE_H */
