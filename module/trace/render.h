/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_RENDER_H
#define _TRACER_RENDER_H

#include <linux/types.h>

#include "record.h"
#include "text.h"

/**
 * struct tracer_seen - a record, taken out of the buffer
 * @record: its bytes
 * @len: how many
 * @cpu: where it was written
 * @ts: when, in nanoseconds
 * @lost: events that this CPU lost right before
 */
struct tracer_seen {
	const struct tracer_record *record;
	size_t len;
	int cpu;
	u64 ts;
	u64 lost;
};

void tracer_render(struct tracer_text *t, const struct tracer_def *def,
		   const struct tracer_seen *seen);
void tracer_render_format(struct tracer_text *t, const struct tracer_def *def,
			  unsigned int id);
void tracer_render_def(struct tracer_text *t, const struct tracer_def *def);

#endif /* _TRACER_RENDER_H */
