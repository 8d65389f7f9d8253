/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that must not be made by the task that wants them made: because it may
 * have a signal pending, which cuts short much of what the kernel does to an
 * address space, or because it lives in another address space.
 */
#ifndef _UPROBES_WORKER_H
#define _UPROBES_WORKER_H

int worker_init(void);
void worker_exit(void);
long worker_call(long (*fn)(void *data), void *data);

#endif /* _UPROBES_WORKER_H */
