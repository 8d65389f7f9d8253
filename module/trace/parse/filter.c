// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of event filters.  filter.h describes the language.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "trace/lib/decimal.h"
#include "filter.h"
#include "trace/lib/space.h"

/**
 * enum open - elements that wait for their end; the tightest binding first
 * @OPEN_PAREN: a parenthesis, for the closing one
 * @OPEN_NOT: a negation, for its term
 * @OPEN_AND: an &&, for its right side
 * @OPEN_OR: an ||, for its right side
 */
enum open {
	OPEN_PAREN,
	OPEN_NOT,
	OPEN_AND,
	OPEN_OR,
};

/**
 * struct parse - a filter that is being compiled
 * @def: definition of the event
 * @filter: the result
 * @diag: what is wrong with the filter
 * @depth: entries of @stack in use
 * @stack: the open elements: the kind of each, its place in the text, and for
 *	operators, the jump to the end of their right side
 */
struct parse {
	const struct tracer_def *def;
	struct tracer_filter *filter;
	struct tracer_diag *diag;
	unsigned int depth;
	struct {
		u8 what;
		u16 column;
		u16 jump;
	} stack[TRACER_FILTER_DEPTH];
};

/* Fields that every event has; only return probes have __probe_ret_ip. */
static const struct {
	const char *name;
	u8 size;
	bool is_signed;
	u16 offset;
} common_fields[] = {
	{ "common_type", 2, false, offsetof(struct tracer_entry, type) },
	{ "common_flags", 1, false, offsetof(struct tracer_entry, flags) },
	{ "common_preempt_count", 1, false,
	  offsetof(struct tracer_entry, preempt_count) },
	{ "common_pid", 4, true, offsetof(struct tracer_entry, pid) },
	{ "tid", 4, true, offsetof(struct tracer_entry, pid) },
	{ "__probe_ip", 8, false, offsetof(struct tracer_entry, ip) },
	{ "__probe_func", 8, false, offsetof(struct tracer_entry, ip) },
	{ "__probe_ret_ip", 8, false, sizeof(struct tracer_entry) },
};

/* The longest come first: "<" must not match the beginning of "<=". */
static const struct {
	const char *text;
	u8 op;
} operators[] = {
	{ "==", TRACER_FILTER_EQ },
	{ "!=", TRACER_FILTER_NE },
	{ "<=", TRACER_FILTER_LE },
	{ ">=", TRACER_FILTER_GE },
	{ "<", TRACER_FILTER_LT },
	{ ">", TRACER_FILTER_GT },
	{ "&", TRACER_FILTER_BITS },
	{ "~", TRACER_FILTER_GLOB },
};

static int fail(struct parse *p, const char *where, enum tracer_err err)
{
	p->diag->err = err;
	p->diag->column = where - p->filter->text;
	return -EINVAL;
}

