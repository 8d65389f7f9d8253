/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module leaves behind in tasks when it goes: nothing that needs it.
 */
#ifndef _UPROBES_RELEASE_H
#define _UPROBES_RELEASE_H

void release_tasks(void);

#endif /* _UPROBES_RELEASE_H */
