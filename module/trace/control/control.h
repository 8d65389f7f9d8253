/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that define and list events.
 */
#ifndef _TRACER_CONTROL_H
#define _TRACER_CONTROL_H

#include "trace/event/event_types.h"

struct seq_file;

typedef int tracer_line_fn(struct tracer *t, const char *line, size_t len,
			   unsigned int lineno);
ssize_t tracer_write_lines(struct tracer *t, const char __user *ubuf,
			   size_t count, tracer_line_fn *fn);
int tracer_places_show(struct seq_file *m, const char *event, struct uprobe *u);
void tracer_refusals_show(struct seq_file *m, const char *event, const struct uprobe *u);
void tracer_profile_show(struct tracer *t, struct seq_file *m, const char *mark);

#endif /* _TRACER_CONTROL_H */
