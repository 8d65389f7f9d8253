// SPDX-License-Identifier: GPL-2.0
/*
 * Records, events and definitions as text, in the format of tracefs.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "trace/lib/decimal.h"
#include "render.h"

static bool is_string(const struct tracer_arg *arg)
{
	return arg->type->print == TRACER_PRINT_STRING;
}

/* Load element @i of an argument; @data has all elements. */
static u64 load_unsigned(const struct tracer_arg *arg, const u8 *data,
			 unsigned int i)
{
	u64 value = 0;

	/* This works since the module runs only on little-endian machines. */
	memcpy(&value, data + i * arg->type->size, arg->type->size);
	return value;
}

static s64 load_signed(const struct tracer_arg *arg, const u8 *data,
		       unsigned int i)
{
	unsigned int unused = 64 - arg->type->size * 8;

	return (s64)(load_unsigned(arg, data, i) << unused) >> unused;
}

static void render_string(struct tracer_text *t, u32 loc, const u8 *entry,
			  size_t size)
{
	u32 len = loc >> 16, offset = loc & 0xffff;
	const char *s = (const char *)entry + offset;
	bool whole;

	if (!len && !offset) {
		tracer_text_puts(t, "(fault)");
		return;
	}
	if (offset > size || len > size - offset)
		len = 0;
	/* If the last NUL is missing, the string was cut.  Other NULs belong to the string. */
	whole = len && !s[len - 1];
	tracer_text_putc(t, '"');
	tracer_text_escape(t, s, whole ? len - 1 : len);
	tracer_text_putc(t, '"');
	if (!whole)
		tracer_text_puts(t, "...");
}

static void render_value(struct tracer_text *t, const struct tracer_arg *arg,
			 const u8 *data, unsigned int i, const u8 *entry,
			 size_t size)
{
	char text[TRACER_DECIMAL_MAX], c;

	switch (arg->type->print) {
	case TRACER_PRINT_UNSIGNED:
		tracer_text_printf(t, "%llu", (unsigned long long)
				   load_unsigned(arg, data, i));
		break;
	case TRACER_PRINT_SIGNED:
		tracer_text_printf(t, "%lld", (long long)
				   load_signed(arg, data, i));
		break;
	case TRACER_PRINT_HEX:
		tracer_text_printf(t, "0x%llx", (unsigned long long)
				   load_unsigned(arg, data, i));
		break;
	case TRACER_PRINT_CHAR:
		c = load_unsigned(arg, data, i);
		tracer_text_putc(t, '\'');
		tracer_text_escape(t, &c, 1);
		tracer_text_putc(t, '\'');
		break;
	case TRACER_PRINT_FLOAT:
		tracer_decimal_print(load_unsigned(arg, data, i),
				     arg->type->size, text);
		tracer_text_puts(t, text);
		break;
	case TRACER_PRINT_STRING:
		render_string(t, load_unsigned(arg, data, i), entry, size);
		break;
	}
}

static void render_arg(struct tracer_text *t, const struct tracer_def *def,
		       unsigned int n, const u8 *entry, size_t size)
{
	const u8 *faults = entry + tracer_faults_offset(def);
	const u8 *data = entry + tracer_args_offset(def) + def->args[n].offset;
	const struct tracer_arg *arg = &def->args[n];
	unsigned int i;

	tracer_text_printf(t, " %s=", arg->name);
	if (faults[n / 8] & 1 << n % 8) {
		tracer_text_puts(t, "(fault)");
		return;
	}
	if (!arg->count) {
		render_value(t, arg, data, 0, entry, size);
		return;
	}
	for (i = 0; i < arg->count && !tracer_text_done(t); i++) {
		tracer_text_putc(t, i ? ',' : '{');
		render_value(t, arg, data, i, entry, size);
	}
	tracer_text_putc(t, '}');
}

