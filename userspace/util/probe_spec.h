/* SPDX-License-Identifier: GPL-2.0 */
/* A probe as the user writes it on the command line. */
#ifndef _USERSPACE_PROBE_SPEC_H
#define _USERSPACE_PROBE_SPEC_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/**
 * struct probe_spec - p|r|u:[[GRP/]EVENT ]TARGET:FUNCTION [ARGS], parsed
 * @kind: 'p' for an entry probe, 'r' for a return probe, 'u' for a static
 *	probe that the target defines
 * @group: NULL if not given
 * @event: NULL if not given
 * @target: program or library
 * @function: in the form that places_find() takes; for 'u' [PROVIDER:]NAME
 * @args: fetch arguments in the form of uprobe_events, "" for none; for 'u' argN
 *	can stand for the N-th argument of the probe
 * @values: for 'r' without @args: fetch the returned values if they are known
 */
struct probe_spec {
	char kind;
	char *group;
	char *event;
	char *target;
	char *function;
	char *args;
	bool values;
};

char *target_name(const char *word, size_t len);
bool is_probe_spec(const char *text);
bool is_place(const char *text);
char *probe_spec_full(const char *text);
struct error *probe_spec_parse(const char *text, struct probe_spec *spec);
void probe_spec_free(struct probe_spec *spec);

#endif /* _USERSPACE_PROBE_SPEC_H */
