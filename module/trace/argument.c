// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of a fetch argument: [NAME=]FETCH[:TYPE], and its compilation.
 *
 *	FETCH	%REG | $retval | $stack | $stackN | $comm | @ADDR | @+OFFSET |
 *		\IMM | \"TEXT" | (+|-)[u]OFF([FETCH][,%INDEX[,SCALE]])
 *	TYPE	(u|s|x)(8|16|32|64) | f32 | f64 | char | string | ustring | bW@O/S,
 *		or TYPE[N], an array of them
 *
 * The 'u' of a dereference changes nothing: all memory here is user memory.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "def.h"

/* Names that the records of an event use themselves. */
static const char * const reserved_names[] = {
	"common_type", "common_flags", "common_preempt_count", "common_pid",
	"common_tgid", "__probe_ip", "__probe_ret_ip", "__probe_func",
};

/**
 * struct deref - a dereference
 * @offset: what is added to the address
 * @index: a register that is added to it, too; or NULL
 * @scale: by which it is multiplied
 */
struct deref {
	s64 offset;
	const struct tracer_reg *index;
	unsigned int scale;
};

/**
 * struct parse - the argument being parsed
 * @def: the definition that it belongs to
 * @arg: what it becomes
 * @diag: what is wrong with it
 * @buf: a copy of its body, which the parser cuts up
 * @column: where the body starts in the line
 * @insns: the steps so far
 * @ninsns: their number
 * @derefs: the dereferences around the base, outermost first
 * @nderefs: their number
 */
struct parse {
	struct tracer_def *def;
	struct tracer_arg *arg;
	struct tracer_diag *diag;
	char buf[TRACER_ARG_MAX + 1];
	unsigned int column;
	struct tracer_insn insns[TRACER_INSNS_MAX];
	unsigned int ninsns;
	struct deref derefs[TRACER_INSNS_MAX];
	unsigned int nderefs;
};

static int fail(struct parse *p, const char *where, enum tracer_err err)
{
	p->diag->err = err;
	p->diag->column = p->column + (where - p->buf);
	return -EINVAL;
}

/* For what is wrong with the word before its body. */
static int fail_word(struct tracer_def *def, const char *where,
		     struct tracer_diag *diag, enum tracer_err err)
{
	diag->err = err;
	diag->column = where - def->text;
	return -EINVAL;
}

/* A number after its sign has been read: digits, octal or hexadecimal. */
static int parse_magnitude(const char *s, bool negative, s64 *value)
{
	unsigned long long u;

	if (!isdigit(*s) || kstrtoull(s, 0, &u))
		return -EINVAL;
	if (negative) {
		if (u > 1ULL << 63)
			return -EINVAL;
		u = -u;
	}
	*value = (s64)u;
	return 0;
}

static int emit(struct parse *p, const char *where, enum tracer_op op,
		s64 value)
{
	if (p->ninsns == TRACER_INSNS_MAX)
		return fail(p, where, TRACER_ERR_TOO_MANY_OPS);
	p->insns[p->ninsns++] = (struct tracer_insn){ .op = op, .value = value };
	return 0;
}

static int emit_reg(struct parse *p, const char *where, const char *name)
{
	const struct tracer_reg *reg = tracer_reg_find(name);
	unsigned int n;
	int ret;

	if (!strncmp(name, "xmm", 3) && isdigit(name[3]) &&
	    !kstrtouint(name + 3, 10, &n) && n < TRACER_XMM_REGS)
		return emit(p, where, TRACER_OP_XMM, n);
	if (!reg)
		return fail(p, where, TRACER_ERR_BAD_REG_NAME);
	ret = emit(p, where, TRACER_OP_REG, 0);
	if (ret)
		return ret;
	p->insns[p->ninsns - 1].size = reg->size;
	p->insns[p->ninsns - 1].offset = reg->offset;
	return 0;
}

