// SPDX-License-Identifier: GPL-2.0
/*
 * Formats: what the readers of the buffer know about events, by id.
 *
 * A removed event's format stays while records of it may be in the buffer, so
 * that what was recorded can be read after the event is gone.
 */
#include <linux/limits.h>
#include <linux/slab.h>

#include "format.h"
#include "trace/buffer/buffer_read.h"
#include "trace/parse/parse.h"

static void format_free(struct tracer *t, struct tracer_format *format)
{
	lockdep_assert_held_write(&t->formats_sem);

	idr_remove(&t->formats, format->id);
	tracer_def_free(format->def);
	kfree(format);
}

/**
 * tracer_format_create() - make the format of a new event
 * @t: the tracer
 * @def: the event's first definition; the format's from now on
 *
 * Return: the format, or an ERR_PTR: -ENOMEM, or -ENOSPC when there are as
 * many events as ids.  Then @def is still the caller's.
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
	down_write(&t->formats_sem);
	id = idr_alloc_cyclic(&t->formats, format, 1, U16_MAX + 1, GFP_KERNEL);
	up_write(&t->formats_sem);
	if (id < 0) {
		kfree(format);
		return ERR_PTR(id);
	}
	format->id = id;
	format->def = def;
	return format;
}

/* Free the formats of removed events; the oldest @count of them. */
static void forget(struct tracer *t, unsigned int count)
{
	struct tracer_format *format, *next;

	lockdep_assert_held_write(&t->formats_sem);

	list_for_each_entry_safe(format, next, &t->forgotten, node) {
		if (!count--)
			break;
		list_del(&format->node);
		t->nforgotten--;
		format_free(t, format);
	}
}

/**
 * tracer_format_release() - the event is gone
 * @t: the tracer
 * @format: its format; no handler uses it any more
 */
void tracer_format_release(struct tracer *t, struct tracer_format *format)
{
	down_write(&t->formats_sem);
	if (tracer_buffer_empty(&t->buffer, TRACER_ALL_CPUS))
		forget(t, UINT_MAX);
	if (format->recorded) {
		if (t->nforgotten == TRACER_FORGOTTEN_MAX)
			forget(t, 1);
		format->removed = true;
		list_add_tail(&format->node, &t->forgotten);
		t->nforgotten++;
	} else {
		format_free(t, format);
	}
	up_write(&t->formats_sem);
}

/**
 * tracer_formats_prune() - the buffer is empty: forget removed events
 * @t: the tracer
 */
void tracer_formats_prune(struct tracer *t)
{
	down_write(&t->formats_sem);
	forget(t, UINT_MAX);
	up_write(&t->formats_sem);
}
