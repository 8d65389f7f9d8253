/* SPDX-License-Identifier: GPL-2.0 */
/* The lines of uprobe_events that define the event of a probe. */
#ifndef _USERSPACE_DEFINITION_H
#define _USERSPACE_DEFINITION_H

#include "dwarf/enum_names.h"
#include "types.h"
#include "util/probe_site.h"

struct error;
struct fields;
struct options;
struct probe_spec;
struct symbols;
struct target;

/**
 * struct definition - an event and its sites
 * @kind: 'p' or 'r'
 * @group: the group that the user asked for, or NULL
 * @event: name of the event
 * @sites: the places of the event
 * @in_memory: one of the sites is in no file but in the memory of a process
 * @label: another name than @event by which to find it in a file that has replaced the probed one,
 *	or NULL
 * @named: the user has chosen @event
 * @names: names of the values that its arguments can have
 */
struct definition {
	char kind;
	char *group;
	char *event;
	struct probe_sites sites;
	bool in_memory;
	char *label;
	bool named;
	struct enum_names names;
};

/**
 * struct definitions - a list of definitions
 * @v: the definitions
 * @n: number of @v
 * @cap: capacity of @v
 */
struct definitions {
	struct definition *v;
	size_t n;
	size_t cap;
};

struct error *definition_parse(const char *text, const struct options *options,
			       struct probe_spec *spec);
struct error *definition_read(const char *text, const struct options *options,
			      struct definition *def);
struct error *definition_make(const struct probe_spec *spec,
			      const struct options *options,
			      struct definition *def);
struct error *definition_memory(const struct probe_spec *spec, struct definition *def);
struct error *definition_target(const struct probe_spec *spec,
				const struct options *options,
				struct target *target, struct symbols *syms);
struct error *definition_in(const struct probe_spec *spec,
			    const struct options *options,
			    struct target *target, struct symbols *syms,
			    struct definition *def);
char *definition_event(const struct probe_spec *spec);
void definition_free(struct definition *def);
void definition_fields(const struct definition *def, struct fields *fields);
char *definition_line(const struct definition *def, size_t site,
		      const char *group);
char *definition_checked_line(const struct definition *def, size_t site,
			      const char *group);

#endif /* _USERSPACE_DEFINITION_H */