static int parse_variable(struct parse *p, const char *s)
{
	const char *name = s + 1;
	unsigned int n;
	int ret;

	if (!strcmp(name, "retval")) {
		if (p->def->kind != TRACER_RETURN)
			return fail(p, s, TRACER_ERR_RETVAL_ON_PROBE);
		return emit_reg(p, s, "ax");
	}
	if (!strcmp(name, "comm")) {
		if (p->nderefs)
			return fail(p, s, TRACER_ERR_COMM_CANT_DEREF);
		p->arg->store = TRACER_STORE_COMM;
		return 0;
	}
	if (strncmp(name, "stack", 5))
		return fail(p, s, TRACER_ERR_BAD_VAR);
	name += 5;
	if (!*name)
		return emit(p, s, TRACER_OP_SP, 0);
	if (!isdigit(*name) || kstrtouint(name, 10, &n))
		return fail(p, s, TRACER_ERR_BAD_VAR);
	ret = emit(p, s, TRACER_OP_STACK, n);
	return ret ?: emit(p, s, TRACER_OP_DEREF, 0);
}

/* @ADDR and @+OFFSET say where memory is, so they imply a dereference. */
static int parse_memory(struct parse *p, const char *s)
{
	bool in_file = s[1] == '+';
	s64 value;

	if (parse_magnitude(s + (in_file ? 2 : 1), false, &value))
		return fail(p, s, in_file ? TRACER_ERR_BAD_FILE_OFFS :
					    TRACER_ERR_BAD_MEM_ADDR);
	if (in_file && value < 0)
		return fail(p, s, TRACER_ERR_BAD_FILE_OFFS);
	if (p->nderefs == TRACER_INSNS_MAX)
		return fail(p, s, TRACER_ERR_TOO_MANY_OPS);
	p->derefs[p->nderefs++] = (struct deref){};
	return emit(p, s, in_file ? TRACER_OP_FILE : TRACER_OP_IMM, value);
}

static int parse_immediate(struct parse *p, char *s)
{
	bool negative = s[1] == '-';
	s64 value;
	size_t len;

	if (s[1] == '"') {
		if (p->nderefs)
			return fail(p, s, TRACER_ERR_COMM_CANT_DEREF);
		len = strlen(s + 2);
		if (!len || s[1 + len] != '"')
			return fail(p, s + 2 + len, TRACER_ERR_IMMSTR_NO_CLOSE);
		s[1 + len] = '\0';
		p->arg->text = kstrdup(s + 2, GFP_KERNEL);
		if (!p->arg->text) {
			p->diag->err = TRACER_ERR_NO_MEMORY;
			return -ENOMEM;
		}
		p->arg->store = TRACER_STORE_TEXT;
		return 0;
	}

	if (parse_magnitude(s + 1 + (negative || s[1] == '+'), negative, &value))
		return fail(p, s + 1, TRACER_ERR_BAD_IMM);
	return emit(p, s, TRACER_OP_IMM, value);
}

static int parse_base(struct parse *p, char *s)
{
	switch (*s) {
	case '$':
		return parse_variable(p, s);
	case '%':
		return emit_reg(p, s, s + 1);
	case '@':
		return parse_memory(p, s);
	case '\\':
		return parse_immediate(p, s);
	default:
		return fail(p, s, TRACER_ERR_BAD_FETCH_ARG);
	}
}

/* ",%INDEX[,SCALE]" at @s, of a dereference.  Return: its end, or NULL. */
static char *parse_index(struct parse *p, char *s, struct deref *deref)
{
	char *name = s + 1, *end = name + strcspn(name, ",)"), stop = *end;
	char *scale;

	*end = '\0';
	deref->scale = 1;
	if (*name == '%')
		deref->index = tracer_reg_find(name + 1);
	if (!deref->index) {
		fail(p, name, TRACER_ERR_BAD_REG_NAME);
		return NULL;
	}
	if (stop == ',') {
		scale = end + 1;
		end = scale + strcspn(scale, ")");
		stop = *end;
		*end = '\0';
		if (kstrtouint(scale, 10, &deref->scale) ||
		    (deref->scale != 1 && deref->scale != 2 &&
		     deref->scale != 4 && deref->scale != 8)) {
			fail(p, scale, TRACER_ERR_BAD_SCALE);
			return NULL;
		}
	}
	*end = stop;
	return end;
}

