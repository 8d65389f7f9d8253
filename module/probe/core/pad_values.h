/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histograms that pads add values to, and what they say.
 */
#ifndef _UPROBES_PAD_VALUES_H
#define _UPROBES_PAD_VALUES_H

#include <uprobes/uprobes.h>

#include "consumer_types.h"

u64 pad_most(const struct pad_count *pads);
void values_clear(struct uprobe_values *values);
bool values_any(const struct uprobe_values *values);
void values_join(struct uprobe_values *to, const struct uprobe_values *from);
void values_take(struct uprobe_values *to, const struct pad_count *pads, unsigned int place);
void values_begin(struct pad_values *values);

#endif /* _UPROBES_PAD_VALUES_H */
