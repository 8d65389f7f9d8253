// SPDX-License-Identifier: GPL-2.0
/*
 * Publish events as synthetic events.
 *
 * A synthetic event consists only of names.  If it is in use when publishing ends, it
 * stays, with no pointer into this module left in it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "trace/buffer/buffer.h"
#include "probe/base/compat.h"
#include "synth.h"
#include "synth_perf.h"

#define FIELDS_MAX	TRACER_SYNTH_FIELDS
#define STRING_MAX	256	/* bytes of a string in a field */
#define NAME_SIZE	(TRACER_ARG_NAME_MAX + 8)

/**
 * struct tracer_synth - a synthetic event
 * @file: its file in tracefs
 * @perf: its hook for perf
 * @fields: number of its fields
 * @strings: a bit per field: set if the field is a string
 */
struct tracer_synth {
	struct trace_event_file *file;
	struct tracer_perf *perf;
	unsigned int fields;
	DECLARE_BITMAP(strings, FIELDS_MAX);
};

/*
 * Return the type of a field.  Only numbers that are shown with a sign are signed.  A float
 * becomes an unsigned number with the same bits.
 */
static const char *field_type(const struct tracer_type *type)
{
	static const char * const unsigned_types[] = { "u8", "u16", "u32", "u64" };
	static const char * const signed_types[] = { "s8", "s16", "s32", "s64" };
	unsigned int i = ilog2(type->size);

	if (type->print == TRACER_PRINT_STRING)
		return "char[]";
	return type->print == TRACER_PRINT_SIGNED ? signed_types[i] :
						    unsigned_types[i];
}

static unsigned int count_fields(const struct tracer_def *def)
{
	unsigned int i, n = 1;

	for (i = 0; i < def->nargs; i++)
		n += max_t(unsigned int, def->args[i].count, 1);
	return n;
}

/* Fields: the address, then each argument, and each element of an array. */
static void name_fields(const struct tracer_def *def,
			struct synth_field_desc *fields,
			char (*names)[NAME_SIZE])
{
	const struct tracer_arg *arg;
	unsigned int i, j, n = 0;

	fields[n].type = "u64";
	fields[n++].name = "probe_ip";
	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		for (j = 0; j < max_t(unsigned int, arg->count, 1); j++, n++) {
			snprintf(names[n], sizeof(names[n]),
				 arg->count ? "%s_%u" : "%s", arg->name, j);
			fields[n].type = field_type(arg->type);
			fields[n].name = names[n];
		}
	}
}

static void mark_strings(struct tracer_synth *synth,
			 const struct tracer_def *def)
{
	const struct tracer_arg *arg;
	unsigned int i, n = 1, nr;

	for (i = 0; i < def->nargs; i++, n += nr) {
		arg = &def->args[i];
		nr = max_t(unsigned int, arg->count, 1);
		if (arg->type->print == TRACER_PRINT_STRING)
			bitmap_set(synth->strings, n, nr);
	}
}

static int create_event(const struct tracer_def *def, unsigned int n)
{
	struct synth_field_desc *fields;
	char (*names)[NAME_SIZE];
	int ret = -ENOMEM;

	fields = kcalloc(n, sizeof(*fields), GFP_KERNEL);
	names = kcalloc(n, sizeof(*names), GFP_KERNEL);
	if (fields && names) {
		name_fields(def, fields, names);
		ret = synth_event_create(def->event, fields, n, NULL);
	}
	kfree(names);
	kfree(fields);
	return ret;
}

/**
 * tracer_synth_create() - publish an event
 * @def: its definition
 *
 * Context: may sleep.
 * Return: the synthetic event, or an ERR_PTR: -E2BIG if it would have too many fields,
 * -EEXIST if a synthetic event has this name already, or the error of creating it.
 */
struct tracer_synth *tracer_synth_create(const struct tracer_def *def)
{
	struct tracer_synth *synth;
	int ret;

