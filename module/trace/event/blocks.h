/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits that come from rings in blocks.
 */
#ifndef _TRACER_BLOCKS_H
#define _TRACER_BLOCKS_H

#include <linux/types.h>

struct tracer;
struct tracer_def;
struct tracer_record;
struct tracer_site;

void tracer_blocks_init(struct tracer *t);
void tracer_blocks_allow(struct tracer_site *site);
size_t tracer_block_expand(const struct tracer_def *def, struct tracer_record *record, size_t len);

#endif /* _TRACER_BLOCKS_H */
