// SPDX-License-Identifier: GPL-2.0
/*
 * insn_objects [-n MAX] FILE...
 * insn_objects [-n MAX] -l LIST
 *
 * Decode the executable sections of object files, at most MAX instructions of each, compare with
 * Zydis, and plan every instruction.  With -l, the lines of the file LIST name the object files
 * (- is standard input).  Any disagreement fails.  Print a line of statistics for each file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agree.h"
#include "sections.h"
#include "ktap.h"
#include "ssol.h"

struct sweep {
	const char *path;
	unsigned long limit;
	unsigned long insns, bytes, invalid, disagreed;
	unsigned long kinds[SSOL_NR_KINDS], refused[SSOL_NR_REFUSALS], padding;
};

static unsigned long excused[AGREE_NR];

static void plan(const u8 *text, size_t len, enum uinsn_mode mode, struct sweep *sweep)
{
	enum ssol_refusal why;
	struct ssol_plan plan;

	if (!ssol_plan_insn(&plan, text, len, mode, &why))
		sweep->kinds[plan.kind]++;
	else
		sweep->refused[why]++;
}

static void sweep_section(const struct code_section *section, void *data)
{
	struct sweep *sweep = data;
	size_t at = 0;

	while (at < section->size && sweep->insns < sweep->limit) {
		const u8 *text = section->text + at;
		size_t len = section->size - at;
		enum agree_excuse excuse;
		struct uinsn insn;
		char why[200], line[100];
		int ret;

		if (!agree(text, len, section->mode, &insn, &ret, &excuse, why, sizeof(why))) {
			if (++sweep->disagreed <= 5) {
				agree_reproducer(text, len < 15 ? len : 15, section->mode,
						 line, sizeof(line));
				ktap_note("%s %s+%#zx: %s: %s", sweep->path, section->name, at,
					  line, why);
			}
		} else {
			excused[excuse]++;
		}
		if (ret) {
			sweep->invalid++;
			at++;
			continue;
		}
		sweep->insns++;
		sweep->bytes += insn.len;
		plan(text, len, section->mode, sweep);
		at += insn.len;
	}
}

static void sweep_file(const char *path, unsigned long limit, struct sweep *total)
{
	struct sweep sweep = { .path = path, .limit = limit };
	int n = visit_code_sections(path, sweep_section, &sweep);
	char refused[400] = "";
	int len = 0;

	if (n < 0) {
		ktap_skip("%s: it is no x86 object file", path);
		return;
	}
	for (int i = 1; i < SSOL_NR_REFUSALS; i++) {
		total->refused[i] += sweep.refused[i];
		if (sweep.refused[i])
			len += snprintf(refused + len, sizeof(refused) - (size_t)len,
					", %lu refused: %s", sweep.refused[i],
					ssol_refusal_name(i));
	}
	for (int i = 0; i < SSOL_NR_KINDS; i++)
		total->kinds[i] += sweep.kinds[i];
	total->insns += sweep.insns;
	total->bytes += sweep.bytes;
	total->invalid += sweep.invalid;
	ktap_ok(!sweep.disagreed, "%s: %lu instructions agree with Zydis, %lu bytes of none%s",
		path, sweep.insns, sweep.invalid, refused);
}

/* Return: the lines of a file, which replace the arguments. */
static char **read_list(const char *path, int *n)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char **list = NULL, *line = NULL;
	size_t room = 0;
	ssize_t len;

	*n = 0;
	while (file && (len = getline(&line, &room, file)) > 0) {
		list = realloc(list, sizeof(*list) * (size_t)(*n + 1));
		if (!list)
			abort();
		line[len - 1] = 0;
		list[(*n)++] = strdup(line);
	}
	return list;
}

int main(int argc, char **argv)
{
	struct sweep total = { 0 };
	unsigned long limit = ~0ul;
	char **files = NULL;
	int nfiles = 0;
	int opt;

	while ((opt = getopt(argc, argv, "n:l:")) != -1) {
		if (opt == 'n') {
			limit = strtoul(optarg, NULL, 0);
		} else if (opt == 'l') {
			files = read_list(optarg, &nfiles);
		} else {
			fprintf(stderr, "usage: insn_objects [-n MAX] [-l LIST] FILE...\n");
			return 2;
		}
	}
	if (!files) {
		files = argv + optind;
		nfiles = argc - optind;
	}
	ktap_plan(nfiles);
	for (int i = 0; i < nfiles; i++)
		sweep_file(files[i], limit, &total);
	ktap_note("%lu instructions, %lu bytes of none", total.insns, total.invalid);
	for (int i = 0; i < SSOL_NR_KINDS; i++)
		ktap_note("%12lu %s", total.kinds[i], ssol_kind_name(i));
	for (int i = 1; i < SSOL_NR_REFUSALS; i++)
		ktap_note("%12lu refused: %s", total.refused[i], ssol_refusal_name(i));
	for (int i = 1; i < AGREE_NR; i++)
		if (excused[i])
			ktap_note("%12lu reference excused: %s", excused[i], agree_excuse_name(i));
	return ktap_finish();
}
