// SPDX-License-Identifier: GPL-2.0
/*
 * insn_reach FILE...: plan every instruction that can be reached from the functions in the tables
 * of a file. Nothing but padding (int3) may be refused.
 *
 * Unlike a sweep over all bytes, this does not see the tables that hand-written assembly has
 * between its functions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ktap.h"
#include "sections.h"
#include "ssol.h"

#define MAX_SECTIONS 64

struct reach {
	const char *path;
	struct code_section sections[MAX_SECTIONS];
	u8 *seen[MAX_SECTIONS];
	int nsections;
	u64 *todo;
	size_t ntodo, room;
	unsigned long insns, refused[SSOL_NR_REFUSALS], kinds[SSOL_NR_KINDS], none;
};

static void keep_section(const struct code_section *section, void *data)
{
	struct reach *reach = data;
	u8 *copy = malloc(section->size);

	if (!copy || reach->nsections == MAX_SECTIONS)
		abort();
	memcpy(copy, section->text, section->size);
	reach->sections[reach->nsections] = *section;
	reach->sections[reach->nsections].text = copy;
	reach->seen[reach->nsections++] = calloc(1, section->size);
}

static void push(struct reach *reach, u64 addr)
{
	if (reach->ntodo == reach->room) {
		reach->room = reach->room ? 2 * reach->room : 4096;
		reach->todo = realloc(reach->todo, reach->room * sizeof(u64));
		if (!reach->todo)
			abort();
	}
	reach->todo[reach->ntodo++] = addr;
}

static void push_function(u64 addr, void *data)
{
	push(data, addr);
}

/* Plan instructions from an address until the control flow ends or reaches known code. */
static void follow(struct reach *reach, u64 addr)
{
	int i = 0;

	while (i < reach->nsections &&
	       addr - reach->sections[i].addr >= reach->sections[i].size)
		i++;
	if (i == reach->nsections)
		return;
	for (;;) {
		const struct code_section *section = &reach->sections[i];
		u64 at = addr - section->addr;
		enum ssol_refusal why;
		struct ssol_plan plan;
		int ret;

		if (at >= section->size || reach->seen[i][at])
			return;
		reach->seen[i][at] = 1;
		ret = ssol_plan_insn(&plan, section->text + at, section->size - at,
				     section->mode, &why);
		if (ret && ret != -EPERM) {
			/* Anything can be behind a call that does not return. */
			reach->none++;
			return;
		}
		reach->insns++;
		if (ret) {
			if (why != SSOL_REFUSED_INT3 && !reach->refused[why])
				ktap_note("%s: %#llx: %s", reach->path, (unsigned long long)addr,
					  ssol_refusal_name(why));
			reach->refused[why]++;
		} else {
			reach->kinds[plan.kind]++;
		}
		if (uinsn_has(&plan.insn, UINSN_RELATIVE))
			push(reach, uinsn_target(&plan.insn, addr));
		switch (plan.insn.class) {
		case UINSN_JUMP:
		case UINSN_IJUMP:
		case UINSN_FJUMP:
		case UINSN_RET:
		case UINSN_FRET:
		case UINSN_TRAP:
		case UINSN_INT3:
			return;
		}
		addr += plan.insn.len;
	}
}

int main(int argc, char **argv)
{
	ktap_plan(argc - 1);
	for (int i = 1; i < argc; i++) {
		struct reach reach = { .path = argv[i] };
		unsigned long bad = 0;

		if (visit_code_sections(argv[i], keep_section, &reach) < 1 ||
		    visit_functions(argv[i], push_function, &reach) < 1) {
			ktap_skip("%s: it is no x86 object file with functions", argv[i]);
			continue;
		}
		while (reach.ntodo)
			follow(&reach, reach.todo[--reach.ntodo]);
		for (int k = SSOL_OK + 1; k < SSOL_NR_REFUSALS; k++)
			if (k != SSOL_REFUSED_INT3)
				bad += reach.refused[k];
		ktap_ok(!bad && reach.insns,
			"%s: of %lu instructions %lu are refused, besides %lu int3; %lu need a step",
			argv[i], reach.insns, bad, reach.refused[SSOL_REFUSED_INT3],
			reach.kinds[SSOL_STEP]);
		if (reach.none)
			ktap_note("%lu paths lead to none, as behind calls that do not return",
				  reach.none);
		for (int k = 0; k < reach.nsections; k++) {
			free((void *)reach.sections[k].text);
			free(reach.seen[k]);
		}
		free(reach.todo);
	}
	return ktap_finish();
}
