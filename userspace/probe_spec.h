/* SPDX-License-Identifier: GPL-2.0 */
/* A probe as the command line asks for it. */
#ifndef _USERSPACE_PROBE_SPEC_H
#define _USERSPACE_PROBE_SPEC_H

struct error;

/**
 * struct probe_spec - p|r:[[GRP/]EVENT ]TARGET:FUNCTION [ARGS], taken apart
 * @kind: 'p' for an entry probe, 'r' for a return probe
 * @group: NULL if not given
 * @event: NULL if not given
 * @target: program or library
 * @function: what places_find() takes
 * @args: fetch arguments as uprobe_events takes them, "" for none
 */
struct probe_spec {
	char kind;
	char *group;
	char *event;
	char *target;
	char *function;
	char *args;
};

struct error *probe_spec_parse(const char *text, struct probe_spec *spec);
void probe_spec_free(struct probe_spec *spec);

#endif /* _USERSPACE_PROBE_SPEC_H */