static bool in_word(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

static struct tracer_filter_step *emit(struct parse *p, u8 op)
{
	struct tracer_filter_step *step = &p->filter->steps[p->filter->nsteps++];

	step->op = op;
	return step;
}

static bool word_is(const char *word, size_t len, const char *name)
{
	return len == strlen(name) && !memcmp(word, name, len);
}

static int use_arg(struct parse *p, const struct tracer_arg *arg, const char *s,
		   const char **end, struct tracer_filter_step *step)
{
	unsigned int n = 0, index = arg - p->def->args;
	const char *number;

	if (*s == '[') {
		number = ++s;
		for (; isdigit(*s) && n < TRACER_ARRAY_MAX; s++)
			n = n * 10 + (*s - '0');
		if (s == number || n >= arg->count || *s != ']')
			return fail(p, number, TRACER_ERR_FILTER_NO_ELEMENT);
		s++;
	} else if (arg->count) {
		return fail(p, s, TRACER_ERR_FILTER_NO_ELEMENT);
	}
	*end = s;
	if (arg->type->print == TRACER_PRINT_STRING)
		step->source = TRACER_FILTER_STRING;
	else if (arg->type->print == TRACER_PRINT_FLOAT)
		step->source = TRACER_FILTER_FLOAT;
	else
		step->source = TRACER_FILTER_NUMBER;
	step->fault = tracer_faults_offset(p->def) + index / 8;
	step->fault_bit = 1 << index % 8;
	step->size = arg->type->size;
	step->is_signed = arg->type->is_signed;
	step->offset = tracer_args_offset(p->def) + arg->offset +
		       n * arg->type->size;
	return 0;
}

/* Parse the field at *@s, and move *@s behind it. */
static int parse_field(struct parse *p, const char **s,
		       struct tracer_filter_step *step)
{
	const char *word = *s;
	unsigned int i;
	size_t len = 0;

	while (in_word(word[len]))
		len++;
	*s = word + len;

	for (i = 0; i < p->def->nargs; i++) {
		if (word_is(word, len, p->def->args[i].name))
			return use_arg(p, &p->def->args[i], *s, s, step);
	}
	for (i = 0; i < ARRAY_SIZE(common_fields); i++) {
		if (!word_is(word, len, common_fields[i].name))
			continue;
		if (!strcmp(common_fields[i].name, p->def->kind == TRACER_RETURN ?
			    "__probe_ip" : "__probe_func"))
			continue;
		if (common_fields[i].offset >= tracer_args_offset(p->def))
			continue;
		step->source = TRACER_FILTER_NUMBER;
		step->size = common_fields[i].size;
		step->is_signed = common_fields[i].is_signed;
		step->offset = common_fields[i].offset;
		return 0;
	}
	if (word_is(word, len, "comm") || word_is(word, len, "COMM")) {
		step->source = TRACER_FILTER_COMM;
		return 0;
	}
	if (word_is(word, len, "cpu") || word_is(word, len, "CPU")) {
		step->source = TRACER_FILTER_CPU;
		step->is_signed = true;
		return 0;
	}
	if (word_is(word, len, "pid")) {
		step->source = TRACER_FILTER_TGID;
		step->is_signed = true;
		return 0;
	}
	/* Like tracefs, report the column one behind the name, even at the end of the line. */
	return fail(p, *s + !!len, TRACER_ERR_FILTER_FIELD_NOT_FOUND);
}

static int parse_operator(struct parse *p, const char **s,
			  struct tracer_filter_step *step)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(*s, operators[i].text, len))
			continue;
		/* "&&" is not a comparison: an operator is missing before it. */
		if (operators[i].op == TRACER_FILTER_BITS && (*s)[1] == '&')
			break;
		step->op = operators[i].op;
		*s += len;
		return 0;
	}
	return fail(p, *s, TRACER_ERR_FILTER_INVALID_OP);
}

static bool is_text(const struct tracer_filter_step *step)
{
	return step->source == TRACER_FILTER_STRING ||
	       step->source == TRACER_FILTER_COMM;
}

static int parse_text(struct parse *p, const char **s,
		      struct tracer_filter_step *step)
{
	char quote = **s;
	const char *start = *s + 1, *end = strchr(start, quote);

	if (!end)
		return fail(p, *s, TRACER_ERR_FILTER_MISSING_QUOTE);
	if (!is_text(step))
		return fail(p, *s, TRACER_ERR_FILTER_EXPECT_DIGIT);
	if (end - start > TRACER_FILTER_TEXT_MAX)
		return fail(p, *s, TRACER_ERR_FILTER_OPERAND_TOO_LONG);
	step->text = start;
	step->len = end - start;
	*s = end + 1;
	return 0;
}

static int parse_number(struct parse *p, const char **s,
			struct tracer_filter_step *step)
{
	bool negative = **s == '-';
	unsigned long long value;
	const char *start = *s;
	char digits[24];
	size_t len = 0;

	if (is_text(step))
		return fail(p, start, TRACER_ERR_FILTER_EXPECT_STRING);
	*s += negative;
	while (isascii((*s)[len]) && isalnum((*s)[len]))
		len++;
	if (len >= sizeof(digits))
		return fail(p, start, TRACER_ERR_FILTER_OPERAND_TOO_LONG);
	memcpy(digits, *s, len);
	digits[len] = '\0';
	*s += len;
	if (kstrtoull(digits, 0, &value) || (negative && !step->is_signed))
		return fail(p, start, TRACER_ERR_FILTER_ILLEGAL_INTVAL);
	if (step->is_signed && value > S64_MAX + (u64)negative)
		return fail(p, start, TRACER_ERR_FILTER_ILLEGAL_INTVAL);
	step->value = negative ? -value : value;
	return 0;
}

