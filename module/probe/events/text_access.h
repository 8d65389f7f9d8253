/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel functions that wait until jumps are out of their way.
 */
#ifndef _UPROBES_TEXT_ACCESS_H
#define _UPROBES_TEXT_ACCESS_H

int gates_watch(void);
void gates_exit(void);

#endif /* _UPROBES_TEXT_ACCESS_H */
