/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of an address space.
 */
#ifndef _UPROBES_MMU_H
#define _UPROBES_MMU_H

#include "core/image.h"

extern const struct image_ops mmu_image_ops;

#endif /* _UPROBES_MMU_H */
