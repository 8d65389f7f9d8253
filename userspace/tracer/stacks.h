/* SPDX-License-Identifier: GPL-2.0 */
/* Names for the addresses of user stacks. */
#ifndef _USERSPACE_STACKS_H
#define _USERSPACE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/library.h"
#include "symbols/perf_map.h"
#include "host/process.h"
#include "symbols/symbols.h"
#include "types.h"

struct event_line;
struct probe_sites;

/**
 * struct stack_object - a file that frames lie in
 * @image: the file
 * @syms: its symbols
 * @usable: it could be read; otherwise its frames stay addresses
 * @dev: with @ino, what /proc/PID/maps says of it
 * @ino: see @dev
 */
struct stack_object {
	struct elf_image image;
	struct symbols syms;
	bool usable;
	u64 dev;
	u64 ino;
};

/**
 * struct stack_task - a task whose stacks were seen
 * @tid: its thread ID
 * @comm: its name; another one may be another program
 * @maps: what it had mapped; only the probed file where it ended too early
 * @jit: names of code that no file holds; NULL until such a file is seen
 */
struct stack_task {
	pid_t tid;
	char comm[16];
	struct mappings maps;
	struct perf_map *jit;
};

/**
 * struct stacks - what is known of tasks and files
 * @debug_dir: where separate debug files are
 * @tasks: the tasks, the oldest one to be replaced next at @next
 * @ntasks: number of @tasks
 * @next: see @tasks
 * @objects: the files
 * @n: number of @objects
 * @cap: capacity of @objects
 * @jit: what JIT compilers say of their code
 * @task: the task of the last event
 * @fresh: its mappings have been read since
 */
struct stacks {
	const char *debug_dir;
	struct stack_task *tasks;
	size_t ntasks;
	size_t next;
	struct stack_object **objects;
	size_t n;
	size_t cap;
	struct perf_maps jit;
	struct stack_task *task;
	bool fresh;
};

/**
 * struct frame_name - where an address of a stack lies
 * @object: the file, as messages have it; NULL when nothing is known
 * @function: the function's name, from malloc(); NULL when it has none
 * @offset: distance from the function's start, or position in the file
 */
struct frame_name {
	const char *object;
	char *function;
	u64 offset;
};

void stacks_event(struct stacks *stacks, const struct event_line *event,
		  const struct probe_sites *sites);
void stacks_name(struct stacks *stacks, u64 addr, bool is_call,
		 struct frame_name *name);
void stacks_free(struct stacks *stacks);

#endif /* _USERSPACE_STACKS_H */
