/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters: the conditions of a probe.
 */
#ifndef _UPROBES_FILTER_H
#define _UPROBES_FILTER_H

#include "consumer_types.h"

const char *filter_complaint(const struct uprobe_condition *conditions, unsigned int n);
struct filter *filter_make(const struct uprobe_condition *conditions, unsigned int n);
bool filter_passes(struct filter __rcu *const *filter, const struct pt_regs *regs);

/* Check whether a hit passes the conditions of a consumer.  Context: any. */
static __always_inline bool consumer_wants(const struct consumer *c, const struct pt_regs *regs)
{
	return likely(!READ_ONCE(c->filtered)) || filter_passes(&c->filter, regs);
}

#endif /* _UPROBES_FILTER_H */