	synth = kzalloc(sizeof(*synth), GFP_KERNEL);
	if (!synth)
		return ERR_PTR(-ENOMEM);
	synth->fields = count_fields(def);
	if (synth->fields > FIELDS_MAX) {
		ret = -E2BIG;
		goto free_synth;
	}
	mark_strings(synth, def);
	ret = create_event(def, synth->fields);
	if (ret)
		goto free_synth;
	synth->file = trace_get_event_file(NULL, "synthetic", def->event);
	if (IS_ERR(synth->file)) {
		ret = PTR_ERR(synth->file);
		goto delete_event;
	}
	synth->perf = tracer_perf_hook(synth->file->event_call);
	if (!synth->perf) {
		ret = -ENOMEM;
		goto put_file;
	}
	return synth;

put_file:
	trace_put_event_file(synth->file);
delete_event:
	synth_event_delete(def->event);
free_synth:
	kfree(synth);
	return ERR_PTR(ret);
}

/**
 * tracer_synth_delete() - stop publishing an event
 * @synth: the synthetic event; no handler uses it any more
 * @def: the definition
 *
 * Return: 0, or -EBUSY if the synthetic event is enabled or has triggers.  It stays then,
 * without any more hits, until it is removed in tracefs.
 */
int tracer_synth_delete(struct tracer_synth *synth, const struct tracer_def *def)
{
	int ret;

	tracer_perf_unhook(synth->perf);
	trace_put_event_file(synth->file);
	kfree(synth);
	ret = synth_event_delete(def->event);
	if (ret)
		pr_notice("the synthetic event %s is in use and stays\n",
			  def->event);
	return ret;
}

static const char fault[] = "(fault)";

/* Find a string in the record, and cut it there to the size of a field. */
static const char *get_string(u8 *entry, size_t size, const u8 *data)
{
	u32 loc, offset, len;

	memcpy(&loc, data, sizeof(loc));
	offset = loc & 0xffff;
	len = loc >> 16;
	if (!len || offset > size || len > size - offset)
		return loc ? "" : fault;
	entry[offset + min_t(u32, len, STRING_MAX) - 1] = '\0';
	return (const char *)entry + offset;
}

/*
 * Cut strings so that tracefs takes the event with all its fields and the NULs of
 * strings.  Each string gets the room that the strings before it have left.
 */
static void cut_strings(const struct tracer_synth *synth, u64 *values, unsigned int n)
{
	size_t room = TRACER_FRAGMENT_MAX - TRACER_SYNTH_FIELDS_AT - n * sizeof(u64) -
		      bitmap_weight(synth->strings, n);
	unsigned int i;

	for_each_set_bit(i, synth->strings, n) {
		char *s = (char *)(unsigned long)values[i];
		size_t len = strlen(s);

		if (len > room && s == fault) {
			values[i] = (unsigned long)"";
			continue;
		}
		if (len > room) {
			len = room;
			s[len] = '\0';
		}
		room -= len;
	}
}

/**
 * tracer_synth_trace() - record a hit of a published event
 * @synth: the synthetic event
 * @def: the definition
 * @record: the hit's record; this function may cut its strings, so it must be the last
 *	to use the record
 * @len: its length
 * @regs: the task's registers
 *
 * If the strings are too long together, they are cut, the last ones first.
 *
 * Context: of the probe handler, under RCU.
 * Return: false if tracefs traces, but has no room for the hit.
 */
bool tracer_synth_trace(const struct tracer_synth *synth,
			const struct tracer_def *def,
			struct tracer_record *record, size_t len,
			const struct pt_regs *regs)
{
	u8 *entry = (u8 *)record + offsetof(struct tracer_record, entry);
	size_t size = len - offsetof(struct tracer_record, entry);
	const struct tracer_arg *arg;
	unsigned int i, j, n = 0;
	u64 values[FIELDS_MAX];
	const u8 *data;

	values[n++] = record->entry.ip;
	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		data = entry + tracer_args_offset(def) + arg->offset;
		for (j = 0; j < max_t(unsigned int, arg->count, 1); j++) {
			values[n] = 0;
			if (arg->type->print == TRACER_PRINT_STRING)
				values[n] = (unsigned long)get_string(entry, size, data);
			else
				memcpy(&values[n], data, arg->type->size);
			data += arg->type->size;
			n++;
		}
	}
	if (tracer_perf_wanted(synth->perf))
		tracer_perf_trace(synth->perf, def, values, n, synth->strings, regs);
	cut_strings(synth, values, n);
	return !synth_event_trace_array(synth->file, values, n) || !tracing_is_on();
}

/**
 * tracer_synth_exit() - wait until synthetic events do not use the module any more
 *
 * Context: module exit, after the last event is gone.
 */
void tracer_synth_exit(void)
{
	tracer_perf_exit();
}
