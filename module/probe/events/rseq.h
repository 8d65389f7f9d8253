/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Restartable sequences: take a task that was preempted in a slot out of it before
 * the kernel looks whether its ip is in a sequence.
 */
#ifndef _UPROBES_RSEQ_H
#define _UPROBES_RSEQ_H

void rseq_watch(void);
void rseq_unwatch_begin(void);
void rseq_unwatch(void);

#endif /* _UPROBES_RSEQ_H */
