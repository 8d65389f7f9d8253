// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "errlog.h"
#include "parse.h"

/**
 * tracer_errlog_init() - initialize an empty log
 * @log: zeroed
 */
void tracer_errlog_init(struct tracer_errlog *log)
{
	mutex_init(&log->lock);
}

/**
 * tracer_errlog_add() - log an error; overwrite the oldest one
 * @log: the log
 * @line: the line that was written
 * @len: its length
 * @lineno: number of the line in the write, from 1; 0 if it was the only one
 * @diag: what is wrong with it
 *
 * If there is no memory for the line, the error is not logged.  The writer still
 * gets its errno.
 */
void tracer_errlog_add(struct tracer_errlog *log, const char *line, size_t len,
		       unsigned int lineno, const struct tracer_diag *diag)
{
	struct tracer_errlog_entry *entry;
	char *copy;

	/* If the line is too long, its beginning is enough. */
	len = min_t(size_t, len, TRACER_LINE_MAX);
	copy = kmemdup_nul(line, len, GFP_KERNEL);
	if (!copy)
		return;
	strreplace(copy, '\t', ' ');

	mutex_lock(&log->lock);
	entry = &log->entries[log->first];
	log->first = (log->first + 1) % TRACER_ERRLOG_MAX;
	kfree(entry->line);
	entry->ts = local_clock();
	entry->diag = *diag;
	entry->lineno = lineno;
	entry->line = copy;
	mutex_unlock(&log->lock);
}

/**
 * tracer_errlog_clear() - remove all errors
 * @log: the log
 */
void tracer_errlog_clear(struct tracer_errlog *log)
{
	unsigned int i;

	mutex_lock(&log->lock);
	for (i = 0; i < TRACER_ERRLOG_MAX; i++) {
		kfree(log->entries[i].line);
		log->entries[i].line = NULL;
	}
	log->first = 0;
	mutex_unlock(&log->lock);
}

static void show_entry(struct seq_file *m, const struct tracer_errlog_entry *entry)
{
	u64 sec = entry->ts;
	u32 nsec = do_div(sec, NSEC_PER_SEC);

	/* Print the same location as tracefs: scripts look for it. */
	seq_printf(m, "[%5llu.%06u] %s: error: %s", sec, nsec / 1000,
		   entry->diag.err < TRACER_ERR_FILTER_INVALID_OP ?
		   "trace_uprobe" : "event filter parse error",
		   tracer_err_text(entry->diag.err));
	if (entry->lineno)
		seq_printf(m, " (line %u)", entry->lineno);
	seq_printf(m, "\n  Command: %s\n", entry->line);
	seq_printf(m, "%*s^\n", (int)strlen("  Command: ") + entry->diag.column,
		   "");
}

/**
 * tracer_errlog_show() - print the log, oldest error first
 * @log: the log
 * @m: where to print it
 */
void tracer_errlog_show(struct tracer_errlog *log, struct seq_file *m)
{
	const struct tracer_errlog_entry *entry;
	unsigned int i;

	mutex_lock(&log->lock);
	for (i = 0; i < TRACER_ERRLOG_MAX; i++) {
		entry = &log->entries[(log->first + i) % TRACER_ERRLOG_MAX];
		if (entry->line)
			show_entry(m, entry);
	}
	mutex_unlock(&log->lock);
}
