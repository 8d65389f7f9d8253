// SPDX-License-Identifier: GPL-2.0
/* insn_golden FILE: check the classes and lengths that decode.txt lists. */
#include <stdio.h>
#include <stdlib.h>

#include "decode.h"
#include "ktap.h"

#define MAX_LINES 2000

struct golden {
	enum uinsn_mode mode;
	u8 text[64];
	size_t len;
	char class[16], words[100];
};

static struct golden golden[MAX_LINES];

static bool parse(char *line, struct golden *g)
{
	char *end, *mode = strtok_r(line, "\t\n", &end), *bytes = strtok_r(NULL, "\t\n", &end);
	char *class = strtok_r(NULL, "\t\n", &end), *words = strtok_r(NULL, "\n", &end);

	if (!mode || !bytes || !class || !words)
		return false;
	g->mode = atoi(mode) == 64 ? UINSN_MODE_64 : UINSN_MODE_32;
	for (char *p = strtok_r(bytes, " ", &end); p; p = strtok_r(NULL, " ", &end))
		g->text[g->len++] = (u8)strtoul(p, NULL, 16);
	snprintf(g->class, sizeof(g->class), "%s", class);
	snprintf(g->words, sizeof(g->words), "%s", words);
	return true;
}

/*
 * Check that the answer does not depend on the bytes behind, and that each shorter length is
 * reported as truncated.
 */
static bool check(const struct golden *g, char *why, size_t size)
{
	static const u8 behind[] = { 0x00, 0xff, 0x90, 0xc5, 0x0f, 0x66 };
	bool invalid = !strcmp(g->class, "invalid");
	struct uinsn insn;
	int ret;

	for (size_t i = 0; i < sizeof(behind); i++) {
		u8 text[64];

		memset(text, behind[i], sizeof(text));
		memcpy(text, g->text, g->len);
		ret = uinsn_decode(&insn, text, sizeof(text), g->mode);
		if (ret != (invalid ? -EILSEQ : 0)) {
			snprintf(why, size, "it gives %d", ret);
			return false;
		}
		if (invalid)
			continue;
		if (insn.len != g->len) {
			snprintf(why, size, "its length is %u", insn.len);
			return false;
		}
		if (strcmp(uinsn_class_name(insn.class), g->class)) {
			snprintf(why, size, "its class is %s", uinsn_class_name(insn.class));
			return false;
		}
	}
	for (size_t len = 0; len < g->len && !invalid; len++) {
		ret = uinsn_decode(&insn, g->text, len, g->mode);
		if (ret != -ENODATA) {
			snprintf(why, size, "its first %zu bytes give %d", len, ret);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	char line[300];
	int n = 0;

	if (!file) {
		fprintf(stderr, "usage: insn_golden FILE\n");
		return 2;
	}
	while (n < MAX_LINES && fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (!parse(line, &golden[n++])) {
			printf("Bail out! bad line in %s\n", argv[1]);
			return 1;
		}
	}
	fclose(file);
	ktap_plan(n);
	for (int i = 0; i < n; i++) {
		const struct golden *g = &golden[i];
		char why[100];

		if (!check(g, why, sizeof(why)))
			ktap_note("%s", why);
		else
			why[0] = 0;
		ktap_ok(!why[0], "%d-bit %s: %s", g->mode == UINSN_MODE_64 ? 64 : 32, g->class,
			g->words);
	}
	return ktap_finish();
}
