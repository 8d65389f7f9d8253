/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event with fields of all kinds, and a record of it, for tests of filters.
 */
#ifndef _TESTS_FILTER_EVENT_H
#define _TESTS_FILTER_EVENT_H

#include <linux/kernel.h>

#include "trace/parse/filter.h"
#include "trace/parse/parse.h"

#define FILTER_EVENT \
	"p:e /b:1 u8=%di:u8 s8=%di:s8 u64=%di:u64 s64=%di:s64 x32=%di:x32 " \
	"c=%di:char s=+0(%di):string bad=+0(%di):string a=+0(%di):s16[3] " \
	"ss=+0(%di):string[2] comm2=$comm f32=%xmm0:f32 f64=%xmm0:f64 nan=%xmm0:f64 " \
	"gone=+0(%di):u32 fgone=+0(%di):f64 agone=+0(%di):u8[2]"

#define FILTER_RECORD_MAX 512

/* The numbers that make_record() stores in the arguments. */
#define FILTER_U8	200
#define FILTER_S8	(-56)
#define FILTER_U64	0xfedcba9876543210ULL
#define FILTER_S64	(-5000000000LL)
#define FILTER_X32	0x80000001U
#define FILTER_F32	0.1f
#define FILTER_F64	-2.5e300
#define FILTER_PID	4321
#define FILTER_CPU	3

static struct tracer_def *make_event(void)
{
	struct tracer_diag diag;
	struct tracer_def *def = tracer_def_parse(FILTER_EVENT,
						  strlen(FILTER_EVENT), &diag);

	if (IS_ERR(def))
		abort();
	return def;
}

static void put_number(const struct tracer_def *def, u8 *entry,
		       unsigned int arg, u64 value)
{
	memcpy(entry + tracer_args_offset(def) + def->args[arg].offset, &value,
	       def->args[arg].type->size);
}

static size_t put_string(const struct tracer_def *def, u8 *entry, size_t used,
			 unsigned int arg, unsigned int element, const char *s)
{
	u32 loc = tracer_string_loc(strlen(s) + 1, used);

	memcpy(entry + tracer_args_offset(def) + def->args[arg].offset +
	       element * sizeof(loc), &loc, sizeof(loc));
	memcpy(entry + used, s, strlen(s) + 1);
	return used + strlen(s) + 1;
}

static size_t make_record(const struct tracer_def *def,
			  struct tracer_record *record)
{
	static const s16 elements[] = { -1, 0, 300 };
	const double f64 = FILTER_F64, nan = __builtin_nan("");
	const float f32 = FILTER_F32;
	u64 bits = 0;
	u8 *entry = (u8 *)record + offsetof(struct tracer_record, entry);
	size_t used = tracer_strings_offset(def);

	memset(record, 0, FILTER_RECORD_MAX);
	strcpy(record->comm, "some comm");
	record->tgid = FILTER_PID - 1;
	record->entry.type = 7;
	record->entry.flags = 1;
	record->entry.preempt_count = 2;
	record->entry.pid = FILTER_PID;
	record->entry.ip = 0x401000;
	put_number(def, entry, 0, FILTER_U8);
	put_number(def, entry, 1, FILTER_S8);
	put_number(def, entry, 2, FILTER_U64);
	put_number(def, entry, 3, FILTER_S64);
	put_number(def, entry, 4, FILTER_X32);
	put_number(def, entry, 5, 'x');
	used = put_string(def, entry, used, 6, 0, "a string, with \"quotes\"");
	memcpy(entry + tracer_args_offset(def) + def->args[8].offset, elements,
	       sizeof(elements));
	used = put_string(def, entry, used, 9, 0, "first");
	used = put_string(def, entry, used, 9, 1, "");
	used = put_string(def, entry, used, 10, 0, "some comm");
	memcpy(&bits, &f32, sizeof(f32));
	put_number(def, entry, 11, bits);
	memcpy(&bits, &f64, sizeof(f64));
	put_number(def, entry, 12, bits);
	memcpy(&bits, &nan, sizeof(nan));
	put_number(def, entry, 13, bits);
	/* Mark the last three arguments as faults. */
	for (unsigned int i = 14; i < 17; i++)
		entry[tracer_faults_offset(def) + i / 8] |= 1 << i % 8;
	return offsetof(struct tracer_record, entry) + used;
}

#endif /* _TESTS_FILTER_EVENT_H */