/* Print the column of flags: irqs-off, need-resched, irq context, preemption. */
static void render_flags(struct tracer_text *t, const struct tracer_entry *entry)
{
	unsigned int depth = entry->preempt_count & 0xf;

	tracer_text_putc(t, entry->flags & TRACER_IRQS_OFF ? 'd' : '.');
	tracer_text_putc(t, entry->flags & TRACER_NEED_RESCHED ? 'n' : '.');
	tracer_text_putc(t, '.');
	if (depth)
		tracer_text_printf(t, "%x", depth);
	else
		tracer_text_putc(t, '.');
	tracer_text_putc(t, '.');
}

static bool has_option(const struct tracer_seen *seen, enum tracer_option option)
{
	return seen->options & 1UL << option;
}

/* Print "comm-pid [cpu] flags ts: ". */
static void render_context(struct tracer_text *t, const struct tracer_seen *seen)
{
	const struct tracer_record *record = seen->record;
	unsigned long long us = (seen->ts + 500) / 1000, ns = seen->ts;
	char comm[TRACER_COMM_LEN * 4 + 1];
	struct tracer_text name = { .buf = comm, .size = sizeof(comm) - 1 };

	if (!has_option(seen, TRACER_OPT_CONTEXT_INFO))
		return;
	tracer_text_escape(&name, record->comm,
			   strnlen(record->comm, sizeof(record->comm)));
	comm[name.len] = '\0';
	tracer_text_printf(t, "%16s-%-7d ", comm, record->entry.pid);
	if (has_option(seen, TRACER_OPT_RECORD_TGID))
		tracer_text_printf(t, "(%7d) ", record->tgid);
	tracer_text_printf(t, "[%03d] ", seen->cpu);
	if (has_option(seen, TRACER_OPT_IRQ_INFO))
		render_flags(t, &record->entry);
	if (has_option(seen, TRACER_OPT_NANOSECONDS))
		tracer_text_printf(t, " %5llu.%09llu: ", ns / 1000000000, ns % 1000000000);
	else
		tracer_text_printf(t, " %5llu.%06llu: ", us / 1000000, us % 1000000);
}

/**
 * tracer_render_header() - print the header that names the columns of the lines
 * @t: where to append it
 * @options: a bit per enum tracer_option
 */
void tracer_render_header(struct tracer_text *t, unsigned long options)
{
	static const char * const marks[] = {
		"  _-----=> irqs-off/BH-disabled", " / _----=> need-resched",
		"| / _---=> hardirq/softirq", "|| / _--=> preempt-depth",
		"||| / _-=> migrate-disable", "|||| /     delay",
	};
	bool tgid = options & 1UL << TRACER_OPT_RECORD_TGID;
	unsigned int i;

	if (!(options & 1UL << TRACER_OPT_IRQ_INFO)) {
		tracer_text_printf(t, "#           TASK-PID    %s CPU#     TIMESTAMP  FUNCTION\n",
				   tgid ? "   TGID   " : "");
		tracer_text_printf(t, "#              | |      %s   |         |         |\n",
				   tgid ? "     |    " : "");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(marks); i++)
		tracer_text_printf(t, "#%*s%s\n", tgid ? 40 : 30, "", marks[i]);
	tracer_text_printf(t, "#           TASK-PID  %s CPU#  |||||  TIMESTAMP  FUNCTION\n",
			   tgid ? "     TGID   " : "  ");
	tracer_text_printf(t, "#              | |    %s   |   |||||     |         |\n",
			   tgid ? "       |    " : "  ");
}

/* Print the user stack; its addresses are at the end of the record. */
static void render_stack(struct tracer_text *t, const struct tracer_seen *seen)
{
	const u8 *stack = (const u8 *)seen->record + seen->len;
	unsigned int n = seen->record->nstack, i;
	u64 address;

	if (!n || n > TRACER_STACK_MAX ||
	    seen->len < sizeof(*seen->record) + n * sizeof(address))
		return;
	stack -= n * sizeof(address);
	render_context(t, seen);
	tracer_text_puts(t, "<user stack trace>\n");
	for (i = 0; i < n; i++) {
		memcpy(&address, stack + i * sizeof(address), sizeof(address));
		tracer_text_printf(t, " =>  <%016llx>\n",
				   (unsigned long long)address);
	}
}

