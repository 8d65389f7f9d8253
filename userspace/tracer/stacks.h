/* SPDX-License-Identifier: GPL-2.0 */
/* Find names for the addresses of user stacks. */
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
 * struct stack_object - a file that contains code of frames
 * @image: the file
 * @syms: its symbols
 * @usable: the file could be read; otherwise it provides no names
 * @dev: with @ino, its identity in /proc/PID/maps
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
 * struct stack_task - a program that a task executes, or has executed
 * @tid: its thread ID
 * @comm: its name, as the tracer writes it; another name may mean another program
 * @maps: its mappings; only that of the probed file if the task ended too early
 * @jit: names of JIT-compiled code; NULL until a file with names is found
 * @round: when @maps were read, see struct stacks
 */
struct stack_task {
	pid_t tid;
	char comm[64];
	struct mappings maps;
	struct perf_map *jit;
	u64 round;
};

/* Number of names that are kept. */
#define STACKS_NAMES 8192

/**
 * struct stacks_name - the name of an address
 * @object: the file; NULL if there is no name here
 * @addr: the address in the file, or the one before it, if it is a return address
 * @start: where the function begins
 * @function: its name; NULL if it has none
 */
struct stacks_name {
	const struct stack_object *object;
	u64 addr;
	u64 start;
	char *function;
};

/**
 * struct stacks - the known tasks and files
 * @debug_dir: the directory of separate debug files
 * @brief: give short names
 * @tasks: the tasks, each once for each program; @next is the oldest one, which is replaced next
 * @ntasks: number of @tasks
 * @next: see @tasks
 * @objects: the files
 * @n: number of @objects
 * @cap: capacity of @objects
 * @jit: files in which JIT compilers name their code
 * @task: the task of the last event
 * @noted: the task of the event that was noted last
 * @round: counts readings of events; mappings that were read since then have all that these need
 * @names: names that were found, by a hash of file and address; NULL before the first one
 */
struct stacks {
	const char *debug_dir;
	bool brief;
	struct stack_task *tasks;
	size_t ntasks;
	size_t next;
	struct stack_object **objects;
	size_t n;
	size_t cap;
	struct perf_maps jit;
	struct stack_task *task;
	struct stack_task *noted;
	u64 round;
	struct stacks_name *names;
};

/**
 * struct frame_name - the location of an address of a stack
 * @object: the file, escaped for messages; NULL if nothing is known
 * @function: the function's name, from malloc(); NULL if it is not known
 * @offset: distance from the function's start, or position in the file
 */
struct frame_name {
	const char *object;
	char *function;
	u64 offset;
};

void stacks_task(struct stacks *stacks, pid_t tid, const char *comm);
void stacks_note(struct stacks *stacks, const struct event_line *event);
void stacks_note_frame(struct stacks *stacks, u64 addr);
void stacks_event(struct stacks *stacks, const struct event_line *event,
		  const struct probe_sites *sites);
void stacks_name(struct stacks *stacks, u64 addr, bool is_call,
		 struct frame_name *name);
void stacks_free(struct stacks *stacks);

#endif /* _USERSPACE_STACKS_H */
