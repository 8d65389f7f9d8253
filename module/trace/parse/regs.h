/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers by name.
 */
#ifndef _TRACER_REGS_H
#define _TRACER_REGS_H

#include "def.h"

const struct tracer_reg *tracer_reg_find(const char *name);

#endif /* _TRACER_REGS_H */
