// SPDX-License-Identifier: GPL-2.0
/*
 * The parser and compiler of a fetch argument: [NAME=]FETCH[:TYPE].
 *
 *	FETCH	see argument_fetch.c
 *	TYPE	(u|s|x)(8|16|32|64) | f32 | f64 | char | bW@O/S | STRING, or TYPE[N],
 *		an array; STRING(FETCH[:TYPE]), a string whose length is fetched
 *	STRING	string | ustring | string16 | string32
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "argument.h"
#include "argument_fetch.h"
#include "type.h"
#include "trace/lib/name.h"

/* Names of the fields that every record has. */
static const char * const reserved_names[] = {
	"common_type", "common_flags", "common_preempt_count", "common_pid",
	"common_tgid", "__probe_ip", "__probe_ret_ip", "__probe_func",
};

/* Report an error at @where in the line. */
static int fail_word(struct tracer_def *def, const char *where,
		     struct tracer_diag *diag, enum tracer_err err)
{
	diag->err = err;
	diag->column = where - def->text;
	return -EINVAL;
}

/* Compile bWIDTH@OFFSET/SIZE to the unsigned type of that size and two shifts. */
static int parse_bitfield(struct parse *p, char *s)
{
	char *at = strchr(s, '@'), *slash = strchr(s, '/'), name[8];
	unsigned int width, offset, size;

	if (!at || !slash || slash < at)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_BITFIELD);
	*at = '\0';
	*slash = '\0';
	if (kstrtouint(s + 1, 0, &width) || kstrtouint(at + 1, 0, &offset) ||
	    kstrtouint(slash + 1, 0, &size))
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_BITFIELD);
	if (size > 64 || !width || width > size || offset > size - width)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_BITFIELD);
	snprintf(name, sizeof(name), "u%u", size);
	p->arg->type = tracer_type_find(name);
	if (!p->arg->type)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_BITFIELD);
	p->arg->lshift = size - width - offset;
	p->arg->rshift = size - width;
	return 0;
}

static int parse_array(struct parse *p, char *s)
{
	char *close = strchr(s, ']');
	unsigned int count;

	if (!close)
		return tracer_arg_fail(p, s + strlen(s), TRACER_ERR_ARRAY_NO_CLOSE);
	if (close[1])
		return tracer_arg_fail(p, close + 1, TRACER_ERR_BAD_ARRAY_SUFFIX);
	*close = '\0';
	if (kstrtouint(s, 0, &count) || !count)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_ARRAY_NUM);
	if (count > TRACER_ARRAY_MAX)
		return tracer_arg_fail(p, s, TRACER_ERR_ARRAY_TOO_BIG);
	p->arg->count = count;
	return 0;
}

static int parse_body(struct parse *p);

static int keep_insns(struct parse *p)
{
	struct tracer_arg *arg = p->arg;

	if (p->ninsns) {
		arg->insns = kmemdup(p->insns, p->ninsns * sizeof(p->insns[0]),
				     GFP_KERNEL);
		if (!arg->insns) {
			p->diag->err = TRACER_ERR_NO_MEMORY;
			return -ENOMEM;
		}
	}
	arg->ninsns = p->ninsns;
	return 0;
}

static bool is_number(const struct tracer_arg *arg)
{
	switch (arg->type->print) {
	case TRACER_PRINT_UNSIGNED:
	case TRACER_PRINT_SIGNED:
	case TRACER_PRINT_HEX:
		return !arg->count && arg->store <= TRACER_STORE_MEM;
	default:
		return false;
	}
}

/* Parse FETCH[:TYPE] at @s, the length of the string that @p describes. */
static int parse_length_body(struct parse *p, char *s)
{
	struct parse *length = kzalloc(sizeof(*length), GFP_KERNEL);
	int ret;

	if (!length) {
		p->diag->err = TRACER_ERR_NO_MEMORY;
		return -ENOMEM;
	}
	length->def = p->def;
	length->arg = p->arg->length;
	length->diag = p->diag;
	length->is_length = true;
	length->column = p->column + (s - p->buf);
	strcpy(length->buf, s);
	ret = *s ? parse_body(length) : tracer_arg_fail(p, s, TRACER_ERR_BAD_LENGTH);
	if (!ret && !is_number(p->arg->length))
		ret = tracer_arg_fail(p, s, TRACER_ERR_BAD_LENGTH);
	if (!ret)
		ret = keep_insns(length);
	kfree(length);
	return ret;
}

