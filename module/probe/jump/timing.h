/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of calls: which calls of timed functions are under way in a process.
 */
#ifndef _UPROBES_TIMING_H
#define _UPROBES_TIMING_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "core/consumer_types.h"
#include "core/pmm_types.h"

struct jump;
struct pad_debt;
struct pt_regs;

/* How long the call took that ends at the return instruction of this hit, and 1; 0: not known. */
DECLARE_PER_CPU(u64, timing_took);

int timing_get(struct probed_mm *pmm);
void timing_prepare_jump(const struct probed_mm *pmm, struct jump *jump);
bool timing_hit(struct consumer *c, const struct site *site, const struct pt_regs *regs,
		bool alone);
void timing_pay(const struct jump *jump, const struct pad_debt *debt, u64 sp);
void timing_forget(const struct site *site);
bool timing_in(const struct probed_mm *pmm, unsigned long addr, unsigned long len);
void timing_free(struct probed_mm *pmm);

/* Note that the handler of a hit has returned.  Context: the trap. */
static inline void timing_hit_over(const struct consumer *c)
{
	if (c->timing == TIMING_END)
		this_cpu_write(timing_took, 0);
}

#endif /* _UPROBES_TIMING_H */
