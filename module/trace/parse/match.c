// SPDX-License-Identifier: GPL-2.0
/*
 * Run event filters on a record, in any context.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "match.h"
#include "trace/lib/decimal.h"
#include "filter.h"
#include "trace/lib/words.h"

/*
 * Check whether @c matches the set that starts behind a '['.  @limit is the place behind
 * the last ']' of the pattern.  Set *@end to the place behind the ']' of the set.
 */
static bool match_set(const char *set, const char *limit, char c,
		      const char **end)
{
	const char *s = set;
	bool inverted, found = false;

	inverted = s < limit && *s == '!';
	s += inverted;
	if (limit - s < 2) {
		/* If no ']' follows a first character, the '[' stands for itself. */
		*end = set;
		return c == '[';
	}
	do {
		char from, to;

		from = *s++;
		to = from;
		if (limit - s >= 2 && s[0] == '-' && s[1] != ']') {
			to = s[1];
			s += 2;
		}
		if ((u8)c >= (u8)from && (u8)c <= (u8)to)
			found = true;
	} while (*s != ']');
	*end = s + 1;
	return found != inverted;
}

/**
 * tracer_glob_match() - match a string against a pattern
 * @pattern: with *, ?, [set], [!set]; a backslash before a character makes it literal
 * @plen: its length
 * @s: the string
 * @len: its length
 *
 * Backtrack only to the last '*'.  That is enough, and it bounds the time by the product
 * of the lengths.
 */
