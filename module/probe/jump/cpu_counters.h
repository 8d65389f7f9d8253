/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of a process for each processor: a page of them for each, which the module and the
 * program share.  The counters of a pad are at the same place in each page.
 *
 * A histogram takes a whole page of each processor, so each pad with one has pages of its own.
 *
 * Their number is bounded, so processors whose numbers differ by a multiple of it share a page.  A
 * pad increments with a LOCK prefix, so that is exact, too.
 */
#ifndef _UPROBES_CPU_COUNTERS_H
#define _UPROBES_CPU_COUNTERS_H

struct jump;
struct probed_mm;

void cpu_counters_keep(struct probed_mm *pmm, const struct jump *jump);
int cpu_counters_take(struct probed_mm *pmm, struct jump *jump);
bool cpu_counters_in(const struct probed_mm *pmm, unsigned long addr, unsigned long len);
void cpu_counters_free(struct probed_mm *pmm);

#endif /* _UPROBES_CPU_COUNTERS_H */
