// SPDX-License-Identifier: GPL-2.0
/*
 * Formats: they describe the records of events to the readers of the buffer, by id.
 *
 * If an event is removed, its format stays while records of the event may be in the buffer.  So
 * these records can still be read.
 */
#include <linux/limits.h>
#include <linux/slab.h>

#include "format.h"
#include "trace/buffer/buffer_read.h"
#include "trace/parse/parse.h"

static void format_free(struct tracer *t, struct tracer_format *format)
{
	lockdep_assert_held_write(&t->formats.sem);

	idr_remove(&t->formats.by_id, format->id);
	if (!format->described)
		atomic_dec(&t->formats.undescribed);
	tracer_def_free(format->def);
	kfree(format);
}

/**
 * tracer_format_create() - create the format of a new event
 * @t: the tracer
 * @def: the event's first definition, which the format takes over
 *
 * Return: the format, or an ERR_PTR: -ENOMEM, or -ENOSPC if all ids are in
 * use.  After an error the caller keeps @def.
 */
struct tracer_format *tracer_format_create(struct tracer *t,
					   struct tracer_def *def)
{
	struct tracer_format *format;
	int id;

	format = kzalloc(sizeof(*format), GFP_KERNEL);
	if (!format)
		return ERR_PTR(-ENOMEM);

	/* Cyclic, so that a stale id does not soon get a new meaning. */
	down_write(&t->formats.sem);
	id = idr_alloc_cyclic(&t->formats.by_id, format, 1, U16_MAX + 1, GFP_KERNEL);
	if (id >= 0) {
		format->id = id;
		format->def = def;
		atomic_inc(&t->formats.undescribed);
	}
	up_write(&t->formats.sem);
	if (id < 0) {
		kfree(format);
		return ERR_PTR(id);
	}
	return format;
}

/**
 * tracer_format_discard() - free the format of an event that has failed
 * @t: the tracer
 * @format: the format, of which there are no records; the caller keeps its definition
 */
void tracer_format_discard(struct tracer *t, struct tracer_format *format)
{
	down_write(&t->formats.sem);
	format->def = NULL;
	format_free(t, format);
	up_write(&t->formats.sem);
}

/* Free the oldest @count formats of removed events. */
static void forget(struct tracer *t, unsigned int count)
{
	struct tracer_format *format, *next;

	lockdep_assert_held_write(&t->formats.sem);

	list_for_each_entry_safe(format, next, &t->formats.forgotten, node) {
		if (!count--)
			break;
		list_del(&format->node);
		t->formats.nforgotten--;
		format_free(t, format);
	}
}

/**
 * tracer_format_release() - release the format of a removed event
 * @t: the tracer
 * @format: the format; no handler uses it any more
 *
 * If records of the event may be in the buffer, the format is freed later.
 */
void tracer_format_release(struct tracer *t, struct tracer_format *format)
{
	down_write(&t->formats.sem);
	if (tracer_buffer_empty(&t->buffer, TRACER_ALL_CPUS))
		forget(t, UINT_MAX);
	if (format->recorded) {
		if (t->formats.nforgotten == TRACER_FORGOTTEN_MAX)
			forget(t, 1);
		format->removed = true;
		list_add_tail(&format->node, &t->formats.forgotten);
		t->formats.nforgotten++;
	} else {
		format_free(t, format);
	}
	up_write(&t->formats.sem);
}

/**
 * tracer_formats_prune() - free the formats of all removed events
 * @t: the tracer, whose buffer is empty
 */
void tracer_formats_prune(struct tracer *t)
{
	down_write(&t->formats.sem);
	forget(t, UINT_MAX);
	up_write(&t->formats.sem);
}
