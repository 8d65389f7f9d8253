// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of FETCH, which tells what a fetch argument loads:
 *
 *	FETCH	%REG | $retval | $stack | $stackN | $comm | @ADDR | @+OFFSET |
 *		\IMM | \"TEXT" | (+|-)[u]OFF([FETCH][,%INDEX[,SCALE]])
 *
 * The 'u' of a dereference has no effect: all memory here is user memory.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "argument_fetch.h"
#include "regs.h"

/* Parse a decimal, octal or hexadecimal number behind its sign. */
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
		return tracer_arg_fail(p, where, TRACER_ERR_TOO_MANY_OPS);
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
		return tracer_arg_fail(p, where, TRACER_ERR_BAD_REG_NAME);
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

	if (!strcmp(name, "retval")) {
		if (p->def->kind != TRACER_RETURN)
			return tracer_arg_fail(p, s, TRACER_ERR_RETVAL_ON_PROBE);
		return emit_reg(p, s, "ax");
	}
	if (!strcmp(name, "comm")) {
		if (p->nderefs)
			return tracer_arg_fail(p, s, TRACER_ERR_COMM_CANT_DEREF);
		p->arg->store = TRACER_STORE_COMM;
		return 0;
	}
	if (strncmp(name, "stack", 5))
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_VAR);
	name += 5;
	if (!*name)
		return emit(p, s, TRACER_OP_SP, 0);
	if (!isdigit(*name) || kstrtouint(name, 10, &n))
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_VAR);
	return emit(p, s, TRACER_OP_STACK, n);
}

/* Parse @ADDR or @+OFFSET.  Both are addresses of memory, so they imply a dereference. */
static int parse_memory(struct parse *p, const char *s)
{
	bool in_file = s[1] == '+';
	s64 value;

	if (parse_magnitude(s + (in_file ? 2 : 1), false, &value))
		return tracer_arg_fail(p, s, in_file ? TRACER_ERR_BAD_FILE_OFFS :
					    TRACER_ERR_BAD_MEM_ADDR);
	if (in_file && value < 0)
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_FILE_OFFS);
	if (p->nderefs == TRACER_INSNS_MAX)
		return tracer_arg_fail(p, s, TRACER_ERR_TOO_MANY_OPS);
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
			return tracer_arg_fail(p, s, TRACER_ERR_COMM_CANT_DEREF);
		len = strlen(s + 2);
		if (!len || s[1 + len] != '"')
			return tracer_arg_fail(p, s + 2 + len, TRACER_ERR_IMMSTR_NO_CLOSE);
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
		return tracer_arg_fail(p, s + 1, TRACER_ERR_BAD_IMM);
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
		return tracer_arg_fail(p, s, TRACER_ERR_BAD_FETCH_ARG);
	}
}

/* Parse ",%INDEX[,SCALE]" of a dereference at @s.  Return: its end, or NULL. */
static char *parse_index(struct parse *p, char *s, struct deref *deref)
{
	char *name = s + 1, *end = name + strcspn(name, ",)"), stop = *end;
	char *scale;

	*end = '\0';
	deref->scale = 1;
	if (*name == '%')
		deref->index = tracer_reg_find(name + 1);
	if (!deref->index) {
		tracer_arg_fail(p, name, TRACER_ERR_BAD_REG_NAME);
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
			tracer_arg_fail(p, scale, TRACER_ERR_BAD_SCALE);
			return NULL;
		}
	}
	*end = stop;
	return end;
}

/*
 * Parse @s, the text behind the base: the ends of the dereferences around it, innermost
 * first.  If a ')' is missing: the existing ones close the outer dereferences, so report the
 * missing one before them, at the place of the first one.
 */
static int parse_ends(struct parse *p, char *s)
{
	unsigned int i = p->nderefs;
	char *first = NULL;

	while (i--) {
		if (*s == ',') {
			s = parse_index(p, s, &p->derefs[i]);
			if (!s)
				return -EINVAL;
		}
		if (*s != ')')
			return tracer_arg_fail(p, first ?: s, TRACER_ERR_DEREF_OPEN_BRACE);
		first = first ?: s;
		s++;
	}
	return *s ? tracer_arg_fail(p, s, TRACER_ERR_DEREF_OPEN_BRACE) : 0;
}

/* Emit the steps of a dereference.  The store does the outermost load itself. */
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

/**
 * tracer_fetch_parse() - compile FETCH
 * @p: the argument
 * @s: FETCH; this function cuts it into parts
 *
 * Parse the dereferences around the base, compile the base, then the dereferences.
 *
 * Context: may sleep.
 * Return: 0, -EINVAL with @p->diag filled in, or -ENOMEM.
 */
int tracer_fetch_parse(struct parse *p, char *s)
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
			return tracer_arg_fail(p, s, TRACER_ERR_DEREF_NEED_BRACE);
		if (p->nderefs == TRACER_INSNS_MAX)
			return tracer_arg_fail(p, s, TRACER_ERR_TOO_MANY_OPS);
		*open = '\0';
		if (parse_magnitude(number, negative,
				    &p->derefs[p->nderefs].offset))
			return tracer_arg_fail(p, s, TRACER_ERR_BAD_DEREF_OFFS);
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

	/* Like in assembler, (,%INDEX,SCALE) is an element of a table at a fixed address. */
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
