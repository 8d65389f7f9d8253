/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions of probes, as text.
 */
#ifndef _TESTS_CONDITION_H
#define _TESTS_CONDITION_H

#include <linux/kernel.h>
#include <linux/string.h>

#include <uprobes/uprobes.h>

/*
 * Add a condition to a probe, which has its conditions at @conditions.  @value names its parts:
 * register, size, signed or unsigned, comparison, value.  For example, "di.4.s.lt.-5".  "none"
 * removes all conditions.
 */
static int condition_add(struct uprobe *u, struct uprobe_condition *conditions, char *value)
{
	static const char * const compares[] = { "eq", "ne", "lt", "le", "gt", "ge", "bits" };
	static const struct {
		const char *name;
		u16 offset;
	} regs[] = {
		{ "ax", UPROBE_REG(ax) }, { "bx", UPROBE_REG(bx) }, { "cx", UPROBE_REG(cx) },
		{ "dx", UPROBE_REG(dx) }, { "si", UPROBE_REG(si) }, { "di", UPROBE_REG(di) },
		{ "sp", UPROBE_REG(sp) }, { "r8", UPROBE_REG(r8) }, { "r9", UPROBE_REG(r9) },
		{ "ip", UPROBE_REG(ip) },
	};
	struct uprobe_condition *c = &conditions[u->nr_conditions];
	char *reg = strsep(&value, "."), *size = strsep(&value, "."), *sign = strsep(&value, ".");
	char *compare = strsep(&value, ".");
	unsigned int i;

	u->conditions = conditions;
	if (!strcmp(reg, "none")) {
		u->nr_conditions = 0;
		return 0;
	}
	if (u->nr_conditions == UPROBE_CONDITIONS || !value || kstrtou8(size, 0, &c->size) ||
	    kstrtoll(value, 0, (long long *)&c->value))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(regs) && strcmp(regs[i].name, reg); i++)
		;
	if (i == ARRAY_SIZE(regs))
		return -EINVAL;
	c->reg = regs[i].offset;
	c->is_signed = *sign == 's';
	c->compare = match_string(compares, ARRAY_SIZE(compares), compare);
	u->nr_conditions++;
	return 0;
}

#endif /* _TESTS_CONDITION_H */
