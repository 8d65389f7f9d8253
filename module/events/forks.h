/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forks under way: tasks between the start of copying an address space and
 * the fork event.
 *
 * Breakpoints that a fork has copied are in a child that nobody knows before
 * its fork event.  A fork may sleep on that way for as long as it likes, so
 * they are counted, for the module to wait for them when it goes.
 */
#ifndef _UPROBES_FORKS_H
#define _UPROBES_FORKS_H

void forks_watch(void);
void forks_unwatch(void);
void forks_drain(void);

#endif /* _UPROBES_FORKS_H */
