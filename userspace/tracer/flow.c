// SPDX-License-Identifier: GPL-2.0
/*
 * A call and its return are paired by the stack pointer: at an exit it is the same as at the
 * entry.  A call that is left by an exception or longjmp() has no return: it ends when a call
 * further up the stack does, or when another call begins there.
 */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

#include "flow_print.h"
#include "util/util.h"

/* A stack pointer that is higher by more than this is on another stack. */
#define STACK_MAX (8u << 20)

/*
 * Go moves the stack of a goroutine to where there is more room.  If that is as near as this, the
 * calls seem to be over.  Without a bound, those of the runtime, which never return, would pile up.
 */
#define GO_NEAR (32u << 10)

/* The largest number of bytes that a return takes off the stack. */
#define ARGUMENTS_MAX 256

/**
 * flow_add_function() - add a function
 * @flow: the calls
 * @name: its name, from malloc()
 * @tails: see struct flow_function
 *
 * Return: its number.
 */
size_t flow_add_function(struct flow *flow, char *name, bool tails)
{
	flow->functions = grow(flow->functions, flow->nr_functions, &flow->cap_functions,
			       sizeof(*flow->functions));
	flow->functions[flow->nr_functions] = (struct flow_function) {
		.name = name, .tails = tails,
	};
	return flow->nr_functions++;
}

static bool same_comm(const struct flow_task *task, const struct flow_event *event)
{
	return strlen(task->comm) == event->comm_len &&
	       !memcmp(task->comm, event->comm, event->comm_len);
}

static void set_comm(struct flow *flow, struct flow_task *task, const struct flow_event *event)
{
	snprintf(task->comm, sizeof(task->comm), "%.*s", (int)event->comm_len, event->comm);
	flow_print_task(flow, task);
}

/* Check whether an event is of this thread, or of this goroutine, whatever thread it is on. */
static bool is_of(const struct flow_task *task, const struct flow_event *event)
{
	if (event->goroutine)
		return task->goroutine == event->goroutine && task->pid == event->pid;
	return !task->goroutine && task->tid == event->tid;
}

static struct flow_task **list_of(struct flow *flow, const struct flow_event *event)
{
	u64 id = event->goroutine ? event->goroutine >> 5 : (u64)event->tid;

	return &flow->by_tid[id % FLOW_HASH];
}

static struct flow_task *find_task(struct flow *flow, const struct flow_event *event)
{
	struct flow_task *task = *list_of(flow, event);

	while (task && !is_of(task, event))
		task = task->next;
	return task;
}

static struct flow_task *make_task(struct flow *flow, const struct flow_event *event)
{
	struct flow_task **list = list_of(flow, event), *task = find_task(flow, event);

	if (task) {
		task->tid = event->tid;
		return task;
	}
	flow->tasks = grow(flow->tasks, flow->nr_tasks, &flow->cap_tasks, sizeof(*flow->tasks));
	task = xcalloc(1, sizeof(*task));
	*task = (struct flow_task) {
		.next = *list, .goroutine = event->goroutine, .nr = flow->nr_tasks + 1,
		.tid = event->tid, .pid = event->pid, .out = flow->out,
	};
	*list = task;
	flow->tasks[flow->nr_tasks++] = task;
	set_comm(flow, task, event);
	return task;
}

/*
 * A place on a stack is one in its process.  So an exit finds its call by that, whatever thread or
 * goroutine it seems to be on: code in assembly may use the register that has the goroutine.
 */
static struct flow_open **open_list(struct flow *flow, pid_t pid, size_t function, u64 sp)
{
	u64 hash = (sp ^ (u64)function << 40 ^ (u64)pid << 20) * 0x9e3779b97f4a7c15;

	return &flow->open[hash >> 32 & (FLOW_OPEN - 1)];
}

static void open_add(struct flow *flow, struct flow_task *task, const struct flow_event *event)
{
	struct flow_open **list = open_list(flow, task->pid, event->function, event->sp);
	struct flow_open *open = xmalloc(sizeof(*open));

	*open = (struct flow_open) { *list, task, event->function, event->sp };
	*list = open;
}

/* Find the link to a call; @task may be NULL for that of any task of the process. */
static struct flow_open **open_find(struct flow *flow, pid_t pid, const struct flow_task *task,
				    size_t function, u64 sp)
{
	struct flow_open **link = open_list(flow, pid, function, sp);

	while (*link && ((*link)->function != function || (*link)->sp != sp ||
			 (*link)->task->pid != pid || (task && (*link)->task != task)))
		link = &(*link)->next;
	return link;
}

static void open_remove(struct flow *flow, const struct flow_task *task,
			const struct flow_call *call)
{
	struct flow_open **link = open_find(flow, task->pid, task, call->function, call->sp);
	struct flow_open *open = *link;

	if (!open)
		return;
	*link = open->next;
	free(open);
}

/* Check for a call of the same function further out. */
static bool is_nested(const struct flow_task *task, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (task->v[i].function == task->v[n].function)
			return true;
	return false;
}

/* Forget the innermost call, whose end is not known. */
static void abandon_call(struct flow *flow, struct flow_task *task)
{
	open_remove(flow, task, &task->v[task->n - 1]);
	flow_print_call(flow, task, task->n - 1, 0, FLOW_UNDER_WAY);
	task->n--;
}

