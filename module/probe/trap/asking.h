/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The question whether the kernel's uprobes are gone from a process.
 */
#ifndef _UPROBES_ASKING_H
#define _UPROBES_ASKING_H

#include <linux/types.h>

struct site;

bool hit_asks(struct site *site);

#endif /* _UPROBES_ASKING_H */