/* Parse "(FETCH[:TYPE])" at @s, behind the name of a type.  Cut the name off at @s. */
static int parse_length(struct parse *p, char *s)
{
	size_t len = strlen(s);

	if (s[len - 1] != ')' || p->is_length)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_LENGTH);
	s[len - 1] = '\0';
	*s = '\0';
	p->arg->length = kzalloc(sizeof(*p->arg->length), GFP_KERNEL);
	if (!p->arg->length) {
		p->diag->err = TRACER_ERR_NO_MEMORY;
		return -ENOMEM;
	}
	return parse_length_body(p, s + 1);
}

/* Parse the type @s; NULL if the argument names none. */
static int parse_type(struct parse *p, char *s)
{
	char *open;
	int ret;

	if (!s) {
		p->arg->type = tracer_type_find("x64");
		return 0;
	}
	open = strchr(s, '(');
	if (open) {
		ret = parse_length(p, open);
		if (ret)
			return ret;
	}
	open = strchr(s, '[');
	if (open && p->arg->length)
		return tracer_arg_fail(p, open, TRACER_ERR_BAD_LENGTH);
	if (open) {
		*open = '\0';
		ret = parse_array(p, open + 1);
		if (ret)
			return ret;
	}
	if (s[0] == 'b' && isdigit(s[1]))
		return parse_bitfield(p, s);
	p->arg->type = tracer_type_find(s);
	if (!p->arg->type)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_TYPE);
	if (p->arg->length && !p->arg->type->unit)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_LENGTH);
	return 0;
}

/*
 * Make the last step of fetching match the type: strings are stored in another way.
 * @type is the same as in parse_type().
 */
static int settle_store(struct parse *p, char *type)
{
	struct tracer_arg *arg = p->arg;
	bool string = arg->type->print == TRACER_PRINT_STRING;
	char *where = type ?: p->buf;

	switch (arg->store) {
	case TRACER_STORE_COMM:
	case TRACER_STORE_TEXT:
		if (!type)
			arg->type = tracer_type_find("string");
		else if (arg->type->unit != 1 || arg->count || arg->length)
			return tracer_arg_fail(p, where, TRACER_ERR_NEED_STRING_TYPE);
		break;
	case TRACER_STORE_MEM:
		if (string)
			arg->store = TRACER_STORE_STRING;
		break;
	default:
		if (arg->count)
			return tracer_arg_fail(p, where, TRACER_ERR_BAD_STRING);
		if (!string)
			break;
		/* An immediate can be the address of a string; a register needs a dereference. */
		if (p->ninsns != 1 || p->insns[0].op != TRACER_OP_IMM)
			return tracer_arg_fail(p, where, TRACER_ERR_BAD_STRING);
		arg->store = TRACER_STORE_STRING;
		break;
	}
	return 0;
}

/* Cut the type off the fetch, and return the type; NULL if there is none. */
static char *split_type(char *body)
{
	char *s = body;

	if (s[0] == '\\' && s[1] == '"') {
		s = strchr(s + 2, '"');
		if (!s)
			return NULL;
		s++;
		if (*s != ':')
			return NULL;
	} else {
		s = strchr(s, ':');
		if (!s)
			return NULL;
	}
	*s = '\0';
	return s + 1;
}

static int parse_body(struct parse *p)
{
	char *type = split_type(p->buf);
	int ret;

	ret = parse_type(p, type);
	if (ret)
		return ret;
	ret = tracer_fetch_parse(p, p->buf);
	if (ret)
		return ret;
	return settle_store(p, type);
}

static int parse_arg_name(struct tracer_def *def, char *word, char *equals,
			  struct tracer_diag *diag)
{
	struct tracer_arg *arg = &def->args[def->nargs];
	unsigned int i;

