// SPDX-License-Identifier: GPL-2.0
#include "printer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/definition.h"
#include "event_line.h"
#include "util/util.h"

/* Leave the object open: "stack" may follow. */
static void begin_json(struct printer *printer, const char *line,
		       const struct definition *def)
{
	struct event_line event;

	if (!event_line_parse(line, &event))
		return;
	printer->object = (struct json) { .out = printer->out };
	event_line_json(&event, def->event, &printer->object);
	printer->open = true;
	event_line_free(&event);
}

/* Replace values by their names in the source code; return NULL if no value has a name. */
static char *with_names(const char *line, const struct event_line *event,
			const struct enum_names *names)
{
	char *text = NULL;
	const char *p = line;
	FILE *out = NULL;
	size_t size;

	for (size_t i = 0; i < event->n; i++) {
		const struct event_value *value = &event->values[i];
		const char *name = enum_names_find(names, value->name,
						   value->name_len, value->text,
						   value->text_len);

		if (!name)
			continue;
		if (!out)
			out = open_memstream(&text, &size);
		if (!out)
			return NULL;
		fwrite(p, 1, value->text - p, out);
		fputs(name, out);
		p = value->text + value->text_len;
	}
	if (!out)
		return NULL;
	fputs(p, out);
	fclose(out);
	return text;
}

/* Write the time of an event as the user wants it. */
static void print_event_time(struct printer *printer, const struct event_line *event)
{
	char *end, text[32];
	u64 us = strtoull(event->time, &end, 10) * 1000000 + strtoull(end + 1, NULL, 10);
	time_t second;
	struct tm tm;

	if (!printer->begun)
		printer->first = us;
	printer->begun = true;
	if (printer->time == TIME_RELATIVE) {
		u64 since = us > printer->first ? us - printer->first : 0;

		fprintf(printer->out, "%5llu.%06llu", (unsigned long long)since / 1000000,
			(unsigned long long)since % 1000000);
		return;
	}
	us += printer->ahead / 1000;
	second = us / 1000000;
	strftime(text, sizeof(text), "%H:%M:%S", localtime_r(&second, &tm));
	fprintf(printer->out, "%s.%06llu", text, (unsigned long long)us % 1000000);
}

/* Print the line of an event: without flags and addresses, or as the tracer has it. */
static void print_line(struct printer *printer, const char *line)
{
	const char *bold = printer->colored ? "\033[1;36m" : "";
	const char *dim = printer->colored ? "\033[2m" : "";
	const char *plain = printer->colored ? "\033[0m" : "";
	struct event_line event;
	FILE *out = printer->out;
	const char *behind;

	if (!event_line_parse(line, &event)) {
		fprintf(out, "%s\n", line);
		return;
	}
	behind = event.flags + event.flags_len;
	if (printer->long_lines)
		fwrite(line, 1, behind - line, out);
	else
		fwrite(line, 1, event.flags - 1 - line, out);
	fwrite(behind, 1, event.time - behind, out);
	if (printer->time == TIME_KERNEL)
		fwrite(event.time, 1, event.time_len, out);
	else
		print_event_time(printer, &event);
	fprintf(out, ": %s%.*s%s:", bold, (int)event.event_len, event.event, plain);
	behind = event.event + event.event_len + 1;
	if (printer->long_lines)
		fprintf(out, "%s%.*s%s", dim, (int)(event.rest - behind), behind, plain);
	fprintf(out, "%s\n", event.rest);
	event_line_free(&event);
}

/**
 * printer_event() - print an event
 * @printer: the printer
 * @line: the line of the event
 * @event: the same line, parsed
 * @def: its definition
 */
void printer_event(struct printer *printer, const char *line,
		   const struct event_line *event,
		   const struct definition *def)
{
	_cleanup_free_ char *named = with_names(line, event, &def->names), *cut = NULL;
	struct event_line again;

	printer_flush(printer);
	if (named)
		line = named;
	if (printer->string_max && event_line_parse(line, &again)) {
		cut = event_line_cut(line, &again, printer->string_max);
		event_line_free(&again);
	}
	if (cut)
		line = cut;
	if (printer->with_stacks)
		stacks_event(&printer->stacks, event, &def->sites);
	printer->frames = 0;
	if (printer->json)
		begin_json(printer, line, def);
	else
		print_line(printer, line);
}

static void print_frame(FILE *out, u64 addr, const struct frame_name *name)
{
	fputs(" => ", out);
	if (name->function)
		fprintf(out, "%s+0x%llx (%s)", name->function,
			(unsigned long long)name->offset, name->object);
	else if (name->object)
		fprintf(out, "%s[+0x%llx]", name->object,
			(unsigned long long)name->offset);
	fprintf(out, " <%016llx>\n", (unsigned long long)addr);
}

static void json_frame(struct printer *printer, u64 addr,
		       const struct frame_name *name)
{
	struct json *json = &printer->object;

	if (!printer->frames)
		json_open(json, "stack", '[');
	json_open(json, NULL, '{');
	json_hex(json, "address", addr);
	if (name->object) {
		json_text(json, "object", name->object);
		json_number(json, "offset", name->offset);
	}
	json_text(json, "function", name->function);
	json_close(json, '}');
}

/**
 * printer_frame() - check for a line with an address of a stack
 * @line: the line
 * @addr: set to the address
 */
bool printer_frame(const char *line, u64 *addr)
{
	unsigned long long number;
	int end = 0;

	if (sscanf(line, " => <%llx>%n", &number, &end) != 1 || !end || line[end])
		return false;
	*addr = number;
	return true;
}

/**
 * printer_stack_line() - print a line that may belong to the last event's stack
 * @printer: the printer
 * @line: the line
 */
void printer_stack_line(struct printer *printer, const char *line)
{
	struct frame_name name;
	u64 addr;

	if (!printer_frame(line, &addr))
		return;
	/* The first address is the probed instruction; the others are return addresses. */
	stacks_name(&printer->stacks, addr, printer->frames > 0, &name);
	if (!printer->json)
		print_frame(printer->out, addr, &name);
	else if (printer->open)
		json_frame(printer, addr, &name);
	printer->frames++;
	free(name.function);
}

/** printer_flush() - complete the output of the last event */
void printer_flush(struct printer *printer)
{
	if (!printer->open)
		return;
	if (printer->frames)
		json_close(&printer->object, ']');
	json_end(&printer->object);
	printer->open = false;
}

void printer_free(struct printer *printer)
{
	printer_flush(printer);
	stacks_free(&printer->stacks);
}
