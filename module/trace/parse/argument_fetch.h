/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a fetch argument loads, compiled.
 */
#ifndef _TRACER_ARGUMENT_FETCH_H
#define _TRACER_ARGUMENT_FETCH_H

#include "argument.h"

int tracer_fetch_parse(struct parse *p, char *s);

#endif /* _TRACER_ARGUMENT_FETCH_H */