/* What is behind the base at @s: the ends of the dereferences around it. */
static int parse_ends(struct parse *p, char *s)
{
	unsigned int i = p->nderefs;

	while (i--) {
		if (*s == ',') {
			s = parse_index(p, s, &p->derefs[i]);
			if (!s)
				return -EINVAL;
		}
		if (*s != ')')
			return fail(p, s, TRACER_ERR_DEREF_OPEN_BRACE);
		s++;
	}
	return *s ? fail(p, s, TRACER_ERR_DEREF_OPEN_BRACE) : 0;
}

/* The steps of a dereference; the outermost one is what the store does. */
static int emit_deref(struct parse *p, const char *where, unsigned int i)
{
	const struct deref *deref = &p->derefs[i];
	struct tracer_insn *insn;
	int ret;

	if (deref->index) {
		ret = emit(p, where, TRACER_OP_INDEX, deref->scale);
		if (ret)
			return ret;
		insn = &p->insns[p->ninsns - 1];
		insn->size = deref->index->size;
		insn->offset = deref->index->offset;
	}
	return i ? emit(p, where, TRACER_OP_DEREF, deref->offset) : 0;
}

/* FETCH: peel the dereferences off, compile the base, then the dereferences. */
static int parse_fetch(struct parse *p, char *s)
{
	char *open, *end, *number;
	bool negative, indexed;
	unsigned int i;
	int ret;

	while (*s == '+' || *s == '-') {
		negative = *s == '-';
		number = s + 1 + (s[1] == 'u');
		open = strchr(s, '(');
		if (!open)
			return fail(p, s, TRACER_ERR_DEREF_NEED_BRACE);
		if (p->nderefs == TRACER_INSNS_MAX)
			return fail(p, s, TRACER_ERR_TOO_MANY_OPS);
		*open = '\0';
		if (parse_magnitude(number, negative,
				    &p->derefs[p->nderefs].offset))
			return fail(p, s, TRACER_ERR_BAD_DEREF_OFFS);
		p->nderefs++;
		s = open + 1;
	}

	indexed = false;
	if (p->nderefs) {
		end = s + strcspn(s, ",)");
		indexed = *end == ',';
		ret = parse_ends(p, end);
		if (ret)
			return ret;
		*end = '\0';
	}

	/* (,%INDEX,SCALE) is the assembler's for a table at a fixed address. */
	if (!*s && indexed)
		ret = emit(p, s, TRACER_OP_IMM, 0);
	else
		ret = parse_base(p, s);
	if (ret)
		return ret;

	for (i = p->nderefs; i--;) {
		ret = emit_deref(p, s, i);
		if (ret)
			return ret;
	}
	if (p->nderefs) {
		p->arg->store = TRACER_STORE_MEM;
		p->arg->displacement = p->derefs[0].offset;
	}
	return 0;
}

/* bWIDTH@OFFSET/SIZE becomes the unsigned type of that size, and two shifts. */
static int parse_bitfield(struct parse *p, char *s)
{
	char *at = strchr(s, '@'), *slash = strchr(s, '/'), name[8];
	unsigned int width, offset, size;

	if (!at || !slash || slash < at)
		return fail(p, s, TRACER_ERR_BAD_BITFIELD);
	*at = '\0';
	*slash = '\0';
	if (kstrtouint(s + 1, 0, &width) || kstrtouint(at + 1, 0, &offset) ||
	    kstrtouint(slash + 1, 0, &size))
		return fail(p, s, TRACER_ERR_BAD_BITFIELD);
	if (size > 64 || !width || width > size || offset > size - width)
		return fail(p, s, TRACER_ERR_BAD_BITFIELD);
	snprintf(name, sizeof(name), "u%u", size);
	p->arg->type = tracer_type_find(name);
	if (!p->arg->type)
		return fail(p, s, TRACER_ERR_BAD_BITFIELD);
	p->arg->lshift = size - width - offset;
	p->arg->rshift = size - width;
	return 0;
}