/**
 * tracer_render_args() - print the arguments of a hit, " name=value ..."
 * @t: where to append them
 * @def: a definition of the event
 * @record: the record
 * @len: its length
 */
void tracer_render_args(struct tracer_text *t, const struct tracer_def *def,
			const struct tracer_record *record, size_t len)
{
	size_t head = offsetof(struct tracer_record, entry);
	unsigned int i;

	for (i = 0; i < def->nargs && !tracer_text_done(t); i++)
		render_arg(t, def, i, (const u8 *)record + head, len - head);
}

/**
 * tracer_render() - print a record as lines of trace or trace_pipe
 * @t: where to append them
 * @def: a definition of the event, or NULL if the format of the event was freed
 * @seen: the record
 */
void tracer_render(struct tracer_text *t, const struct tracer_def *def,
		   const struct tracer_seen *seen)
{
	const u8 *bytes = (const u8 *)seen->record +
			  offsetof(struct tracer_record, entry);
	const struct tracer_entry *entry = &seen->record->entry;
	size_t size = seen->len - offsetof(struct tracer_record, entry);
	u64 ret_ip;

	if (seen->lost)
		tracer_text_printf(t, "CPU:%d [LOST %llu EVENTS]\n", seen->cpu,
				   (unsigned long long)seen->lost);

	render_context(t, seen);
	if (!def || size < tracer_strings_offset(def)) {
		tracer_text_printf(t, "Event %u, which is removed\n",
				   entry->type);
		return;
	}

	tracer_text_puts(t, def->event);
	if (def->kind == TRACER_RETURN) {
		memcpy(&ret_ip, bytes + sizeof(*entry), sizeof(ret_ip));
		tracer_text_printf(t, ": (0x%llx <- 0x%llx)",
				   (unsigned long long)ret_ip,
				   (unsigned long long)entry->ip);
	} else {
		tracer_text_printf(t, ": (0x%llx)",
				   (unsigned long long)entry->ip);
	}
	tracer_render_args(t, def, seen->record, seen->len);
	tracer_text_putc(t, '\n');
	render_stack(t, seen);
}

static void render_field(struct tracer_text *t, const char *type,
			 const char *name, unsigned int offset,
			 unsigned int size, bool is_signed)
{
	tracer_text_printf(t, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			   type, name, offset, size, is_signed);
}

/* Print arrays of numbers like in C, and arrays of strings like tracefs does. */
static void render_arg_field(struct tracer_text *t, const struct tracer_def *def,
			     const struct tracer_arg *arg)
{
	unsigned int size = arg->type->size * max_t(unsigned int, arg->count, 1);
	char type[32], name[TRACER_ARG_NAME_MAX + 8];

	if (arg->count && is_string(arg)) {
		snprintf(type, sizeof(type), "%s[%u]", arg->type->field,
			 arg->count);
		snprintf(name, sizeof(name), "%s", arg->name);
	} else {
		snprintf(type, sizeof(type), "%s", arg->type->field);
		snprintf(name, sizeof(name), arg->count ? "%s[%u]" : "%s",
			 arg->name, arg->count);
	}
	render_field(t, type, name, tracer_args_offset(def) + arg->offset, size,
		     arg->type->is_signed);
}

/* Print the conversion that shows a value much like render_value() does. */
static void render_conversion(struct tracer_text *t, const struct tracer_type *type)
{
	switch (type->print) {
	case TRACER_PRINT_CHAR:
		tracer_text_puts(t, "'%c'");
		return;
	case TRACER_PRINT_STRING:
		tracer_text_puts(t, "\\\"%s\\\"");
		return;
	case TRACER_PRINT_FLOAT:
		tracer_text_puts(t, "%f");
		return;
	default:
		break;
	}
	if (type->print == TRACER_PRINT_HEX)
		tracer_text_puts(t, "0x");
	tracer_text_putc(t, '%');
	if (type->size == 8)
		tracer_text_putc(t, 'L');
	if (type->print == TRACER_PRINT_HEX)
		tracer_text_putc(t, 'x');
	else
		tracer_text_putc(t, type->is_signed ? 'd' : 'u');
}

