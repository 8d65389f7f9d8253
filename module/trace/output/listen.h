/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoint uprobes_ko:hit, which reports hits to other tools.
 */
#ifndef _TRACER_LISTEN_H
#define _TRACER_LISTEN_H

#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#include "trace/parse/record.h"

struct pt_regs;

DECLARE_TRACEPOINT(hit);

/* Check for listeners.  The check is a patched jump, so it costs nothing. */
static inline bool tracer_listened(void)
{
	return tracepoint_enabled(hit);
}

int tracer_listen_init(void);
void tracer_listen_exit(void);
void tracer_report(const struct tracer_def *def, const struct tracer_record *record, size_t len,
		   u64 ret_ip, const struct pt_regs *regs);

#endif /* _TRACER_LISTEN_H */
