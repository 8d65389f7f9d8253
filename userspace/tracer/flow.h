/* SPDX-License-Identifier: GPL-2.0 */
/* The calls of a program as they nest, from hits at entries and exits of functions. */
#ifndef _USERSPACE_FLOW_H
#define _USERSPACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "types.h"

/**
 * struct flow_function - a function, and the sums of its calls
 * @name: for the user
 * @tails: it may be left by a jump to another function
 * @calls: number of calls that have ended
 * @total: nanoseconds in these calls; calls within a call of the same function count once
 * @own: nanoseconds in these calls without those in calls of other functions that are followed
 * @sum: nanoseconds in these calls, each by itself
 * @max: nanoseconds in the longest call
 */
struct flow_function {
	char *name;
	bool tails;
	u64 calls;
	u64 total;
	u64 own;
	u64 sum;
	u64 max;
};

/**
 * struct flow_call - a call that has not ended
 * @function: number of its function
 * @sp: the stack pointer at its entry
 * @begin: when it began, in nanoseconds
 * @inner: nanoseconds in calls from it
 * @open: its first line is printed
 */
struct flow_call {
	size_t function;
	u64 sp;
	u64 begin;
	u64 inner;
	bool open;
};

/**
 * struct flow_task - a thread, or a goroutine
 * @next: the next one with the same hash
 * @goroutine: the address of the goroutine; 0 for a thread
 * @nr: its number, from 1 on
 * @tid: the thread, or the one that the goroutine was last on
 * @pid: the id of its process
 * @comm: its name, as the tracer writes it: up to 15 bytes, each of up to four characters
 * @v: its calls, the outermost one first
 * @n: number of @v
 * @cap: capacity of @v
 * @out: where its lines go
 * @text: if threads are printed apart, what @out has collected
 * @size: bytes of @text
 */
struct flow_task {
	struct flow_task *next;
	u64 goroutine;
	size_t nr;
	pid_t tid;
	pid_t pid;
	char comm[64];
	struct flow_call *v;
	size_t n;
	size_t cap;
	FILE *out;
	char *text;
	size_t size;
};

/* Number of lists of threads, and of lists of calls. */
#define FLOW_HASH 1024
#define FLOW_OPEN 16384

/**
 * struct flow_open - a call that has not ended
 * @next: the next one with the same hash
 * @task: the thread or goroutine that it is of
 * @function: its function
 * @sp: the stack pointer at its entry
 */
struct flow_open {
	struct flow_open *next;
	struct flow_task *task;
	size_t function;
	u64 sp;
};

/**
 * enum flow_form - what to print
 * @FLOW_TEXT: lines as the calls begin and end
 * @FLOW_JSON: an object for each call, in the Trace Event Format
 * @FLOW_SUMMARY: a line for each function at the end
 */
enum flow_form {
	FLOW_TEXT,
	FLOW_JSON,
	FLOW_SUMMARY,
};

/**
 * struct flow - all calls
 * @functions: the functions
 * @nr_functions: number of @functions
 * @cap_functions: capacity of @functions
 * @tasks: the threads; they stay at their addresses
 * @nr_tasks: number of @tasks
 * @cap_tasks: capacity of @tasks
 * @by_tid: lists of the threads, by a hash of their ids
 * @open: lists of the calls that have not ended, by a hash of process, function and stack pointer
 * @out: the output file
 * @form: what to print
 * @json: write the summary as objects
 * @apart: print each thread by itself, at the end
 * @min: print only calls of at least this time, in nanoseconds, and their callers
 * @depth: the number of levels to print; 0 for all
 * @top: the number of functions in a summary
 * @colored: write colours
 * @ending: the places of returns are being removed, so a call may have returned unseen
 * @left: number of calls that ended without a return
 * @lost: number of events that were lost; set at the end
 * @printed: number of objects printed
 */
struct flow {
	struct flow_function *functions;
	size_t nr_functions;
	size_t cap_functions;
	struct flow_task **tasks;
	size_t nr_tasks;
	size_t cap_tasks;
	struct flow_task *by_tid[FLOW_HASH];
	struct flow_open *open[FLOW_OPEN];
	FILE *out;
	enum flow_form form;
	bool json;
	bool apart;
	u64 min;
	u64 depth;
	u64 top;
	bool colored;
	bool ending;
	u64 left;
	u64 lost;
	u64 printed;
};

/**
 * struct flow_event - a hit
 * @tid: the thread
 * @pid: its process
 * @goroutine: in a Go program, the address of the goroutine; otherwise 0
 * @comm: its name
 * @comm_len: bytes of @comm
 * @function: number of the function
 * @sp: the stack pointer
 * @behind: @sp is that behind the return, which has taken the return address off the stack, and
 *	perhaps arguments (ret n)
 * @time: in nanoseconds
 */
struct flow_event {
	pid_t tid;
	pid_t pid;
	u64 goroutine;
	const char *comm;
	size_t comm_len;
	size_t function;
	u64 sp;
	bool behind;
	u64 time;
};

size_t flow_add_function(struct flow *flow, char *name, bool tails);
void flow_begin(struct flow *flow);
void flow_enter(struct flow *flow, const struct flow_event *event);
void flow_leave(struct flow *flow, const struct flow_event *event);
void flow_end(struct flow *flow);
void flow_free(struct flow *flow);

#endif /* _USERSPACE_FLOW_H */