static int parse_array(struct parse *p, char *s)
{
	char *close = strchr(s, ']');
	unsigned int count;

	if (!close)
		return fail(p, s + strlen(s), TRACER_ERR_ARRAY_NO_CLOSE);
	if (close[1])
		return fail(p, close + 1, TRACER_ERR_BAD_ARRAY_SUFFIX);
	*close = '\0';
	if (kstrtouint(s, 0, &count) || !count)
		return fail(p, s, TRACER_ERR_BAD_ARRAY_NUM);
	if (count > TRACER_ARRAY_MAX)
		return fail(p, s, TRACER_ERR_ARRAY_TOO_BIG);
	p->arg->count = count;
	return 0;
}

/* @s is NULL when the argument names no type. */
static int parse_type(struct parse *p, char *s)
{
	char *open;
	int ret;

	if (!s) {
		p->arg->type = tracer_type_find("x64");
		return 0;
	}
	open = strchr(s, '[');
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
		return fail(p, s, TRACER_ERR_BAD_TYPE);
	return 0;
}

/* Fits the last step of fetching to the type, as for strings.  @type as in parse_type(). */
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
		else if (!string || arg->count)
			return fail(p, where, TRACER_ERR_NEED_STRING_TYPE);
		break;
	case TRACER_STORE_MEM:
		if (string)
			arg->store = TRACER_STORE_STRING;
		break;
	default:
		if (arg->count)
			return fail(p, where, TRACER_ERR_BAD_STRING);
		if (!string)
			break;
		/* An immediate is the address itself; a register is not. */
		if (p->ninsns != 1 || p->insns[0].op != TRACER_OP_IMM)
			return fail(p, where, TRACER_ERR_BAD_STRING);
		arg->store = TRACER_STORE_STRING;
		break;
	}
	return 0;
}

/* Where the type starts, cut off the fetch; NULL when there is none. */
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
	ret = parse_fetch(p, p->buf);
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

/* Give the argument its place in the record and keep its steps. */
static int finish(struct parse *p, char *word)
{
	struct tracer_arg *arg = p->arg;
	unsigned int size = arg->type->size * max_t(unsigned int, arg->count, 1);

	if (p->def->args_size + size > TRACER_FIXED_MAX)
		return fail_word(p->def, word, p->diag, TRACER_ERR_EVENT_TOO_BIG);
	if (p->ninsns) {
		arg->insns = kmemdup(p->insns, p->ninsns * sizeof(p->insns[0]),
				     GFP_KERNEL);
		if (!arg->insns) {
			p->diag->err = TRACER_ERR_NO_MEMORY;
			return -ENOMEM;
		}
	}
	arg->ninsns = p->ninsns;
	arg->offset = p->def->args_size;
	p->def->args_size += size;
	return 0;
}

/**
 * tracer_arg_parse() - compile one argument and append it to its definition
 * @def: the definition, with room for one more argument
 * @word: the argument, a word of @def->text
 * @diag: says what is wrong when this fails
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
	arg->insns = NULL;
	arg->text = NULL;
}

/**
 * tracer_arg_reads_memory() - does fetching it touch user memory?
 * @arg: the argument
 *
 * Return: false when registers, the task's name and constants are all that it
 * needs.
 */
bool tracer_arg_reads_memory(const struct tracer_arg *arg)
{
	unsigned int i;

	if (arg->store == TRACER_STORE_MEM || arg->store == TRACER_STORE_STRING)
		return true;
	for (i = 0; i < arg->ninsns; i++) {
		if (arg->insns[i].op == TRACER_OP_DEREF)
			return true;
	}
	return false;
}