	if (!equals) {
		snprintf(arg->name, sizeof(arg->name), "arg%u", def->nargs + 1);
	} else {
		if (equals == word)
			return fail_word(def, word, diag, TRACER_ERR_NO_ARG_NAME);
		if (equals - word > TRACER_ARG_NAME_MAX)
			return fail_word(def, word, diag,
					 TRACER_ERR_ARG_NAME_TOO_LONG);
		memcpy(arg->name, word, equals - word);
		arg->name[equals - word] = '\0';
	}

	if (!tracer_name_is_good(arg->name))
		return fail_word(def, word, diag, TRACER_ERR_BAD_ARG_NAME);
	for (i = 0; i < ARRAY_SIZE(reserved_names); i++) {
		if (!strcmp(arg->name, reserved_names[i]))
			return fail_word(def, word, diag,
					 TRACER_ERR_USED_ARG_NAME);
	}
	for (i = 0; i < def->nargs; i++) {
		if (!strcmp(arg->name, def->args[i].name))
			return fail_word(def, word, diag,
					 TRACER_ERR_USED_ARG_NAME);
	}
	return 0;
}

/* Assign the place of the argument in the record, and keep its steps. */
static int finish(struct parse *p, char *word)
{
	struct tracer_arg *arg = p->arg;
	unsigned int size = arg->type->size * max_t(unsigned int, arg->count, 1);

	if (p->def->args_size + size > TRACER_FIXED_MAX)
		return fail_word(p->def, word, p->diag, TRACER_ERR_EVENT_TOO_BIG);
	arg->offset = p->def->args_size;
	p->def->args_size += size;
	return keep_insns(p);
}

/**
 * tracer_arg_parse() - compile one argument and append it to its definition
 * @def: the definition, with room for one more argument
 * @word: the argument, a word of @def->text
 * @diag: filled in if this function fails
 *
 * Context: may sleep.
 * Return: 0, -EINVAL with @diag filled in, or -ENOMEM.
 */
int tracer_arg_parse(struct tracer_def *def, char *word, struct tracer_diag *diag)
{
	char *equals = word[0] == '\\' ? NULL : strchr(word, '=');
	struct tracer_arg *arg = &def->args[def->nargs];
	struct parse *p;
	int ret;

	ret = parse_arg_name(def, word, equals, diag);
	if (ret)
		return ret;

	arg->column = word - def->text;
	arg->body = equals ? equals + 1 : word;
	if (!*arg->body)
		return fail_word(def, arg->body, diag, TRACER_ERR_NO_ARG_BODY);
	if (strlen(arg->body) > TRACER_ARG_MAX)
		return fail_word(def, arg->body, diag, TRACER_ERR_ARG_TOO_LONG);

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p) {
		diag->err = TRACER_ERR_NO_MEMORY;
		return -ENOMEM;
	}
	p->def = def;
	p->arg = arg;
	p->diag = diag;
	p->column = arg->body - def->text;
	strcpy(p->buf, arg->body);

	ret = parse_body(p);
	if (!ret)
		ret = finish(p, word);
	kfree(p);
	if (ret) {
		tracer_arg_free(arg);
		return ret;
	}
	def->nargs++;
	return 0;
}

/**
 * tracer_arg_free() - free what an argument owns
 * @arg: the argument
 */
void tracer_arg_free(struct tracer_arg *arg)
{
	kfree(arg->insns);
	kfree(arg->text);
	/* The recursion ends here: a length has no length of its own. */
	if (arg->length)
		tracer_arg_free(arg->length);
	kfree(arg->length);
	arg->insns = NULL;
	arg->text = NULL;
	arg->length = NULL;
}

/**
 * tracer_arg_reads_memory() - check whether an argument reads user memory
 * @arg: the argument
 *
 * Return: false if the argument needs only registers, the task's name and constants.
 */
bool tracer_arg_reads_memory(const struct tracer_arg *arg)
{
	unsigned int i;

	if (tracer_arg_in_memory(arg))
		return true;
	for (i = 0; i < arg->ninsns; i++) {
		if (arg->insns[i].op == TRACER_OP_DEREF || arg->insns[i].op == TRACER_OP_STACK)
			return true;
	}
	return false;
}
