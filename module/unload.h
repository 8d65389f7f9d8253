/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module leaves behind in tasks when it goes: nothing that needs it.
 */
#ifndef _UPROBES_UNLOAD_H
#define _UPROBES_UNLOAD_H

void release_tasks(void);

#endif /* _UPROBES_UNLOAD_H */
