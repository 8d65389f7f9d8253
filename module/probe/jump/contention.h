/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contention: find the counters that threads on several processors increment often.
 *
 * Each of their increments may wait until another processor gives the cache line away.  A worker
 * looks at the counters of a process some seconds apart, so hits have no more work than before.  If
 * a counter grows fast while the process runs on several processors at once, its site gets another
 * pad, with a counter for each processor.
 */
#ifndef _UPROBES_CONTENTION_H
#define _UPROBES_CONTENTION_H

struct probed_mm;

void contention_watch(struct probed_mm *pmm);
void contention_erase(struct probed_mm *pmm);
void contention_exit(void);

#endif /* _UPROBES_CONTENTION_H */