/* Round the value to the field's own precision, so that x == 0.1 can be true. */
static int parse_float(struct parse *p, const char **s,
		       struct tracer_filter_step *step)
{
	const char *start = *s, *end = start + (*start == '-');
	u64 bits;
	s64 order;

	while (isascii(*end) && (isalnum(*end) || *end == '.' ||
				 ((*end == '-' || *end == '+') &&
				  (end[-1] == 'e' || end[-1] == 'E'))))
		end++;
	if (tracer_decimal_parse(start, end - start, step->size, &bits))
		return fail(p, start, TRACER_ERR_FILTER_ILLEGAL_INTVAL);
	tracer_decimal_order(bits, step->size, &order);
	step->value = order;
	*s = end;
	return 0;
}

static int parse_value(struct parse *p, const char **s, const char *op,
		       struct tracer_filter_step *step)
{
	bool text_op = step->op == TRACER_FILTER_GLOB ||
		       step->op == TRACER_FILTER_EQ ||
		       step->op == TRACER_FILTER_NE;
	int ret;

	if (**s == '"' || **s == '\'')
		ret = parse_text(p, s, step);
	else if (step->source == TRACER_FILTER_FLOAT)
		ret = parse_float(p, s, step);
	else if (isdigit(**s) || (**s == '-' && isdigit((*s)[1])))
		ret = parse_number(p, s, step);
	else
		return fail(p, *s, TRACER_ERR_FILTER_INVALID_VALUE);
	if (ret)
		return ret;
	if (is_text(step) ? !text_op : step->op == TRACER_FILTER_GLOB)
		return fail(p, op, TRACER_ERR_FILTER_ILLEGAL_FIELD_OP);
	if (step->source == TRACER_FILTER_FLOAT && step->op == TRACER_FILTER_BITS)
		return fail(p, op, TRACER_ERR_FILTER_ILLEGAL_FIELD_OP);
	return 0;
}

static int parse_comparison(struct parse *p, const char **s)
{
	struct tracer_filter_step step = {};
	const char *op;
	int ret;

	ret = parse_field(p, s, &step);
	if (ret)
		return ret;
	*s = tracer_skip_space(*s);
	op = *s;
	ret = parse_operator(p, s, &step);
	if (ret)
		return ret;
	*s = tracer_skip_space(*s);
	ret = parse_value(p, s, op, &step);
	if (ret)
		return ret;
	*emit(p, step.op) = step;
	return 0;
}

static int push(struct parse *p, const char *where, enum open what)
{
	if (p->depth == TRACER_FILTER_DEPTH)
		return fail(p, where, TRACER_ERR_FILTER_TOO_MANY_PREDS);
	p->stack[p->depth].what = what;
	p->stack[p->depth].column = where - p->filter->text;
	if (what == OPEN_AND || what == OPEN_OR) {
		p->stack[p->depth].jump = p->filter->nsteps;
		emit(p, what == OPEN_AND ? TRACER_FILTER_IF_FALSE :
					   TRACER_FILTER_IF_TRUE);
	}
	p->depth++;
	return 0;
}

/* Close the open elements that bind at least as tightly as @loosest, up to a parenthesis. */
static void close_open(struct parse *p, enum open loosest)
{
	unsigned int what;

	while (p->depth) {
		what = p->stack[p->depth - 1].what;
		if (what == OPEN_PAREN || what > loosest)
			return;
		p->depth--;
		if (what == OPEN_NOT)
			emit(p, TRACER_FILTER_NOT);
		else
			p->filter->steps[p->stack[p->depth].jump].to =
				p->filter->nsteps;
	}
}

