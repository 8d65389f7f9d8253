/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffer: the functions that read records.
 */
#ifndef _TRACER_BUFFER_READ_H
#define _TRACER_BUFFER_READ_H

#include <linux/types.h>

struct tracer_block;
struct tracer_buffer;
struct tracer_entries;
struct tracer_seen;
struct tracer_snapshot;

bool tracer_buffer_empty(struct tracer_buffer *b, int cpu);
bool tracer_buffer_take(struct tracer_buffer *b, int cpu, void *record,
			struct tracer_seen *seen);
const struct tracer_block *tracer_buffer_block(struct tracer_buffer *b, int only, bool wait,
					       bool *found, struct tracer_seen *seen, u32 *at);
void tracer_buffer_block_done(struct tracer_buffer *b, int cpu, const struct tracer_block *block);
int tracer_buffer_count(struct tracer_buffer *b, int cpu, struct tracer_entries *entries);
int tracer_snapshot_start(struct tracer_buffer *b, struct tracer_snapshot *s,
			  int cpu);
bool tracer_snapshot_next(struct tracer_buffer *b, struct tracer_snapshot *s,
			  void *record, struct tracer_seen *seen);
void tracer_snapshot_finish(struct tracer_snapshot *s);

#endif /* _TRACER_BUFFER_READ_H */
