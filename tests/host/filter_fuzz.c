// SPDX-License-Identifier: GPL-2.0
// test: 300,000 mutated filters neither hurt the parser nor what runs them
// timeout: 120
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -Itests/host/parse_shim -Imodule/trace
// cflags: module/trace/parse.c module/trace/argument.c module/trace/type.c module/trace/regs.c
// cflags: module/trace/filter.c module/trace/match.c module/trace/decimal.c
/*
 * Usage: filter_fuzz [NUMBER [SEED]], or filter_fuzz --print NUMBER to write
 * filters for the test in a guest.  Built with clang, -fsanitize=fuzzer,address
 * and -DLIBFUZZER, it is a target of libFuzzer.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "filter_event.h"
#include "insn/ktap.h"

long shim_fail_after;

static struct tracer_def *def;
static struct tracer_record *record;
static size_t length;

/* Return: true for a good filter.  Run on a record, and on one cut short. */
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
		if (diag.err == TRACER_ERR_NONE || diag.column > len)
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

static const char * const seeds[] = {
	"u8 == 200 && s8 < -5 || !(u64 >= 0x10)",
	"s ~ \"a*[a-z]?\\*\" && comm != 'bash'",
	"(a[0] == 1 || a[2] & 7) && common_pid == 4321",
	"bad == \"(fault)\" || ss[1] == \"\" || cpu > 0",
	"!!((x32 != 0)) && c == 120",
	"f32 == 0.1 || f64 < -2.5e-30 && nan != 12345.678e9",
};

/* xorshift64: the same filters everywhere. */
static u64 state;

static unsigned int pick(unsigned int below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 33) % below;
}

static size_t mutate(char *text, size_t len, size_t room)
{
	static const char bytes[] = "&|!()<>=~\"'[]*?\\-0x9as8u ";
	size_t at = len ? pick(len) : 0, n;
	const char *other;

	switch (pick(5)) {
	case 0:	/* another character */
		if (len)
			text[at] = bytes[pick(sizeof(bytes) - 1)];
		return len;
	case 1:	/* a few less */
		n = len ? 1 + pick(min(len - at, 8ul)) : 0;
		memmove(text + at, text + at + n, len - at - n);
		return len - n;
	case 2:	/* a piece twice */
		n = len ? 1 + pick(min(len - at, 16ul)) : 0;
		if (len + n > room)
			return len;
		memmove(text + at + n, text + at, len - at);
		return len + n;
	case 3:	/* and, or another one */
		other = seeds[pick(ARRAY_SIZE(seeds))];
		if (len + strlen(other) + 4 > room)
			return len;
		memcpy(text + len, pick(2) ? " && " : " || ", 4);
		memcpy(text + len + 4, other, strlen(other));
		return len + 4 + strlen(other);
	default: /* any byte */
		if (len)
			text[at] = pick(256);
		return len;
	}
}

static size_t make_filter(char *text, size_t room)
{
	const char *seed = seeds[pick(ARRAY_SIZE(seeds))];
	size_t len = strlen(seed);
	unsigned int changes;

	memcpy(text, seed, len);
	for (changes = pick(5); changes; changes--)
		len = mutate(text, len, room);
	return len;
}

int main(int argc, char **argv)
{
	bool printing = argc == 3 && !strcmp(argv[1], "--print");
	unsigned long count = 300000, good = 0, i;
	char text[512], *exact;
	size_t len;

	if (argc > 1)
		count = strtoul(argv[printing ? 2 : 1], NULL, 0);
	state = argc > 2 && !printing ? strtoull(argv[2], NULL, 0) :
					0x9e3779b97f4a7c15;
	for (i = 0; i < count; i++) {
		len = make_filter(text, sizeof(text) - 1);
		if (printing) {
			text[len] = '\n';
			fwrite(text, len + 1, 1, stdout);
			continue;
		}
		/* Exactly as long as the filter, for the sanitizer. */
		exact = malloc(len);
		memcpy(exact, text, len);
		good += try_filter(exact, len);
		free(exact);
	}
	if (printing)
		return 0;
	free(record);
	tracer_def_free(def);

	ktap_plan(2);
	ktap_ok(true, "%lu filters tried", count);
	/* A fuzzer whose filters are all refused at once would show little. */
	ktap_ok(good > count / 10 && good < count / 10 * 9,
		"%lu of them were good", good);
	return ktap_finish();
}

#endif /* LIBFUZZER */
