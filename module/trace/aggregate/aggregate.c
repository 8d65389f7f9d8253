// SPDX-License-Identifier: GPL-2.0
#include <linux/file.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "aggregate.h"
#include "aggregate_probe.h"
#include "trace/event/tasks.h"
#include "trace/parse/parse.h"

/**
 * aggregate_create() - create an empty set
 *
 * Return: the set, or NULL if there is no memory.
 */
struct aggregate *aggregate_create(void)
{
	struct aggregate *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return NULL;
	mutex_init(&set->lock);
	INIT_LIST_HEAD(&set->batches);
	return set;
}

/* Count the probes on instructions; the others are on return addresses. */
static unsigned int count_uprobes(const struct aggregate_batch *batch)
{
	const struct aggregate_probe *probe;
	unsigned int n = 0;

	for (probe = batch->probes; probe < batch->probes + batch->n; probe++) {
		if (probe->exits)
			n += probe->exits->n + 1;
		else
			n += probe->kind != TRACER_RETURN;
	}
	return n;
}

/* Fill the arrays of pointers for the bulk calls.  Return the number of probes in @rps. */
static unsigned int split(struct aggregate_batch *batch, struct uprobe **us,
			  struct uretprobe **rps)
{
	unsigned int i, n = 0, nreturns = 0;

	for (i = 0; i < batch->n; i++) {
		struct aggregate_probe *probe = &batch->probes[i];

		if (probe->exits) {
			memcpy(us + n, probe->exits->us, (probe->exits->n + 1) * sizeof(*us));
			n += probe->exits->n + 1;
		} else if (probe->kind == TRACER_RETURN) {
			rps[nreturns++] = &probe->rp;
		} else {
			us[n++] = &probe->rp.u;
		}
	}
	return nreturns;
}

static void unregister_one(struct aggregate_probe *probe)
{
	if (probe->exits)
		unregister_uprobes(probe->exits->us, probe->exits->n + 1);
	else if (probe->kind == TRACER_RETURN)
		unregister_uretprobe(&probe->rp);
	else
		unregister_uprobe(&probe->rp.u);
}

static int register_one(struct aggregate_probe *probe)
{
	if (probe->exits)
		return register_uprobes(probe->exits->us, probe->exits->n + 1);
	return probe->kind == TRACER_RETURN ? register_uretprobe(&probe->rp) :
					      register_uprobe(&probe->rp.u);
}

static void unregister_all(struct aggregate_batch *batch)
{
	unsigned int n = count_uprobes(batch), i;
	struct uprobe **us = kvcalloc(n ?: 1, sizeof(*us), GFP_KERNEL);
	struct uretprobe **rps = kvcalloc(batch->n, sizeof(*rps), GFP_KERNEL);

	if (us && rps) {
		i = split(batch, us, rps);
		unregister_uprobes(us, n);
		unregister_uretprobes(rps, i);
	} else {
		for (i = 0; i < batch->n; i++)
			unregister_one(&batch->probes[i]);
	}
	kvfree(us);
	kvfree(rps);
}

/* Register probes one by one, up to the first one that fails.  The ones before it stay. */
static int register_each(struct aggregate_batch *batch)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < batch->n && !ret; i++) {
		ret = register_one(&batch->probes[i]);
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		else if (ret)
			break;
		cond_resched();
	}
	batch->n = i;
	return ret;
}

static int register_all(struct aggregate_batch *batch)
{
	unsigned int n = count_uprobes(batch), nreturns;
	struct uprobe **us = kvcalloc(n ?: 1, sizeof(*us), GFP_KERNEL);
	struct uretprobe **rps = kvcalloc(batch->n, sizeof(*rps), GFP_KERNEL);
	int ret = -ENOMEM;

	if (us && rps) {
		nreturns = split(batch, us, rps);
		ret = n ? register_uprobes(us, n) : 0;
		if (!ret && nreturns) {
			ret = register_uretprobes(rps, nreturns);
			if (ret)
				unregister_uprobes(us, n);
		}
	}
	kvfree(us);
	kvfree(rps);
	return ret ? register_each(batch) : 0;
}

static void free_batch(struct aggregate_batch *batch)
{
	unsigned int cpu, i;

	if (batch->cells) {
		for_each_possible_cpu(cpu)
			kvfree(batch->cells[cpu]);
	}
	kfree(batch->cells);
	for (i = 0; i < batch->size; i++)
		aggregate_probe_free(&batch->probes[i]);
	kvfree(batch);
}

/**
 * aggregate_destroy() - unregister all probes of a set, and free it
 * @set: the set
 *
 * Context: may sleep.
 */
void aggregate_destroy(struct aggregate *set)
{
	struct aggregate_batch *batch, *next;

	list_for_each_entry_safe(batch, next, &set->batches, node) {
		unregister_all(batch);
		free_batch(batch);
	}
	tracer_tasks_release(&set->tasks);
	kvfree(set->calls);
	kvfree(set->stacks);
	kfree(set);
}

/* Handle a line that selects tasks, and set *@ret.  Return false if @line is of another kind. */
static bool take_tasks(struct aggregate *set, const char *line, bool late, int *ret)
{
	bool only = !strncmp(line, "only ", 5);

	if (!only && strncmp(line, "except ", 7))
		return false;
	if (late || !list_empty(&set->batches))
		*ret = -EBUSY;
	else if (only)
		*ret = tracer_tasks_only(&set->tasks, line + 5);
	else
		*ret = tracer_tasks_except(&set->tasks, line + 7);
	return true;
}

