// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: the conditions of a probe.
 */
#include <linux/irqflags.h>
#include <linux/slab.h>

#include "filter.h"

static_assert(PAD_CONDITIONS == UPROBE_CONDITIONS);
/* The values of both enumerations are the same. */
static_assert((int)PAD_EQ == (int)UPROBE_EQ && (int)PAD_NE == (int)UPROBE_NE);
static_assert((int)PAD_LT == (int)UPROBE_LT && (int)PAD_LE == (int)UPROBE_LE);
static_assert((int)PAD_GT == (int)UPROBE_GT && (int)PAD_GE == (int)UPROBE_GE);
static_assert((int)PAD_BITS == (int)UPROBE_BITS);

/* Convert a condition.  Return false if it has no meaning. */
static bool convert(const struct uprobe_condition *from, struct pad_condition *to)
{
	int reg = arch_reg_number(from->reg);

	*to = (struct pad_condition) {
		.value = from->value,
		.reg = reg,
		.size = from->size ?: sizeof(u64),
		.compare = from->compare,
		.is_signed = from->is_signed,
	};
	return reg >= 0 && from->compare <= UPROBE_BITS && is_power_of_2(to->size) &&
	       to->size <= sizeof(u64) && pad_condition_valid(to);
}

/**
 * filter_complaint() - describe what is wrong with conditions
 * @conditions: the conditions
 * @n: number of @conditions
 *
 * Context: any.
 * Return: a clause, or NULL if nothing is wrong.
 */
const char *filter_complaint(const struct uprobe_condition *conditions, unsigned int n)
{
	struct pad_condition unused;
	unsigned int i;

	if (n > UPROBE_CONDITIONS)
		return "it has more than four conditions";
	if (n && !conditions)
		return "nr_conditions is set without conditions";
	for (i = 0; i < n; i++) {
		if (!convert(&conditions[i], &unused))
			return "a condition has no such register, size, comparison or value";
	}
	return NULL;
}

/**
 * filter_make() - make a filter of conditions
 * @conditions: the conditions, of which filter_complaint() does not complain
 * @n: number of @conditions
 *
 * Context: may sleep.
 * Return: the filter, to be freed by kfree(); NULL if there are no conditions; ERR_PTR(-ENOMEM).
 */
struct filter *filter_make(const struct uprobe_condition *conditions, unsigned int n)
{
	struct filter *filter;
	unsigned int i;

	if (!n)
		return NULL;
	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < n; i++)
		convert(&conditions[i], &filter->pad.conditions[i]);
	filter->pad.nr = n;
	return filter;
}

/**
 * filter_passes() - check whether registers pass a filter
 * @filter: where the filter is; NULL there passes all registers
 * @regs: user registers
 *
 * Context: any.
 */
bool filter_passes(struct filter __rcu *const *filter, const struct pt_regs *regs)
{
	const struct filter *f;
	bool passes;

	/* With interrupts off, as in the trap, this is an RCU read side already. */
	if (irqs_disabled()) {
		f = rcu_dereference_check(*filter, true);
		return !f || arch_filter_passes(&f->pad, regs);
	}
	rcu_read_lock();
	f = rcu_dereference(*filter);
	passes = !f || arch_filter_passes(&f->pad, regs);
	rcu_read_unlock();
	return passes;
}
