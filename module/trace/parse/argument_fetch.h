/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of FETCH, which tells what a fetch argument loads.
 */
#ifndef _TRACER_ARGUMENT_FETCH_H
#define _TRACER_ARGUMENT_FETCH_H

#include "def.h"

/**
 * struct deref - a dereference
 * @offset: added to the address
 * @index: a register that is added to the address, too; or NULL
 * @scale: factor of @index
 */
struct deref {
	s64 offset;
	const struct tracer_reg *index;
	unsigned int scale;
};

/**
 * struct parse - the argument that is being parsed
 * @def: the definition that it belongs to
 * @arg: the result
 * @diag: what is wrong with the argument
 * @buf: a copy of its body; the parser cuts it into parts
 * @column: where the body starts in the line
 * @insns: the steps so far
 * @ninsns: their number
 * @derefs: the dereferences around the base, outermost first
 * @nderefs: their number
 * @is_length: the argument is the length of a string
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
	bool is_length;
};

/* Report an error at @where in the body. */
static inline int tracer_arg_fail(struct parse *p, const char *where, enum tracer_err err)
{
	p->diag->err = err;
	p->diag->column = p->column + (where - p->buf);
	return -EINVAL;
}

int tracer_fetch_parse(struct parse *p, char *s);

#endif /* _TRACER_ARGUMENT_FETCH_H */
