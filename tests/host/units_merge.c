// SPDX-License-Identifier: GPL-2.0
// test: the hits of units are handled in the order of their times, whatever pieces they are read in
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Itests/host/parse_shim -Imodule module/trace/lib/text.c
// cflags: -Iuserspace -Iarch/x86 -Iinclude userspace/tracer/units.c userspace/tracer/unit_line.c
// cflags: userspace/util/util.c userspace/util/error.c userspace/util/utf8.c userspace/util/output.c
#include <errno.h>
#include <fcntl.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "insn/ktap.h"
#include "trace/lib/text.h"
#include "tracer/unit_line.h"
#include "tracer/units.h"

#define CPUS	4
#define ROUNDS	300
#define HITS	20

/* Units of a processor, as the module would have them: sorted by their first hits. */
static char stream[1 << 22];
static size_t len;
static struct units units;
static u64 last, handled, texts, lost, wrong;
static char *line;
static size_t cap;

static void hit(void *data, const struct unit_hit *h)
{
	wrong += h->time < last || unit_value(h, &h->event->args[0]) != (u32)h->time;
	last = h->time;
	handled++;
}

static void lines(void *data, char *text)
{
	u64 time = strtoull(text, NULL, 10);

	wrong += time < last;
	last = time;
	texts++;
}

static void losses(void *data, u64 n)
{
	lost += n;
}

static void *put(size_t size, unsigned int kind, unsigned int cpu, u64 time)
{
	struct uprobes_unit *unit = (struct uprobes_unit *)(stream + len);

	memset(unit, 0, size);
	*unit = (struct uprobes_unit) { .size = size, .kind = kind, .cpu = cpu, .time = time };
	len += size;
	return unit;
}

static void put_event(const char *text)
{
	size_t size = (sizeof(struct uprobes_unit) + strlen(text) + 1 + 7) / 8 * 8;

	strcpy((char *)(struct uprobes_unit *)put(size, UPROBES_UNIT_EVENT, 0, 0) +
	       sizeof(struct uprobes_unit), text);
}

static void put_text(unsigned int cpu, u64 time)
{
	char *unit = put(sizeof(struct uprobes_unit) + 32, UPROBES_UNIT_TEXT, cpu, time);

	sprintf(unit + sizeof(struct uprobes_unit), "%llu\n", (unsigned long long)time);
}

/* A tick is two nanoseconds. */
static void put_block(unsigned int cpu, const u64 *times, unsigned int n)
{
	struct uprobes_unit_block *block = put(sizeof(*block) + n * 3 * sizeof(u64),
					       UPROBES_UNIT_BLOCK, cpu, times[0]);

	block->now = times[n - 1] + 100;
	block->ticks = (1ull << 40) + block->now / 2;
	block->oldest = times[0];
	block->mult = 4;
	block->shift = 1;
	block->unit.lost = cpu == 1;
	for (unsigned int i = 0; i < n; i++) {
		block->words[3 * i] = ((1ull << 40) + times[i] / 2) << 8 | 1;
		block->words[3 * i + 1] = 7ull << 48 | 0x401136;
		block->words[3 * i + 2] = times[i] | 0xabull << 32;
	}
}

/* Have each processor go on in its own time, and give units in the order of their first hits. */
static u64 make_stream(u64 *blocks_of_1)
{
	u64 next[CPUS] = { 0 }, hits = 0, times[HITS];

	put_event("7 calls a:0:u32\n");
	for (int round = 0; round < ROUNDS; round++) {
		unsigned int cpu = 0, n = rand() % HITS + 1;

		for (unsigned int i = 1; i < CPUS; i++)
			if (next[i] < next[cpu])
				cpu = i;
		next[cpu] += 2 * (rand() % 50) + 2;
		for (unsigned int i = 0; i < CPUS; i++)
			if (next[i] < next[cpu] && !(rand() % 3))
				next[i] = next[cpu];
		/* The next unit must not begin before this one. */
		for (unsigned int i = 0; i < CPUS; i++)
			if (next[i] < next[cpu])
				next[i] = next[cpu];
		times[0] = next[cpu];
		if (rand() % 5 == 0) {
			put_text(cpu, times[0]);
			next[cpu] += 2;
			continue;
		}
		for (unsigned int i = 1; i < n; i++)
			times[i] = times[i - 1] + 2 * (rand() % 40);
		put_block(cpu, times, n);
		*blocks_of_1 += cpu == 1;
		hits += n;
		next[cpu] = times[n - 1] + 2;
	}
	return hits;
}

