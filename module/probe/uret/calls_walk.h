/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks over the calls of an address space.
 */
#ifndef _UPROBES_CALLS_WALK_H
#define _UPROBES_CALLS_WALK_H

#include <linux/types.h>

struct calls;
struct probed_mm;
struct uret_instance;

unsigned long calls_nearest(struct calls *calls, unsigned long trampoline, unsigned long sp);
bool calls_any(struct calls *calls);
void calls_make_room(struct calls *calls, unsigned int widest);
void calls_prune(struct calls *calls, bool may_fault);
void calls_unmapped(struct calls *calls, unsigned long start, unsigned long end);
int calls_copy(struct calls *calls, struct uret_instance **copies);
bool calls_adopt(struct calls *calls, struct uret_instance *inst);
void calls_restore(struct probed_mm *pmm);

#endif /* _UPROBES_CALLS_WALK_H */
