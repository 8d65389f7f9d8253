/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checking what clients have filled in.
 */
#ifndef _UPROBES_FIELDS_H
#define _UPROBES_FIELDS_H

#include "core/consumer_types.h"

/* Check for a probe on a file. */
static inline bool in_file(const struct uprobe *u)
{
	return u->path || u->file || u->inode;
}

const char *fields_complaint(const struct uprobe *u, enum consumer_type type);

#endif /* _UPROBES_FIELDS_H */
