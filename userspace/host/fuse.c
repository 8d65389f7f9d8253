// SPDX-License-Identifier: GPL-2.0
#include "fuse.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "util/util.h"

/**
 * fuse_denies() - check for a file on a FUSE mount that belongs to another user
 * @file: a file that cannot be opened
 *
 * Without allow_other, the kernel denies all other users each access to the mount, also root.  The
 * deepest directory that statfs() reaches is the root of the mount then, and statfs() has nothing
 * but the type for such users.  The file itself is reached through a link of /proc.
 */
bool fuse_denies(const char *file)
{
	char *path = xstrdup(file), *slash;
	struct statfs fs = { 0 };
	int ret;

	while ((ret = statfs(path, &fs)) && errno == EACCES && (slash = strrchr(path, '/')) &&
	       slash > path)
		*slash = '\0';
	free(path);
	return !ret && fs.f_type == FUSE_SUPER_MAGIC && !fs.f_bsize;
}
