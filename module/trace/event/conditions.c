// SPDX-License-Identifier: GPL-2.0
/*
 * The conditions on registers that an event's filter implies.
 *
 * The module checks them for each hit, where that is possible without a trap.  The filter is run on
 * the records of hits that pass.
 */
#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include "conditions.h"

/* Check for a register that a condition can be on. */
static bool is_general(u16 reg)
{
	static const u16 general[] = {
		UPROBE_REG(ax), UPROBE_REG(bx), UPROBE_REG(cx), UPROBE_REG(dx), UPROBE_REG(si),
		UPROBE_REG(di), UPROBE_REG(bp), UPROBE_REG(sp), UPROBE_REG(r8), UPROBE_REG(r9),
		UPROBE_REG(r10), UPROBE_REG(r11), UPROBE_REG(r12), UPROBE_REG(r13),
		UPROBE_REG(r14), UPROBE_REG(r15),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(general); i++) {
		if (general[i] == reg)
			return true;
	}
	return false;
}

/* Find the argument that is stored at an offset of the entry, if it is a part of a register. */
static const struct tracer_arg *register_arg(const struct tracer_def *def, u16 offset)
{
	const struct tracer_arg *arg;
	unsigned int i;

	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		if (tracer_args_offset(def) + arg->offset != offset)
			continue;
		return arg->ninsns == 1 && arg->insns->op == TRACER_OP_REG &&
		       arg->store == TRACER_STORE_VALUE && !arg->count && !arg->rshift &&
		       is_general(arg->insns->offset) ? arg : NULL;
	}
	return NULL;
}

static bool is_comparison(const struct tracer_filter_step *step)
{
	return step->op <= TRACER_FILTER_BITS;
}

/* Convert a comparison.  Return false if it is not one of a register with a value of its size. */
static bool convert(const struct tracer_def *def, const struct tracer_filter_step *step,
		    struct uprobe_condition *condition)
{
	static const enum uprobe_compare compares[] = {
		[TRACER_FILTER_EQ] = UPROBE_EQ,
		[TRACER_FILTER_NE] = UPROBE_NE,
		[TRACER_FILTER_LT] = UPROBE_LT,
		[TRACER_FILTER_LE] = UPROBE_LE,
		[TRACER_FILTER_GT] = UPROBE_GT,
		[TRACER_FILTER_GE] = UPROBE_GE,
		[TRACER_FILTER_BITS] = UPROBE_BITS,
	};
	const struct tracer_arg *arg;
	unsigned int unused;
	u64 value;

	if (!is_comparison(step) || step->source != TRACER_FILTER_NUMBER)
		return false;
	arg = register_arg(def, step->offset);
	/* A register that is shorter than its field is zero-extended. */
	if (!arg || arg->insns->size < step->size)
		return false;
	unused = 64 - step->size * 8;
	value = step->value << unused;
	value = step->is_signed ? (u64)((s64)value >> unused) : value >> unused;
	*condition = (struct uprobe_condition) {
		.value = step->value,
		.reg = arg->insns->offset,
		.size = step->size,
		.is_signed = step->is_signed,
		.compare = compares[step->op],
	};
	return value == step->value;
}

/*
 * Get conditions that hold for each hit that passes the filter.  Without || and !, all comparisons
 * must be true.
 */
static unsigned int conditions_of(const struct tracer_site *site,
				  struct uprobe_condition *conditions)
{
	const struct tracer_filter *filter =
		rcu_dereference_protected(site->event->filter,
					  lockdep_is_held(&site->tracer->lock));
	unsigned int i, n = 0;

	if (!filter || site->def->kind == TRACER_RETURN)
		return 0;
	for (i = 0; i < filter->nsteps; i++) {
		if (!is_comparison(&filter->steps[i]) &&
		    filter->steps[i].op != TRACER_FILTER_IF_FALSE &&
		    filter->steps[i].op != TRACER_FILTER_GLOB)
			return 0;
	}
	for (i = 0; i < filter->nsteps && n < UPROBE_CONDITIONS; i++)
		n += convert(site->def, &filter->steps[i], &conditions[n]);
	return n;
}

/**
 * tracer_site_conditions() - give a probe the conditions that the filter of its event implies
 * @site: the probe, with an event
 *
 * If there is no memory to change the conditions of a registered probe, it has none.
 *
 * Context: may sleep; under tracer.lock.
 */
void tracer_site_conditions(struct tracer_site *site)
{
	struct uprobe *u = &site->rp.u;
	unsigned int before = u->nr_conditions;

	lockdep_assert_held(&site->tracer->lock);
	u->conditions = site->conditions;
	u->nr_conditions = conditions_of(site, site->conditions);
	if (!site->registered || (!before && !u->nr_conditions))
		return;
	if (set_uprobe_conditions(u, u->conditions, u->nr_conditions)) {
		u->nr_conditions = 0;
		set_uprobe_conditions(u, NULL, 0);
	}
}
