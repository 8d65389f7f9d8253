/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log of the last errors.  Each has a message, the line that was written, and a
 * caret under the column of the error.
 */
#ifndef _TRACER_ERRLOG_H
#define _TRACER_ERRLOG_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "def.h"

struct seq_file;

#define TRACER_ERRLOG_MAX	8	/* errors that are kept */

/**
 * struct tracer_errlog_entry - one error
 * @ts: when, by the clock of the trace, in nanoseconds
 * @diag: what is wrong, and where in @line
 * @lineno: number of the line in the write, from 1; 0 if it was the only one
 * @line: the line; NULL in an unused entry
 */
struct tracer_errlog_entry {
	u64 ts;
	struct tracer_diag diag;
	unsigned int lineno;
	char *line;
};

/**
 * struct tracer_errlog - the error log
 * @lock: protects the rest
 * @first: the oldest entry
 * @entries: a ring
 */
struct tracer_errlog {
	struct mutex lock;	/* protects the rest */
	unsigned int first;
	struct tracer_errlog_entry entries[TRACER_ERRLOG_MAX];
};

void tracer_errlog_init(struct tracer_errlog *log);
void tracer_errlog_add(struct tracer_errlog *log, const char *line, size_t len,
		       unsigned int lineno, const struct tracer_diag *diag);
void tracer_errlog_clear(struct tracer_errlog *log);
void tracer_errlog_show(struct tracer_errlog *log, struct seq_file *m);

#endif /* _TRACER_ERRLOG_H */