/* Read the stream through a pipe, in pieces of up to @most bytes. */
static void read_stream(size_t most)
{
	int fds[2];
	size_t at = 0;

	if (pipe2(fds, O_NONBLOCK))
		exit(1);
	units = (struct units) { .fd = fds[0], .hit = hit, .lines = lines, .lost = losses };
	last = 0;
	handled = 0;
	texts = 0;
	lost = 0;
	wrong = 0;
	while (at < len) {
		size_t n = rand() % most + 1;

		n = n < len - at ? n : len - at;
		if (write(fds[1], stream + at, n) != (ssize_t)n)
			exit(1);
		at += n;
		while (units_read(&units) > 0)
			;
	}
	units_flush(&units);
	units_free(&units);
	close(fds[0]);
	close(fds[1]);
}

static void check_line(void)
{
	static const char wanted[] =
		"             cat-12      (      7) [003] dn.2.     1.500001: f: (0x4) a=-1 b=0xf";
	struct unit_arg args[] = {
		{ .name = (char *)"a", .index = 0, .bits = 8, .form = 's' },
		{ .name = (char *)"b", .index = 0, .bits = 4, .form = 'x' },
	};
	struct unit_event event = { .name = (char *)"f", .args = args, .n = 2 };
	static struct uprobes_unit_block block = {
		.unit.cpu = 3, .comm = "cat", .pid = 12, .tgid = 7, .flags = 5, .depth = 2,
	};
	u64 values[] = { 0xff };
	struct unit_hit h = {
		.block = &block, .event = &event, .time = 1500000600, .addr = 0x4,
		.values = values, .n = 1,
	};

	unit_line(&h, true, &line, &cap);
	if (!ktap_ok(!strcmp(line, wanted), "a line is as the module's"))
		ktap_note("%s", line);
}

/* Strings of all kinds: the line is that of the module. */
static void check_strings(void)
{
	static const char pieces[][4] = {
		"a", "\n", "\t", "\x1b", "\x7f", "\xc3\xa4", "\xc2\x9b", "\x9b", "\xc3",
		"\xe2\x82\xac", "\xed\xa0\x80", "\xf0\x9f\x98", "\\", "\"",
	};
	struct unit_arg args[] = {
		{ .name = (char *)"n", .index = 0, .bits = 64, .form = 'u' },
		{ .name = (char *)"s", .index = 1, .room = 16 },
		{ .name = (char *)"b", .index = 3, .bits = 3, .shift = 4, .form = 'u' },
	};
	struct unit_event event = { .name = (char *)"f", .args = args, .n = 3 };
	static struct uprobes_unit_block block;
	u64 values[4] = { 5, 0, 0, 0x50 };
	struct unit_hit h = { .block = &block, .event = &event, .values = values, .n = 4 };
	unsigned long wrong_lines = 0;
	char bytes[32], wanted[128];

	for (int i = 0; i < 100000; i++) {
		struct tracer_text text = { .buf = wanted, .size = sizeof(wanted) };

		memset(bytes, 0, sizeof(bytes));
		for (int n = rand() % 18; n > 0 && strlen(bytes) < 18; n--)
			strcat(bytes, pieces[rand() % (sizeof(pieces) / sizeof(pieces[0]))]);
		memcpy(&values[1], bytes, 16);
		tracer_text_printf(&text, " n=5 s=\"");
		tracer_text_escape(&text, bytes, strnlen(bytes, 16));
		tracer_text_puts(&text, strlen(bytes) < 16 ? "\" b=5" : "\"... b=5");
		tracer_text_putc(&text, '\0');
		unit_line(&h, false, &line, &cap);
		wrong_lines += !strstr(line, wanted);
	}
	ktap_ok(!wrong_lines, "strings are escaped as in the module's lines");
}

int main(void)
{
	u64 of_1 = 0, hits;
	size_t sizes[] = { 1, 100, 60000 };

	ktap_plan(2 + 4 * 3);
	srand(1);
	hits = make_stream(&of_1);
	for (int i = 0; i < 3; i++) {
		read_stream(sizes[i]);
		ktap_ok(handled == hits, "in pieces of up to %zu bytes, all hits are handled",
			sizes[i]);
		ktap_ok(texts, "and records that are text");
		ktap_ok(!wrong, "in the order of time, with their values");
		ktap_ok(lost == of_1, "losses are told");
	}
	check_line();
	check_strings();
	free(line);
	return ktap_finish();
}
