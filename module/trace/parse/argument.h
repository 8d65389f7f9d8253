/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parser of a fetch argument.
 */
#ifndef _TRACER_ARGUMENT_H
#define _TRACER_ARGUMENT_H

#include "def.h"

int tracer_arg_parse(struct tracer_def *def, char *word, struct tracer_diag *diag);
void tracer_arg_free(struct tracer_arg *arg);
bool tracer_arg_reads_memory(const struct tracer_arg *arg);

#endif /* _TRACER_ARGUMENT_H */
