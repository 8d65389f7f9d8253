/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading records as units (uprobes/units.h).
 */
#ifndef _TRACER_UNITS_H
#define _TRACER_UNITS_H

#include <linux/types.h>

struct tracer_reader;

ssize_t tracer_units_read(struct tracer_reader *r, bool nonblock, char __user *ubuf, size_t count);

#endif /* _TRACER_UNITS_H */
