/* SPDX-License-Identifier: GPL-2.0 */
/* Define the events of a run, and remove them. */
#ifndef _USERSPACE_TRACE_DEFINE_H
#define _USERSPACE_TRACE_DEFINE_H

struct definition;
struct error;
struct follow;
struct trace;

struct error *trace_define(struct trace *trace);
void trace_follow(struct trace *trace, struct follow *follow);
void trace_remove(struct trace *trace);
const char *trace_group(const struct trace *trace, const struct definition *def);

#endif /* _USERSPACE_TRACE_DEFINE_H */
