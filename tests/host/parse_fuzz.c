// SPDX-License-Identifier: GPL-2.0
// test: 40,000 mutated definitions (FULL: 300,000) cause no memory error, and read back the same
// timeout: 120
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -Itests/host/parse_shim -Imodule
// cflags: module/trace/parse/parse.c module/trace/parse/argument.c module/trace/parse/argument_fetch.c module/trace/parse/type.c module/trace/parse/regs.c
// cflags: module/trace/output/render.c module/trace/lib/text.c module/trace/lib/decimal.c
/*
 * Usage: parse_fuzz [NUMBER [SEED]], or parse_fuzz -- LINE to try one line.
 * Built with clang, -fsanitize=fuzzer,address and -DLIBFUZZER, it is a target
 * of libFuzzer.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "trace/parse/parse.h"
#include "trace/parse/def.h"
#include "insn/ktap.h"
#include "trace/output/render.h"

long shim_fail_after;

static char *render_line(const struct tracer_def *def, size_t *len)
{
	struct tracer_text text = {};
	char *buf;

	/* Render like seq_file: first into no buffer, then into one of the right size. */
	tracer_render_def(&text, def);
	*len = text.len - 1;
	buf = malloc(text.len);
	text = (struct tracer_text){ .buf = buf, .size = text.len };
	tracer_render_def(&text, def);
	if (!tracer_text_fits(&text) || buf[*len] != '\n')
		abort();
	return buf;
}

/* Render records with random bytes. This must not read outside of the record. */
static void render_records(const struct tracer_def *def, const u8 *bytes,
			   size_t n)
{
	size_t size = offsetof(struct tracer_record, entry) +
		      tracer_strings_offset(def) + 64, i;
	struct tracer_seen seen = { .len = size };
	struct tracer_text text = {};
	u8 *record = malloc(size);

	for (i = 0; i < size; i++)
		record[i] = n ? bytes[i % n] : 0;
	seen.record = (struct tracer_record *)record;
	tracer_render(&text, def, &seen);
	seen.len = size - 65;
	tracer_render(&text, def, &seen);
	tracer_render_format(&text, def, 1);
	free(record);
}

/* Parse a line; a good definition must read back the same. Return: true for a good definition. */
static bool try_line(const char *line, size_t len)
{
	struct tracer_def *def, *again;
	struct tracer_diag diag;
	char *back, *back_again;
	size_t back_len, again_len;

	def = tracer_def_parse(line, len, &diag);
	if (IS_ERR(def)) {
		if (diag.err == TRACER_ERR_NONE || diag.column > len)
			abort();
		return false;
	}
	if (def->kind != TRACER_PROBE && def->kind != TRACER_RETURN) {
		tracer_def_free(def);
		return false;
	}
	if (def->nargs > TRACER_MAX_ARGS || def->args_size > TRACER_FIXED_MAX)
		abort();
	render_records(def, (const u8 *)line, len);

	back = render_line(def, &back_len);
	tracer_def_free(def);
	if (back_len <= TRACER_LINE_MAX) {
		again = tracer_def_parse(back, back_len, &diag);
		if (IS_ERR(again))
			abort();
		back_again = render_line(again, &again_len);
		if (again_len != back_len || memcmp(back, back_again, back_len))
			abort();
		tracer_def_free(again);
		free(back_again);
	}
	free(back);
	return true;
}

#ifdef LIBFUZZER

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	try_line((const char *)data, size);
	return 0;
}

#else

#include "mutate.h"

static const char * const seeds[] = {
	"p /bin/bash:0x4245c0",
	"r:group/event /bin/zsh:0x46420%return(0x10) %ip a=%ax:u32",
	"p:a /b:1 +8(-16(%rdi)):u32[4] $stack3 $comm \\\"he llo\":string",
	"p:a /b:1 s=\\-3:s8 %di:b4@2/8 x=@0x100:string y=@+0x30:u16 +0(+0(%r8)):ustring[3]",
	"p:a /a\\040b:1 $stack:x8 +u0(%sp):char[64] %al %edi # comment",
	"p:a /b:1 +8(%rdi,%rsi,4):f32[3] %xmm15:f64 -1(+0(,%r8,8),%ax,2):string",
	"-:group/event /bin/sh:0x10",
};

static const struct mutate definitions = {
	.seeds = seeds,
	.nseeds = ARRAY_SIZE(seeds),
	.bytes = MUTATE_DEFINITION_BYTES,
	.joints = mutate_definition_joints,
	.njoints = ARRAY_SIZE(mutate_definition_joints),
	.changes = 5,
};

static unsigned long run(unsigned long count)
{
	unsigned long i, good = 0;
	char line[512], *exact;
	size_t len;

	for (i = 0; i < count; i++) {
		len = mutate_line(&definitions, line, sizeof(line));
		/* Allocate the exact length, so that the sanitizer finds reads beyond it. */
		exact = malloc(len);
		memcpy(exact, line, len);
		good += try_line(exact, len);
		free(exact);
	}
	return good;
}

int main(int argc, char **argv)
{
	unsigned long count = ktap_full() ? 300000 : 40000, good;

	if (argc == 3 && !strcmp(argv[1], "--")) {
		printf("%s\n", try_line(argv[2], strlen(argv[2])) ? "good" : "bad");
		return 0;
	}
	if (argc > 2)
		mutate_state = strtoull(argv[2], NULL, 0);
	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);

	ktap_plan(2);
	good = run(count);
	ktap_ok(true, "%lu mutated lines cause no memory error", count);
	/* If nearly all lines were refused, or nearly none, the test would show little. */
	ktap_ok(good > count / 10 && good < count / 10 * 9,
		"%lu of them are good definitions", good);
	return ktap_finish();
}

#endif /* LIBFUZZER */
