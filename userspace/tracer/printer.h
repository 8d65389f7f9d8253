/* SPDX-License-Identifier: GPL-2.0 */
/* Events and their stacks, as they are shown. */
#ifndef _USERSPACE_PRINTER_H
#define _USERSPACE_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stacks.h"
#include "types.h"

struct definition;
struct event_line;

/**
 * struct printer - shows events
 * @out: where to
 * @json: as objects
 * @with_stacks: with their stacks
 * @string_max: so many characters of a string, 0 for all
 * @stacks: what the addresses of stacks mean
 * @open: the object of the last event is not closed, its stack may follow
 * @frames: frames of that stack so far
 */
struct printer {
	FILE *out;
	bool json;
	bool with_stacks;
	u64 string_max;
	struct stacks stacks;
	bool open;
	size_t frames;
};

void printer_event(struct printer *printer, const char *line,
		   const struct event_line *event,
		   const struct definition *def);
void printer_stack_line(struct printer *printer, const char *line);
void printer_flush(struct printer *printer);
void printer_free(struct printer *printer);

#endif /* _USERSPACE_PRINTER_H */