/* Parse the text behind a term: closing parentheses, then an operator or the end. */
static int parse_after_term(struct parse *p, const char **s, bool *more)
{
	for (;;) {
		close_open(p, OPEN_NOT);
		*s = tracer_skip_space(*s);
		*more = true;
		if (!strncmp(*s, "&&", 2)) {
			close_open(p, OPEN_AND);
			*s += 2;
			return push(p, *s - 2, OPEN_AND);
		}
		if (!strncmp(*s, "||", 2)) {
			close_open(p, OPEN_OR);
			*s += 2;
			return push(p, *s - 2, OPEN_OR);
		}
		if (**s != ')')
			break;
		close_open(p, OPEN_OR);
		if (!p->depth)
			return fail(p, *s, TRACER_ERR_FILTER_TOO_MANY_CLOSE);
		p->depth--;
		++*s;
	}
	if (**s)
		return fail(p, *s, TRACER_ERR_FILTER_INVALID_OP);

	*more = false;
	close_open(p, OPEN_OR);
	if (p->depth)
		return fail(p, p->filter->text + p->stack[p->depth - 1].column,
			    TRACER_ERR_FILTER_TOO_MANY_OPEN);
	return 0;
}

static int parse_filter(struct parse *p)
{
	const char *s = p->filter->text;
	bool more = true;
	int ret = 0;

	while (!ret && more) {
		s = tracer_skip_space(s);
		if (!*s)
			return fail(p, s, TRACER_ERR_FILTER_NO_FILTER);
		if (*s == '!') {
			ret = push(p, s++, OPEN_NOT);
		} else if (*s == '(') {
			ret = push(p, s++, OPEN_PAREN);
		} else {
			ret = parse_comparison(p, &s);
			if (!ret)
				ret = parse_after_term(p, &s, &more);
		}
	}
	return ret;
}

/*
 * Allocate a filter with a step for each character of its text.  That is enough: an
 * operator ("&&") has two characters for its jump, a negation has one, a comparison
 * at least three.
 */
static struct tracer_filter *filter_create(const char *text, size_t len)
{
	struct tracer_filter *filter;

	filter = kvzalloc(sizeof(*filter) + len * sizeof(filter->steps[0]),
			  GFP_KERNEL);
	if (!filter)
		return NULL;
	filter->text = kmalloc(len + 1, GFP_KERNEL);
	if (!filter->text) {
		kvfree(filter);
		return NULL;
	}
	memcpy(filter->text, text, len);
	filter->text[len] = '\0';
	return filter;
}

/**
 * tracer_filter_parse() - compile a filter
 * @def: a definition of the event
 * @text: the filter
 * @len: its length
 * @diag: filled in if this function fails
 *
 * Context: may sleep.
 * Return: the filter, to be freed with tracer_filter_free(), or an ERR_PTR:
 * -EINVAL with @diag filled in, or -ENOMEM.
 */
struct tracer_filter *tracer_filter_parse(const struct tracer_def *def,
					  const char *text, size_t len,
					  struct tracer_diag *diag)
{
	struct tracer_filter *filter = NULL;
	struct parse *p;
	int ret;

	diag->err = TRACER_ERR_NO_MEMORY;
	diag->column = 0;
	if (len > TRACER_FILTER_MAX) {
		diag->err = TRACER_ERR_FILTER_OPERAND_TOO_LONG;
		return ERR_PTR(-EINVAL);
	}
	if (memchr(text, '\0', len)) {
		diag->err = TRACER_ERR_BAD_CHAR;
		return ERR_PTR(-EINVAL);
	}

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (p)
		filter = filter_create(text, len);
	if (!filter) {
		kfree(p);
		return ERR_PTR(-ENOMEM);
	}
	p->def = def;
	p->filter = filter;
	p->diag = diag;
	ret = parse_filter(p);
	kfree(p);
	if (ret) {
		tracer_filter_free(filter);
		return ERR_PTR(ret);
	}
	diag->err = TRACER_ERR_NONE;
	return filter;
}

/**
 * tracer_filter_free() - free a filter
 * @filter: the filter, or NULL
 */
void tracer_filter_free(struct tracer_filter *filter)
{
	if (!filter)
		return;
	kfree(filter->text);
	kvfree(filter);
}
