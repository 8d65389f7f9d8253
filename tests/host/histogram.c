// SPDX-License-Identifier: GPL-2.0
// test: percentiles of times are the ends of buckets, none above the longest time or below its own bucket
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/tracer/histogram.c
#include "insn/ktap.h"
#include "tracer/histogram.h"
#include "tracer/aggregate.h"

static void is(const struct aggregate_counts *counts, unsigned int percent, u64 wanted,
	       const char *what)
{
	u64 got = histogram_percentile(counts, percent);

	if (!ktap_ok(got == wanted, "%s", what))
		ktap_note("got %llu, wanted %llu", (unsigned long long)got,
			  (unsigned long long)wanted);
}

int main(void)
{
	struct aggregate_counts none = { 0 };
	struct aggregate_counts some = {
		.hits = 100, .max = 3000, .buckets = { [4] = 50, [6] = 40, [11] = 10 },
	};
	struct aggregate_counts quick = { .hits = 3, .max = 1, .buckets = { [0] = 3 } };
	struct aggregate_counts longest = { .hits = 1, .max = ~0ull, .buckets = { [63] = 1 } };
	struct aggregate_counts unmaxed = { .hits = 1, .buckets = { [5] = 1 } };
	struct aggregate_counts unsorted = { .hits = 50, .max = 20, .buckets = { [4] = 49 } };
	struct aggregate_counts later = { .hits = 2, .max = 5000, .buckets = { [4] = 2 } };

	ktap_plan(12);
	is(&none, 50, 0, "no call took no time");
	is(&some, 50, 32, "exactly half of the calls are in the first bucket");
	is(&some, 51, 128, "one call more is in the next one");
	is(&some, 90, 128, "nine tenths of the calls end with the second bucket");
	is(&some, 91, 3000, "in the last bucket, the longest time is the bound");
	is(&some, 100, 3000, "all calls took the longest time at most");
	is(&quick, 99, 1, "calls of a nanosecond took that at most");
	is(&longest, 50, ~0ull, "the last bucket has no end");
	is(&unmaxed, 99, 64, "a call that is not yet the longest one counts by its bucket");
	is(&unsorted, 99, 20, "a hit that is in no bucket yet is left out");
	is(&unsorted, 100, 20, "also if all are wanted");
	is(&later, 99, 32, "a longer call that is not among these changes nothing");
	return ktap_finish();
}
