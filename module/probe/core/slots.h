/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SSOL areas of a probed mm, and the sites of their slots.
 */
#ifndef _UPROBES_SLOTS_H
#define _UPROBES_SLOTS_H

#include "pmm_types.h"

struct ssol_area *pmm_area_at(const struct probed_mm *pmm, unsigned long addr);
void pmm_add_area(struct probed_mm *pmm, struct ssol_area *area);
int slot_add(struct site *site);
void slot_del(struct site *site);
unsigned long area_first_slot(const struct ssol_area *area, unsigned long from, unsigned long to);
void area_skip_slots(struct ssol_area *area);
struct site *site_of_slot(const struct probed_mm *pmm, unsigned long addr);
unsigned long site_original_ip(const struct site *site, unsigned long ip);

#endif /* _UPROBES_SLOTS_H */
