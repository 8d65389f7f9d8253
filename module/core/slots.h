/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SSOL areas of an image, and whose slots they hold.
 */
#ifndef _UPROBES_SLOTS_H
#define _UPROBES_SLOTS_H

#include "image.h"

struct ssol_area *image_area_at(const struct image *image, unsigned long addr);
void image_add_area(struct image *image, struct ssol_area *area);
int slot_add(struct site *site);
struct site *site_of_slot(const struct image *image, unsigned long addr);
unsigned long site_original_ip(const struct site *site, unsigned long ip);

#endif /* _UPROBES_SLOTS_H */
