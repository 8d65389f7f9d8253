/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detaching from all tasks when the module is unloaded: nothing that is left in them needs it.
 */
#ifndef _UPROBES_UNLOAD_H
#define _UPROBES_UNLOAD_H

void release_tasks(void);

#endif /* _UPROBES_UNLOAD_H */
