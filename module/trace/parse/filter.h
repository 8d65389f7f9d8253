/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event filters: the language of tracefs, for the fields of a record.
 *
 *	EXPR	TERM { "&&" TERM } { "||" ... }		&& binds tighter
 *	TERM	"!" TERM | "(" EXPR ")" | FIELD OP VALUE
 *	FIELD	an argument, ARRAY[N], common_pid and the like, comm, cpu,
 *		pid (of the process), tid
 *	OP	== != < <= > >= &; for strings == != ~
 *	VALUE	a number, or for strings "text" or 'text'; for ~ a pattern with
 *		* ? [abc] and \
 *
 * A comparison with a number that could not be read is false.
 *
 * A filter is compiled once, into steps that run in order and never go back.
 * A comparison sets the outcome.  A jump skips the steps that cannot change the outcome.
 */
#ifndef _TRACER_FILTER_H
#define _TRACER_FILTER_H

#include <linux/types.h>

#include "record.h"

struct pid_namespace;

#define TRACER_FILTER_MAX	4095	/* characters of a filter */
#define TRACER_FILTER_TEXT_MAX	255	/* characters of a string in it */
#define TRACER_FILTER_DEPTH	128	/* open parentheses and operators */

/**
 * enum tracer_filter_op - what a step does
 * @TRACER_FILTER_EQ: the field is equal to the value
 * @TRACER_FILTER_NE: the field is not equal to the value
 * @TRACER_FILTER_LT: the field is less than the value
 * @TRACER_FILTER_LE: the field is less than the value, or equal to it
 * @TRACER_FILTER_GT: the field is greater than the value
 * @TRACER_FILTER_GE: the field is greater than the value, or equal to it
 * @TRACER_FILTER_BITS: the field and the value have a bit in common
 * @TRACER_FILTER_GLOB: the string matches the pattern
 * @TRACER_FILTER_NOT: invert the outcome
 * @TRACER_FILTER_IF_FALSE: go to step @to if the outcome so far is false
 * @TRACER_FILTER_IF_TRUE: go to step @to if the outcome so far is true
 */
enum tracer_filter_op {
	TRACER_FILTER_EQ,
	TRACER_FILTER_NE,
	TRACER_FILTER_LT,
	TRACER_FILTER_LE,
	TRACER_FILTER_GT,
	TRACER_FILTER_GE,
	TRACER_FILTER_BITS,
	TRACER_FILTER_GLOB,
	TRACER_FILTER_NOT,
	TRACER_FILTER_IF_FALSE,
	TRACER_FILTER_IF_TRUE,
};

/**
 * enum tracer_filter_source - where a field's value is
 * @TRACER_FILTER_NUMBER: @size bytes at @offset of the entry
 * @TRACER_FILTER_STRING: a string whose descriptor is at @offset of the entry
 * @TRACER_FILTER_COMM: the thread's name
 * @TRACER_FILTER_CPU: the CPU
 * @TRACER_FILTER_FLOAT: like @TRACER_FILTER_NUMBER, but a floating-point number
 * @TRACER_FILTER_TGID: the process's id
 */
enum tracer_filter_source {
	TRACER_FILTER_NUMBER,
	TRACER_FILTER_STRING,
	TRACER_FILTER_COMM,
	TRACER_FILTER_CPU,
	TRACER_FILTER_FLOAT,
	TRACER_FILTER_TGID,
};

/**
 * struct tracer_filter_step - a step
 * @op: what it does
 * @source: of a comparison: where the field's value is
 * @size: bytes of a number
 * @is_signed: the number is signed
 * @offset: place of the value, counted from the entry of the record
 * @to: of a jump: the next step
 * @fault: the byte, counted from the entry, with the bit that is set if the number could
 *	not be read
 * @fault_bit: the bit; 0 if there is none
 * @value: the number to compare with
 * @text: the string to compare with, in the filter's text
 * @len: length of @text
 */
struct tracer_filter_step {
	u8 op;
	u8 source;
	u8 size;
	bool is_signed;
	u16 offset;
	u16 to;
	u16 fault;
	u8 fault_bit;
	u64 value;
	const char *text;
	size_t len;
};

/**
 * struct tracer_filter - a filter, compiled
 * @text: as it was written
 * @ns: pid and tid are numbers of this pid namespace; NULL for the numbers in records
 * @nsteps: number of @steps
 * @steps: the steps
 */
struct tracer_filter {
	char *text;
	struct pid_namespace *ns;
	unsigned int nsteps;
	struct tracer_filter_step steps[];
};

struct tracer_filter *tracer_filter_parse(const struct tracer_def *def,
					  const char *text, size_t len,
					  struct tracer_diag *diag);
void tracer_filter_free(struct tracer_filter *filter);

#endif /* _TRACER_FILTER_H */
