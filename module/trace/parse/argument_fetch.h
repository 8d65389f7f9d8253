/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of FETCH, which tells what a fetch argument loads.
 */
#ifndef _TRACER_ARGUMENT_FETCH_H
#define _TRACER_ARGUMENT_FETCH_H

#include "argument.h"

int tracer_fetch_parse(struct parse *p, char *s);

#endif /* _TRACER_ARGUMENT_FETCH_H */
