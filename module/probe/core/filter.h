/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters: the conditions of a probe.
 */
#ifndef _UPROBES_FILTER_H
#define _UPROBES_FILTER_H

#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include <uprobes/uprobes.h>

#include "arch.h"

/**
 * struct filter - the conditions of a consumer
 * @pad: the conditions, in the form that pads have
 * @rcu: frees it after readers
 */
struct filter {
	struct pad_filter pad;
	struct rcu_head rcu;
};

const char *filter_complaint(const struct uprobe_condition *conditions, unsigned int n);
struct filter *filter_make(const struct uprobe_condition *conditions, unsigned int n);
bool filter_passes(struct filter __rcu *const *filter, const struct pt_regs *regs);

#endif /* _UPROBES_FILTER_H */
