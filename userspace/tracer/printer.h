/* SPDX-License-Identifier: GPL-2.0 */
/* Print events and their stacks. */
#ifndef _USERSPACE_PRINTER_H
#define _USERSPACE_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stacks.h"
#include "util/json.h"
#include "util/options.h"
#include "types.h"

struct definition;
struct event_line;

/**
 * struct printer - state of the output
 * @out: the output file
 * @json: print JSON objects
 * @with_stacks: print stacks, too
 * @string_max: maximum number of characters of a string, 0 for all
 * @stacks: tasks and files, to name the addresses of stacks
 * @colored: write colours
 * @long_lines: write lines as the tracer has them, with flags and addresses
 * @time: how to write times
 * @first: the time of the first event, in microseconds
 * @ahead: what to add to the clock of records to get the time of the day, in nanoseconds
 * @begun: @first is known
 * @open: the JSON object of the last event is not closed: its stack may follow
 * @object: that object
 * @frames: number of frames of that stack so far
 */
struct printer {
	FILE *out;
	bool json;
	bool with_stacks;
	u64 string_max;
	struct stacks stacks;
	bool colored;
	bool long_lines;
	enum time_mode time;
	u64 first;
	long long ahead;
	bool begun;
	bool open;
	struct json object;
	size_t frames;
};

void printer_event(struct printer *printer, const char *line,
		   const struct event_line *event,
		   const struct definition *def);
bool printer_frame(const char *line, u64 *addr);
void printer_stack_line(struct printer *printer, const char *line);
void printer_flush(struct printer *printer);
void printer_free(struct printer *printer);

#endif /* _USERSPACE_PRINTER_H */
