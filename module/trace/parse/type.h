/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types that a fetch argument can have.
 */
#ifndef _TRACER_TYPE_H
#define _TRACER_TYPE_H

#include "def.h"

const struct tracer_type *tracer_type_find(const char *name);

#endif /* _TRACER_TYPE_H */
