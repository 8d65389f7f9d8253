// SPDX-License-Identifier: GPL-2.0
// test: 40,000 mutated filters (FULL: 300,000) can be parsed and run without a memory error
// timeout: 120
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -Itests/host/parse_shim -Imodule
// cflags: module/trace/parse/parse.c module/trace/parse/argument.c module/trace/parse/argument_fetch.c module/trace/parse/type.c module/trace/parse/regs.c
// cflags: module/trace/parse/filter.c module/trace/parse/match.c module/trace/lib/decimal.c
/*
 * Usage: filter_fuzz [NUMBER [SEED]].  Built with clang,
 * -fsanitize=fuzzer,address and -DLIBFUZZER, it is a target of libFuzzer.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "trace/parse/match.h"
#include "trace/parse/parse.h"
#include "filter_event.h"
#include "insn/ktap.h"

long shim_fail_after;

static struct tracer_def *def;
static struct tracer_record *record;
static size_t length;

/* Parse a filter, and run it on a record and on a truncated one. Return: true for a good filter. */
static bool try_filter(const char *text, size_t len)
{
	struct tracer_filter *filter;
	struct tracer_diag diag;

	if (!def) {
		def = make_event();
		record = malloc(FILTER_RECORD_MAX);
		length = make_record(def, record);
	}
	filter = tracer_filter_parse(def, text, len, &diag);
	if (IS_ERR(filter)) {
		/* For an unknown field, the column is one behind its name. */
		if (diag.err == TRACER_ERR_NONE || diag.column > len + 1)
			abort();
		return false;
	}
	tracer_filter_match(filter, record, length, 0);
	tracer_filter_match(filter, record,
			    offsetof(struct tracer_record, entry) +
			    tracer_strings_offset(def), 0);
	tracer_filter_free(filter);
	return true;
}

#ifdef LIBFUZZER

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	try_filter((const char *)data, size);
	return 0;
}

#else

#include "mutate.h"

static const char * const seeds[] = {
	"u8 == 200 && s8 < -5 || !(u64 >= 0x10)",
	"s ~ \"a*[a-z]?\\*\" && comm != 'bash'",
	"(a[0] == 1 || a[2] & 7) && common_pid == 4321",
	"bad == \"(fault)\" || ss[1] == \"\" || cpu > 0",
	"!!((x32 != 0)) && c == 120",
	"f32 == 0.1 || f64 < -2.5e-30 && nan != 12345.678e9",
};

static const struct mutate filters = {
	.seeds = seeds,
	.nseeds = ARRAY_SIZE(seeds),
	.bytes = MUTATE_FILTER_BYTES,
	.joints = mutate_filter_joints,
	.njoints = ARRAY_SIZE(mutate_filter_joints),
	.changes = 5,
};

int main(int argc, char **argv)
{
	unsigned long count = ktap_full() ? 300000 : 40000, good = 0, i;
	char text[512], *exact;
	size_t len;

	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);
	if (argc > 2)
		mutate_state = strtoull(argv[2], NULL, 0);
	for (i = 0; i < count; i++) {
		len = mutate_line(&filters, text, sizeof(text));
		/* Allocate the exact length, so that the sanitizer finds reads beyond it. */
		exact = malloc(len);
		memcpy(exact, text, len);
		good += try_filter(exact, len);
		free(exact);
	}
	free(record);
	tracer_def_free(def);

	ktap_plan(2);
	ktap_ok(true, "%lu mutated filters cause no memory error", count);
	/* If nearly all filters were refused, or nearly none, the test would show little. */
	ktap_ok(good > count / 10 && good < count / 10 * 9,
		"%lu of them are good filters", good);
	return ktap_finish();
}

#endif /* LIBFUZZER */