static void render_print_fmt(struct tracer_text *t, const struct tracer_def *def)
{
	const struct tracer_arg *arg;
	unsigned int i, j;

	tracer_text_puts(t, def->kind == TRACER_RETURN ?
			 "print fmt: \"(%lx <- %lx)" : "print fmt: \"(%lx)");
	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		tracer_text_printf(t, " %s=", arg->name);
		if (!arg->count) {
			render_conversion(t, arg->type);
			continue;
		}
		for (j = 0; j < arg->count; j++) {
			tracer_text_putc(t, j ? ',' : '{');
			render_conversion(t, arg->type);
		}
		tracer_text_putc(t, '}');
	}

	tracer_text_puts(t, def->kind == TRACER_RETURN ?
			 "\", REC->__probe_func, REC->__probe_ret_ip" :
			 "\", REC->__probe_ip");
	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		for (j = 0; j < max_t(unsigned int, arg->count, 1); j++) {
			tracer_text_puts(t, is_string(arg) ? ", __get_str(" :
							     ", REC->");
			tracer_text_puts(t, arg->name);
			if (arg->count)
				tracer_text_printf(t, "[%u]", j);
			if (is_string(arg))
				tracer_text_putc(t, ')');
		}
	}
	tracer_text_putc(t, '\n');
}

/**
 * tracer_render_format() - print the format file of an event
 * @t: where to append it
 * @def: a definition of the event
 * @id: the event's id
 */
void tracer_render_format(struct tracer_text *t, const struct tracer_def *def,
			  unsigned int id)
{
	unsigned int i;

	tracer_text_printf(t, "name: %s\nID: %u\nformat:\n", def->event, id);
	render_field(t, "unsigned short", "common_type",
		     offsetof(struct tracer_entry, type), 2, false);
	render_field(t, "unsigned char", "common_flags",
		     offsetof(struct tracer_entry, flags), 1, false);
	render_field(t, "unsigned char", "common_preempt_count",
		     offsetof(struct tracer_entry, preempt_count), 1, false);
	render_field(t, "int", "common_pid",
		     offsetof(struct tracer_entry, pid), 4, true);
	tracer_text_putc(t, '\n');

	if (def->kind == TRACER_RETURN) {
		render_field(t, "unsigned long", "__probe_func",
			     offsetof(struct tracer_entry, ip), 8, false);
		render_field(t, "unsigned long", "__probe_ret_ip",
			     sizeof(struct tracer_entry), 8, false);
	} else {
		render_field(t, "unsigned long", "__probe_ip",
			     offsetof(struct tracer_entry, ip), 8, false);
	}
	for (i = 0; i < def->nargs; i++)
		render_arg_field(t, def, &def->args[i]);
	tracer_text_putc(t, '\n');
	render_print_fmt(t, def);
}

/**
 * tracer_render_def() - print a definition like uprobe_events lists it
 * @t: where to append it
 * @def: the definition
 *
 * The line can be written back to uprobe_events.
 */
void tracer_render_def(struct tracer_text *t, const struct tracer_def *def)
{
	unsigned int i;

	tracer_text_printf(t, "%c:%s/%s ", def->kind == TRACER_RETURN ? 'r' : 'p',
			   def->group, def->event);
	tracer_text_puts(t, def->path);
	tracer_text_printf(t, ":0x%016llx", (unsigned long long)def->offset);
	if (def->ref_ctr)
		tracer_text_printf(t, "(0x%llx)",
				   (unsigned long long)def->ref_ctr);
	if (def->expect_len)
		tracer_text_puts(t, " expect=");
	for (i = 0; i < def->expect_len; i++)
		tracer_text_printf(t, "%02x", def->expect[i]);
	if (def->stack)
		tracer_text_puts(t, def->stack == TRACER_AT_ENTRY ? " stack=entry" : " stack=any");
	for (i = 0; i < def->nargs; i++) {
		tracer_text_printf(t, " %s=", def->args[i].name);
		tracer_text_puts(t, def->args[i].body);
	}
	tracer_text_putc(t, '\n');
}
