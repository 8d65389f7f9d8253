/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parser of a line of uprobe_events.
 */
#ifndef _TRACER_PARSE_H
#define _TRACER_PARSE_H

#include "def.h"

struct tracer_def *tracer_def_parse(const char *line, size_t len,
				    struct tracer_diag *diag);
void tracer_def_free(struct tracer_def *def);
const char *tracer_err_text(enum tracer_err err);
size_t tracer_path_unescape(const char *path, char *out, size_t size);

#endif /* _TRACER_PARSE_H */
