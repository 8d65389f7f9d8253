/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a definition at its place.
 */
#ifndef _TRACER_SITE_ARGS_H
#define _TRACER_SITE_ARGS_H

#include <linux/types.h>

struct file;
struct tracer_def;
struct tracer_diag;
struct uprobe;
struct uprobe_load;

int tracer_args_place(struct tracer_def *def, struct file *file, struct tracer_diag *diag);
bool tracer_args_find_registers(struct tracer_def *def);
bool tracer_args_in_ring(const struct tracer_def *def, struct uprobe *u,
			 struct uprobe_load *loads);
void tracer_args_find_values(struct tracer_def *def);

#endif /* _TRACER_SITE_ARGS_H */
