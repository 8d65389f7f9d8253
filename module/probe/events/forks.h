/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forks in flight: tasks between the start of copying an address space and
 * the fork event.
 *
 * A fork copies breakpoints into a child that the module does not know before the fork event.
 * The fork may sleep for any time before that.  So forks are counted, and the module waits for
 * them when it is unloaded.
 */
#ifndef _UPROBES_FORKS_H
#define _UPROBES_FORKS_H

void forks_watch(void);
void forks_unwatch(void);
void forks_drain(void);

#endif /* _UPROBES_FORKS_H */
