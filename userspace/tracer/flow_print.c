// SPDX-License-Identifier: GPL-2.0
#include "flow_print.h"

#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "util/json.h"
#include "util/util.h"

/* Number of lines of a summary without --top. */
#define TOP_DEFAULT 20

/* Deeper calls are not indented further. */
#define INDENT_MAX 40

static bool too_deep(const struct flow *flow, size_t n)
{
	return flow->depth && n >= flow->depth;
}

/* The mark of a call that took long, as in the kernel's function_graph. */
static char mark(u64 took)
{
	static const struct {
		u64 ns;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' }, { 1000000, '#' },
		{ 100000, '!' }, { 10000, '+' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (took > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

static void print_start(const struct flow *flow, const struct flow_task *task, size_t n,
			const char *took, char marked)
{
	const char *color = !flow->colored ? "" : strchr("$@*#", marked) ? "\033[1;31m" :
			    marked == '!' ? "\033[33m" : "";

	char who[24];

	if (task->goroutine)
		snprintf(who, sizeof(who), "G%zu", task->nr);
	else
		snprintf(who, sizeof(who), "%d", task->tid);
	fprintf(task->out, "%s%9s %c%s [%7s] %*s", color, took, marked, *color ? "\033[0m" : "",
		who, (int)(2 * (n < INDENT_MAX ? n : INDENT_MAX)), "");
}

/** flow_print_begin() - print what comes before all calls */
void flow_print_begin(struct flow *flow)
{
	if (flow->form == FLOW_TEXT)
		fputs("# DURATION    [    TID] CALLS\n", flow->out);
	else if (flow->form == FLOW_JSON)
		fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", flow->out);
}

/* Objects of a row nest.  So a goroutine has a row of its own, beyond the ids of threads. */
static int row(const struct flow_task *task)
{
	return task->goroutine ? 10000000 + (int)task->nr : task->tid;
}

/* Begin an object: the one before is complete. */
static struct json next_object(struct flow *flow, const char *name, char phase,
			       const struct flow_task *task)
{
	struct json json = { .out = flow->out };

	fputs(flow->printed++ ? ",\n" : "", flow->out);
	json_open(&json, NULL, '{');
	json_text(&json, "name", name);
	json_raw(&json, "ph", "\"%c\"", phase);
	json_number(&json, "pid", task->pid);
	json_number(&json, "tid", row(task));
	return json;
}

/* Nanoseconds as microseconds. */
static void json_time(struct json *json, const char *key, u64 ns)
{
	json_raw(json, key, "%llu.%03llu", (unsigned long long)ns / 1000,
		 (unsigned long long)ns % 1000);
}

static void print_thread_name(struct flow *flow, const struct flow_task *task)
{
	struct json json = next_object(flow, "thread_name", 'M', task);
	char name[128];

	snprintf(name, sizeof(name), "%s goroutine 0x%llx", task->comm,
		 (unsigned long long)task->goroutine);
	json_open(&json, "args", '{');
	json_text(&json, "name", task->goroutine ? name : task->comm);
	json_close(&json, '}');
	json_close(&json, '}');
}

/**
 * flow_print_task() - a thread has its first event, or another name
 * @flow: the calls
 * @task: the thread; its output is set
 */
void flow_print_task(struct flow *flow, struct flow_task *task)
{
	const char *comm = task->comm;
	char who[24];

	if (flow->apart && task->out == flow->out) {
		task->out = open_memstream(&task->text, &task->size);
		if (!task->out)
			task->out = flow->out;
	}
	if (flow->form == FLOW_TEXT && task->goroutine) {
		snprintf(who, sizeof(who), "G%zu", task->nr);
		fprintf(task->out, "#             [%7s] is goroutine 0x%llx of %s (%d)\n", who,
			(unsigned long long)task->goroutine, comm, task->pid);
	} else if (flow->form == FLOW_TEXT) {
		fprintf(task->out, "#             [%7d] is a thread of %s (%d)\n", task->tid, comm,
			task->pid);
	} else if (flow->form == FLOW_JSON) {
		print_thread_name(flow, task);
	}
}

/**
 * flow_print_open() - print the first lines of calls that have none yet
 * @flow: the calls
 * @task: the thread
 * @n: the number of its outermost calls
 */
void flow_print_open(struct flow *flow, struct flow_task *task, size_t n)
{
	for (size_t i = 0; i < n && !too_deep(flow, i); i++) {
		if (task->v[i].open)
			continue;
		task->v[i].open = true;
		print_start(flow, task, i, "", ' ');
		fprintf(task->out, "%s() {\n", flow->functions[task->v[i].function].name);
	}
}

static void print_text(struct flow *flow, struct flow_task *task, size_t n, u64 took,
		       enum flow_how how)
{
	static const char *const notes[] = {
		[FLOW_LEFT] = "left without a return",
		[FLOW_UNDER_WAY] = "not finished",
	};
	const struct flow_call *call = &task->v[n];
	const char *name = flow->functions[call->function].name;
	char text[DURATION_LEN] = "";

	flow_print_open(flow, task, n);
	if (how != FLOW_UNDER_WAY)
		duration_text(took, text);
	print_start(flow, task, n, text, how == FLOW_UNDER_WAY ? ' ' : mark(took));
	if (call->open)
		fprintf(task->out, "} /* %s", name);
	else
		fprintf(task->out, "%s();%s", name, notes[how] ? " /*" : "");
	if (notes[how])
		fprintf(task->out, "%s%s", call->open ? ", " : " ", notes[how]);
	fputs(call->open || notes[how] ? " */\n" : "\n", task->out);
}

static void print_json(struct flow *flow, const struct flow_task *task,
		       const struct flow_call *call, u64 took, enum flow_how how)
{
	struct json json = next_object(flow, flow->functions[call->function].name,
				       how == FLOW_UNDER_WAY ? 'B' : 'X', task);

	json_time(&json, "ts", call->begin);
	if (how != FLOW_UNDER_WAY)
		json_time(&json, "dur", took);
	if (how == FLOW_LEFT) {
		json_open(&json, "args", '{');
		json_text(&json, "left", "without a return");
		json_close(&json, '}');
	}
	json_close(&json, '}');
}

/**
 * flow_print_call() - print a call that has ended, or that is under way at the end
 * @flow: the calls
 * @task: the thread
 * @n: the number of the call; all calls within it are printed
 * @time: when it ended
 * @how: how it ended
 */
void flow_print_call(struct flow *flow, struct flow_task *task, size_t n, u64 time,
		     enum flow_how how)
{
	const struct flow_call *call = &task->v[n];
	u64 took = time > call->begin ? time - call->begin : 0;
	bool wanted = how == FLOW_UNDER_WAY ? !flow->min : took >= flow->min;

	if (flow->form == FLOW_SUMMARY || too_deep(flow, n) || (!wanted && !call->open))
		return;
	if (flow->form == FLOW_TEXT)
		print_text(flow, task, n, took, how);
	else
		print_json(flow, task, call, took, how);
}

static int by_own(const void *pa, const void *pb)
{
	const struct flow_function *a = pa, *b = pb;

	if (a->own != b->own)
		return a->own < b->own ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void print_sum(const struct flow *flow, const struct flow_function *f)
{
	char text[4][DURATION_LEN];

	duration_text(f->own, text[0]);
	duration_text(f->total, text[1]);
	duration_text(f->sum / f->calls, text[2]);
	duration_text(f->max, text[3]);
	fprintf(flow->out, "%10llu %9s %9s %9s %9s  %s\n", (unsigned long long)f->calls,
		text[0], text[1], text[2], text[3], f->name);
}

static void json_sum(const struct flow *flow, const struct flow_function *f)
{
	struct json json = { .out = flow->out };

	json_open(&json, NULL, '{');
	json_text(&json, "function", f->name);
	json_number(&json, "calls", f->calls);
	json_number(&json, "own_ns", f->own);
	json_number(&json, "total_ns", f->total);
	json_number(&json, "mean_ns", f->sum / f->calls);
	json_number(&json, "max_ns", f->max);
	json_end(&json);
}

static void print_sums(struct flow *flow)
{
	size_t top = flow->top ? flow->top : TOP_DEFAULT, hidden = 0;

	qsort(flow->functions, flow->nr_functions, sizeof(*flow->functions), by_own);
	if (!flow->json)
		fprintf(flow->out, "%10s %9s %9s %9s %9s  %s\n", "CALLS", "OWN", "TOTAL", "MEAN",
			"MAX", "FUNCTION");
	for (size_t i = 0; i < flow->nr_functions; i++) {
		const struct flow_function *f = &flow->functions[i];

		if (!f->calls)
			continue;
		if (!top) {
			hidden++;
			continue;
		}
		top--;
		if (flow->json)
			json_sum(flow, f);
		else
			print_sum(flow, f);
	}
	if (hidden)
		fprintf(stderr, "%zu more functions were called; see --top\n", hidden);
}

/** flow_print_end() - print what comes after all calls */
void flow_print_end(struct flow *flow)
{
	for (size_t i = 0; i < flow->nr_tasks && flow->apart; i++) {
		struct flow_task *task = flow->tasks[i];

		fflush(task->out);
		if (task->out != flow->out)
			fwrite(task->text, 1, task->size, flow->out);
	}
	if (flow->lost && flow->form != FLOW_JSON && !flow->json)
		fprintf(flow->out, "# %llu events were lost: calls and times are not complete\n",
			(unsigned long long)flow->lost);
	if (flow->form == FLOW_JSON)
		fprintf(flow->out, "\n],\"otherData\":{\"lost_events\":\"%llu\"}}\n",
			(unsigned long long)flow->lost);
	else if (flow->form == FLOW_SUMMARY)
		print_sums(flow);
}