/* End the innermost call. */
static void end_call(struct flow *flow, struct flow_task *task, u64 time, enum flow_how how)
{
	struct flow_call *call = &task->v[task->n - 1];
	struct flow_function *function = &flow->functions[call->function];
	u64 took = time > call->begin ? time - call->begin : 0;

	/* Its return may have come after the place of it was removed. */
	if (how == FLOW_LEFT && flow->ending) {
		abandon_call(flow, task);
		return;
	}
	open_remove(flow, task, call);
	flow_print_call(flow, task, task->n - 1, time, how);
	function->calls++;
	function->sum += took;
	function->own += took > call->inner ? took - call->inner : 0;
	if (!is_nested(task, task->n - 1))
		function->total += took;
	if (took > function->max)
		function->max = took;
	flow->left += how == FLOW_LEFT;
	task->n--;
	if (task->n)
		task->v[task->n - 1].inner += took;
}

/* Check whether the task has another stack, or is further up the same one. */
static bool is_elsewhere(const struct flow_call *last, u64 sp)
{
	return sp > last->sp || last->sp - sp > STACK_MAX;
}

/*
 * A task that has executed another program has another name, and another stack.  The calls of the
 * old program are over.  So are those of a task that has ended, if another one has its id.
 */
static void notice_exec(struct flow *flow, struct flow_task *task, const struct flow_event *event)
{
	if (task->goroutine || (task->pid == event->pid && same_comm(task, event)))
		return;
	if (task->n && (task->pid != event->pid ||
			is_elsewhere(&task->v[task->n - 1], event->sp)))
		while (task->n)
			end_call(flow, task, event->time, FLOW_LEFT);
	task->pid = event->pid;
	set_comm(flow, task, event);
}

/*
 * Check whether a call must be over when another one begins: that one is further up the stack.  If
 * it is at the same place, a function may have jumped to another one.
 */
static bool is_over(const struct flow *flow, const struct flow_call *last,
		    const struct flow_event *event)
{
	u64 near = event->goroutine ? GO_NEAR : STACK_MAX;

	if (last->sp == event->sp)
		return last->function == event->function || !flow->functions[last->function].tails;
	return event->sp > last->sp && event->sp - last->sp <= near;
}

/** flow_begin() - begin to print */
void flow_begin(struct flow *flow)
{
	flow_print_begin(flow);
}

/**
 * flow_enter() - a call begins
 * @flow: the calls
 * @event: the hit at the entry
 */
void flow_enter(struct flow *flow, const struct flow_event *event)
{
	struct flow_task *task = make_task(flow, event);

	notice_exec(flow, task, event);
	while (task->n && is_over(flow, &task->v[task->n - 1], event))
		end_call(flow, task, event->time, FLOW_LEFT);
	if (flow->form == FLOW_TEXT && !flow->min && (!flow->depth || task->n < flow->depth))
		flow_print_open(flow, task, task->n);
	task->v = grow(task->v, task->n, &task->cap, sizeof(*task->v));
	task->v[task->n++] = (struct flow_call) {
		.function = event->function, .sp = event->sp, .begin = event->time,
	};
	open_add(flow, task, event);
}

/* Check whether an event is the end of a call. */
static bool is_end_of(const struct flow_call *call, const struct flow_event *event)
{
	if (call->function != event->function)
		return false;
	return event->behind ? event->sp > call->sp && event->sp - call->sp <= ARGUMENTS_MAX :
			       event->sp == call->sp;
}

/*
 * If the stack of a goroutine was moved, the innermost call of this function is what ends, and all
 * calls are where the stack is now.  Return the number of calls up to that one, or 0.
 */
static size_t follow_move(struct flow *flow, struct flow_task *task,
			  const struct flow_event *event)
{
	size_t n = task->n;
	u64 moved;

	while (n && task->v[n - 1].function != event->function)
		n--;
	if (!n || event->behind)
		return 0;
	moved = event->sp - task->v[n - 1].sp;
	for (size_t i = 0; i < task->n; i++) {
		struct flow_event place = *event;

		open_remove(flow, task, &task->v[i]);
		task->v[i].sp += moved;
		place.function = task->v[i].function;
		place.sp = task->v[i].sp;
		open_add(flow, task, &place);
	}
	return n;
}

/**
 * flow_leave() - a call ends
 * @flow: the calls
 * @event: the hit at a return instruction, or behind the return
 *
 * A call that began before the first event is not known, and its end is left out.
 */
void flow_leave(struct flow *flow, const struct flow_event *event)
{
	const struct flow_open *open = event->behind ? NULL :
		*open_find(flow, event->pid, NULL, event->function, event->sp);
	struct flow_task *task = open ? open->task : find_task(flow, event);
	size_t n = task ? task->n : 0;

	while (n && !is_end_of(&task->v[n - 1], event))
		n--;
	/* Behind a return, calls further in may have been left without one. */
	for (size_t i = n; event->behind && i; i--)
		if (is_end_of(&task->v[i - 1], event))
			n = i;
	if (!n && task && event->goroutine)
		n = follow_move(flow, task, event);
	if (!n)
		return;
	while (task->n > n)
		end_call(flow, task, event->time, FLOW_LEFT);
	end_call(flow, task, event->time, FLOW_RETURNED);
}

/** flow_end() - print what is left: the calls under way, threads apart, sums */
void flow_end(struct flow *flow)
{
	for (size_t i = 0; i < flow->nr_tasks; i++) {
		struct flow_task *task = flow->tasks[i];

		while (task->n)
			abandon_call(flow, task);
	}
	flow_print_end(flow);
}

void flow_free(struct flow *flow)
{
	for (size_t i = 0; i < flow->nr_functions; i++)
		free(flow->functions[i].name);
	for (size_t i = 0; i < flow->nr_tasks; i++) {
		if (flow->tasks[i]->out != flow->out)
			fclose(flow->tasks[i]->out);
		free(flow->tasks[i]->text);
		free(flow->tasks[i]->v);
		free(flow->tasks[i]);
	}
	free(flow->functions);
	free(flow->tasks);
	memset(flow, 0, sizeof(*flow));
}
