/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hits and misses of consumers: counters per CPU, and those of pads.
 */
#ifndef _UPROBES_COUNTS_H
#define _UPROBES_COUNTS_H

#include "consumer_types.h"

struct jump;

int counts_begin(struct consumer *c);
int counts_begin_values(struct consumer *c);
void counts_end(struct consumer *c);
void counts_exit(void);
void counts_move(struct consumer *c);
bool consumer_count_pad(struct consumer *c, struct jump *jump);
void consumer_end_pads(const struct consumer *c, const struct site *site);
struct uprobe_counts probe_counts(const struct uprobe *u);
void probe_values(const struct uprobe *u, struct uprobe_values *values);
void probe_values_of(const struct uprobe *u, unsigned int place, struct uprobe_values *values);
void timer_add(struct uprobe_timer *timer, u64 ns);
void timer_add_left(struct uprobe_timer *timer);
u64 timer_values(struct uprobe_timer *timer, struct uprobe *const *ends, unsigned int n,
		 struct uprobe_values *values);

#endif /* _UPROBES_COUNTS_H */