static bool tracer_glob_match(const char *pattern, size_t plen, const char *s, size_t len)
{
	const char *p = pattern, *pend = pattern + plen, *end = s + len;
	const char *star = NULL, *retry = NULL, *next, *sets_end = pend;
	bool same;

	while (sets_end > pattern && sets_end[-1] != ']')
		sets_end--;
	while (s < end) {
		if (p < pend && *p == '*') {
			star = ++p;
			retry = s;
			continue;
		}
		same = false;
		next = p + 1;
		if (p < pend) {
			switch (*p) {
			case '?':
				same = true;
				break;
			case '[':
				same = match_set(p + 1, sets_end, *s, &next);
				break;
			case '\\':
				if (next < pend)
					next++;
				same = next[-1] == *s;
				break;
			default:
				same = *p == *s;
				break;
			}
		}
		if (same) {
			p = next;
			s++;
		} else if (star) {
			p = star;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (p < pend && *p == '*')
		p++;
	return p == pend;
}

/**
 * struct view - the record that a filter runs on
 * @record: the record
 * @entry: its entry, as bytes
 * @size: bytes of the entry
 * @cpu: the CPU
 */
struct view {
	const struct tracer_record *record;
	const u8 *entry;
	size_t size;
	int cpu;
};

static bool compare_signed(u8 op, s64 a, s64 b)
{
	switch (op) {
	case TRACER_FILTER_EQ:
		return a == b;
	case TRACER_FILTER_NE:
		return a != b;
	case TRACER_FILTER_LT:
		return a < b;
	case TRACER_FILTER_LE:
		return a <= b;
	case TRACER_FILTER_GT:
		return a > b;
	case TRACER_FILTER_GE:
		return a >= b;
	case TRACER_FILTER_BITS:
		return a & b;
	default:
		return false;
	}
}

static bool compare_unsigned(u8 op, u64 a, u64 b)
{
	/* With the highest bit flipped, unsigned numbers have the order of signed ones. */
	const u64 flip = op == TRACER_FILTER_BITS ? 0 : 1ULL << 63;

	return compare_signed(op, a ^ flip, b ^ flip);
}

static __always_inline bool match_integer(const struct tracer_filter_step *step, const u8 *entry)
{
	u64 value = tracer_load(entry + step->offset, step->size);
	unsigned int unused = 64 - step->size * 8;

	if (entry[step->fault] & step->fault_bit)
		return false;
	if (step->op == TRACER_FILTER_EQ && step->size == sizeof(value))
		return value == step->value;
	if (!step->is_signed)
		return compare_unsigned(step->op, value, step->value);
	return compare_signed(step->op, (s64)(value << unused) >> unused, step->value);
}

static bool match_number(const struct tracer_filter_step *step, const struct view *v)
{
	u64 value;
	s64 order;

	if (step->source == TRACER_FILTER_CPU)
		return compare_signed(step->op, v->cpu, step->value);
	if (step->source == TRACER_FILTER_TGID)
		return compare_signed(step->op, v->record->tgid, step->value);
	if (step->source != TRACER_FILTER_FLOAT)
		return match_integer(step, v->entry);
	if (v->entry[step->fault] & step->fault_bit)
		return false;
	value = tracer_load(v->entry + step->offset, step->size);
	return tracer_decimal_order(value, step->size, &order) ?
	       compare_signed(step->op, order, step->value) : step->op == TRACER_FILTER_NE;
}

/* Find the text of a string field.  A string that could not be read is "(fault)". */
static const char *find_text(const struct tracer_filter_step *step,
			     const struct view *v, size_t *len)
{
	u32 loc, offset, size;
	const char *s;

	if (step->source == TRACER_FILTER_COMM) {
		*len = strnlen(v->record->comm, sizeof(v->record->comm));
		return v->record->comm;
	}
	memcpy(&loc, v->entry + step->offset, sizeof(loc));
	offset = loc & 0xffff;
	size = loc >> 16;
	if (!loc || offset > v->size || size > v->size - offset) {
		*len = strlen("(fault)");
		return "(fault)";
	}
	s = (const char *)v->entry + offset;
	*len = strnlen(s, size);
	return s;
}

static bool match_text(const struct tracer_filter_step *step,
		       const struct view *v)
{
	size_t len;
	const char *s = find_text(step, v, &len);
	bool same;

	if (step->op == TRACER_FILTER_GLOB)
		return tracer_glob_match(step->text, step->len, s, len);
	same = len == step->len && !memcmp(s, step->text, len);
	return same == (step->op == TRACER_FILTER_EQ);
}

static bool match_steps(const struct tracer_filter *filter,
			const struct tracer_record *record, size_t len, int cpu)
{
	const struct tracer_filter_step *step;
	struct view v = {
		.record = record,
		.entry = (const u8 *)record +
			 offsetof(struct tracer_record, entry),
		.size = len - offsetof(struct tracer_record, entry),
		.cpu = cpu,
	};
	bool outcome = true;
	unsigned int i = 0;

	while (i < filter->nsteps) {
		step = &filter->steps[i++];
		switch (step->op) {
		case TRACER_FILTER_NOT:
			outcome = !outcome;
			break;
		case TRACER_FILTER_IF_FALSE:
			if (!outcome)
				i = step->to;
			break;
		case TRACER_FILTER_IF_TRUE:
			if (outcome)
				i = step->to;
			break;
		default:
			outcome = step->source == TRACER_FILTER_STRING ||
				  step->source == TRACER_FILTER_COMM ?
				  match_text(step, &v) : match_number(step, &v);
			break;
		}
	}
	return outcome;
}

/**
 * tracer_filter_match() - check whether a record passes a filter
 * @filter: the filter
 * @record: a record of the event that it was compiled for
 * @len: length of the record
 * @cpu: the CPU of the hit
 *
 * Context: any.
 */
bool tracer_filter_match(const struct tracer_filter *filter,
			 const struct tracer_record *record, size_t len,
			 int cpu)
{
	const struct tracer_filter_step *step = filter->steps;

	/* By far the most usual filter.  A hit that it rejects costs only this comparison. */
	if (filter->nsteps == 1 && step->source == TRACER_FILTER_NUMBER)
		return match_integer(step, (const u8 *)record +
				     offsetof(struct tracer_record, entry));
	return match_steps(filter, record, len, cpu);
}