static int take_line(struct aggregate *set, struct aggregate_batch *batch,
		     const char *line, size_t len, size_t at)
{
	struct aggregate_probe *probe = &batch->probes[batch->n];
	struct file *last = batch->n ? probe[-1].rp.u.file : NULL;
	struct tracer_def *def;
	struct tracer_diag diag;
	int ret;

	if (take_tasks(set, line, batch->n, &ret))
		return ret;
	def = tracer_def_parse(line, len, &diag);
	if (IS_ERR(def))
		return PTR_ERR(def);
	ret = def->kind == TRACER_NOTHING ? 0 : -EINVAL;
	if ((def->kind == TRACER_PROBE || def->kind == TRACER_RETURN) &&
	    aggregate_probe_takes(def)) {
		aggregate_probe_free(probe);
		memset(probe, 0, sizeof(*probe));
		probe->batch = batch;
		probe->index = batch->n;
		probe->at = at;
		ret = aggregate_probe_prepare(probe, def, last);
		if (!ret)
			batch->n++;
		if (probe->values)
			return ret;
	}
	tracer_def_free(def);
	return ret;
}

/* Allocate the cells before the first probe is registered: handlers do not check for them. */
static int make_cells(struct aggregate_batch *batch)
{
	unsigned int cpu, i = 0;

	while (i < batch->n && (batch->probes[i].values || batch->probes[i].counts_all))
		i++;
	if (i == batch->n)
		return 0;
	batch->cells = kcalloc(nr_cpu_ids, sizeof(*batch->cells), GFP_KERNEL);
	if (!batch->cells)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		batch->cells[cpu] = kvcalloc(batch->n, sizeof(**batch->cells), GFP_KERNEL);
		if (!batch->cells[cpu])
			return -ENOMEM;
	}
	return 0;
}

static unsigned int count_lines(const char *text, size_t len)
{
	const char *line = text, *end = text + len, *newline;
	unsigned int n = 0;

	while (line < end) {
		newline = memchr(line, '\n', end - line);
		line = newline ? newline + 1 : end;
		n++;
	}
	return n;
}

/* The file of a probe is needed only while the probe is registered. */
static void forget_file(struct aggregate_probe *probe)
{
	unsigned int i;

	probe->rp.u.file = NULL;
	for (i = 0; probe->exits && i < probe->exits->n; i++)
		probe->exits->exits[i].u.file = NULL;
}

/**
 * aggregate_add() - carry out lines
 * @set: the set
 * @text: whole lines; changed
 * @len: number of characters
 *
 * Context: may sleep.
 * Return: number of characters that were carried out: all lines before the first one that fails.
 * If that is the very first line, its error.
 */
ssize_t aggregate_add(struct aggregate *set, char *text, size_t len)
{
	char *line = text, *end = text + len, *newline;
	struct aggregate_batch *batch;
	unsigned int n, prepared, i;
	int ret = 0, err;

	n = count_lines(text, len);
	batch = kvzalloc(struct_size(batch, probes, n), GFP_KERNEL);
	if (!batch)
		return -ENOMEM;
	batch->set = set;
	batch->size = n;

	mutex_lock(&set->lock);
	while (line < end) {
		newline = memchr(line, '\n', end - line) ?: end;
		*newline = '\0';
		ret = fatal_signal_pending(current) ? -EINTR :
		      take_line(set, batch, line, newline - line, line - text);
		if (ret)
			break;
		line = min(newline + 1, end);
		cond_resched();
	}
	prepared = batch->n;
	err = prepared ? make_cells(batch) : 0;
	if (err)
		batch->n = 0;
	else if (prepared)
		err = register_all(batch);
	if (err)
		ret = err;
	/* If a registration failed, its line and all lines behind it are not carried out. */
	if (batch->n < prepared)
		line = text + batch->probes[batch->n].at;
	for (i = 0; i < prepared; i++) {
		if (batch->probes[i].rp.u.file)
			fput(batch->probes[i].rp.u.file);
		forget_file(&batch->probes[i]);
	}
	if (batch->n)
		list_add_tail(&batch->node, &set->batches);
	else
		free_batch(batch);
	mutex_unlock(&set->lock);
	return line > text ? line - text : ret;
}

/**
 * aggregate_sum() - sum the counts of all CPUs for a probe that does not count by a value
 * @batch: the batch
 * @index: index of the probe in the batch
 * @sum: set to the sums
 * @times: of a return probe, set to the times of calls
 *
 * Context: may sleep; under aggregate.lock.
 *
 * A hit that happens meanwhile may be missing in the sums.
 */
void aggregate_sum(const struct aggregate_batch *batch, unsigned int index,
		   struct aggregate_cell *sum, struct uprobe_values *times)
{
	const struct aggregate_probe *probe = &batch->probes[index];
	const struct aggregate_exits *exits = probe->exits;
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	if (probe->counts_all) {
		sum->hits = uprobe_counts(&probe->rp.u).hits;
		return;
	}
	for_each_possible_cpu(cpu) {
		const struct aggregate_cell *cell = &batch->cells[cpu][index];

		sum->hits += READ_ONCE(cell->hits);
		sum->lost += READ_ONCE(cell->lost);
	}
	if (!probe->timer)
		return;
	uprobe_times(probe->timer, exits ? exits->us : NULL, exits ? exits->n : 0, times);
	for (i = 0; i < UPROBE_BUCKETS; i++)
		sum->hits += times->buckets[i];
}
