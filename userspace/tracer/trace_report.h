/* SPDX-License-Identifier: GPL-2.0 */
/* What a run says at its beginning and at its end. */
#ifndef _USERSPACE_TRACE_REPORT_H
#define _USERSPACE_TRACE_REPORT_H

#include <stddef.h>

struct paths;
struct trace;

void trace_print_end(const struct trace *trace);
void trace_banner(const struct trace *trace);
void trace_files(const struct trace *trace, struct paths *files);
size_t trace_places(const struct trace *trace);
void trace_summary(const struct trace *trace);

#endif /* _USERSPACE_TRACE_REPORT_H */
