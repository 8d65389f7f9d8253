/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hits and misses of consumers: counters per CPU, and those of pads.
 */
#ifndef _UPROBES_COUNTS_H
#define _UPROBES_COUNTS_H

#include "consumer_types.h"

int counts_begin(struct consumer *c);
void counts_end(struct consumer *c);
void counts_exit(void);
void counts_move(struct consumer *c);
bool consumer_count_pad(struct consumer *c, struct pad_count **pads, const u64 *word);
void consumer_end_pads(struct consumer *c, struct pad_count **pads);
struct uprobe_counts probe_counts(const struct uprobe *u);

#endif /* _UPROBES_COUNTS_H */
