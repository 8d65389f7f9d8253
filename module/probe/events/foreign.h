/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watching how breakpoints of other owners (the kernel's uprobes, debuggers) come and go.
 */
#ifndef _UPROBES_FOREIGN_H
#define _UPROBES_FOREIGN_H

#include <linux/types.h>

struct probed_mm;

void foreign_init_rearm(struct probed_mm *pmm);
int foreign_watch(void);
void foreign_exit(void);

#endif /* _UPROBES_FOREIGN_H */
