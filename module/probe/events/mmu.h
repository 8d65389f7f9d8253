/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of an address space.
 */
#ifndef _UPROBES_MMU_H
#define _UPROBES_MMU_H

#include "core/probed_mm.h"

extern const struct probed_mm_ops mmu_pmm_ops;

#endif /* _UPROBES_MMU_H */
