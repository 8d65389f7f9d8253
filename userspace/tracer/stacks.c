// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer records addresses.  Mappings are read as soon as the stack of an event is there: the
 * task may end, or execute another program, before the names are looked up.  If it ended before
 * its first event was read, only addresses in the probed file get names.
 */
#include "stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbols/demangle.h"
#include "symbols/short_name.h"
#include "util/error.h"
#include "event_line.h"
#include "util/probe_site.h"
#include "util/util.h"

/* Number of programs that are kept.  With more of them, mappings are read repeatedly. */
#define TASKS_MAX 1024

static const struct mapping *find_mapping(const struct stack_task *task,
					  u64 addr)
{
	for (size_t i = 0; i < task->maps.n; i++)
		if (addr >= task->maps.v[i].start && addr < task->maps.v[i].end)
			return &task->maps.v[i];
	return NULL;
}

/* Without address randomization, only the name tells two programs of one task apart. */
static bool is_task(const struct stack_task *task, pid_t tid, const char *comm, size_t len)
{
	return task->tid == tid && strlen(task->comm) == len && !strncmp(task->comm, comm, len);
}

/* Get the address of the probe. */
static u64 probe_of(const struct event_line *event)
{
	return event->is_return ? event->func : event->addr;
}

/* Find the program that a task was executing, by the address of a hit. */
static struct stack_task *find_task(struct stacks *stacks, const struct event_line *event)
{
	for (size_t i = stacks->ntasks; i--;) {
		struct stack_task *task = &stacks->tasks[i];

		if (is_task(task, event->tid, event->comm, event->comm_len) &&
		    find_mapping(task, probe_of(event)))
			return task;
	}
	return NULL;
}

static struct stack_task *new_task(struct stacks *stacks, pid_t tid, const char *comm, size_t len)
{
	struct stack_task *task;

	if (!stacks->tasks)
		stacks->tasks = xcalloc(TASKS_MAX, sizeof(*stacks->tasks));
	if (stacks->ntasks < TASKS_MAX) {
		task = &stacks->tasks[stacks->ntasks++];
	} else {
		task = &stacks->tasks[stacks->next];
		stacks->next = (stacks->next + 1) % TASKS_MAX;
		mappings_free(&task->maps);
	}
	task->tid = tid;
	task->jit = NULL;
	snprintf(task->comm, sizeof(task->comm), "%.*s", (int)len, comm);
	return task;
}

/* Check whether two lists are of one program: its first mapping stays where it is. */
static bool same_program(const struct mappings *a, const struct mappings *b)
{
	return a->n && b->n && a->v[0].start == b->v[0].start && a->v[0].ino == b->v[0].ino;
}

/* Read the mappings that a task has now.  Return NULL if it has ended. */
static struct stack_task *read_task(struct stacks *stacks, pid_t tid, const char *comm, size_t len)
{
	struct stack_task *task = NULL;
	struct mappings maps;
	struct error *err = process_mappings(tid, &maps);

	if (err || !maps.n) {
		error_free(err);
		return NULL;
	}
	for (size_t i = 0; i < stacks->ntasks && !task; i++)
		if (is_task(&stacks->tasks[i], tid, comm, len) &&
		    same_program(&stacks->tasks[i].maps, &maps))
			task = &stacks->tasks[i];
	if (!task)
		task = new_task(stacks, tid, comm, len);
	mappings_free(&task->maps);
	task->maps = maps;
	task->round = stacks->round;
	return task;
}

/**
 * stacks_task() - read the mappings of a task beforehand: it may end before its stacks are named
 * @stacks: the known tasks and files
 * @tid: the task
 * @comm: its name, as in later events
 */
void stacks_task(struct stacks *stacks, pid_t tid, const char *comm)
{
	read_task(stacks, tid, comm, strlen(comm));
}

/**
 * stacks_note() - read the mappings of an event's task, if they are not known
 * @stacks: the known tasks and files
 * @event: the event, as soon as it is there
 */
void stacks_note(struct stacks *stacks, const struct event_line *event)
{
	stacks->noted = find_task(stacks, event);
	if (!stacks->noted)
		stacks->noted = read_task(stacks, event->tid, event->comm, event->comm_len);
}

/**
 * stacks_note_frame() - read mappings again if a stack goes through one that is not known
 * @stacks: the known tasks and files
 * @addr: an address of the stack of the event that was noted last
 */
void stacks_note_frame(struct stacks *stacks, u64 addr)
{
	struct stack_task *task = stacks->noted;
	char comm[sizeof(task->comm)];

	if (!task || task->round == stacks->round || find_mapping(task, addr))
		return;
	task->round = stacks->round;
	strcpy(comm, task->comm);
	stacks_task(stacks, task->tid, comm);
}

/*
 * Guess where a task that has ended had the probed file mapped: the address of its
 * hit tells.  The position in the page tells which site was hit.
 */
static bool guess_mapping(const struct event_line *event, const struct probe_sites *sites,
			  struct mapping *map)
{
	u64 addr = probe_of(event);
	struct stat st;

	for (size_t i = 0; i < sites->n; i++) {
		u64 offset = sites->v[i].offset;
		char *path = probe_site_file(&sites->v[i]);

		if (addr >= offset && !((addr - offset) % 4096) && !stat(path, &st) &&
		    st.st_size > (off_t)offset) {
			*map = (struct mapping) {
				.path = path, .start = addr - offset,
				.end = addr - offset + st.st_size, .dev = st.st_dev,
				.ino = st.st_ino, .exact = true,
			};
			return true;
		}
		free(path);
	}
	return false;
}

/**
 * stacks_event() - prepare for the stack of an event
 * @stacks: the known tasks and files
 * @event: the event, which was noted before
 * @sites: the sites of its probes
 */
void stacks_event(struct stacks *stacks, const struct event_line *event,
		  const struct probe_sites *sites)
{
	struct stack_task *task = find_task(stacks, event);
	struct mapping map;

	if (!task && guess_mapping(event, sites, &map)) {
		task = new_task(stacks, event->tid, event->comm, event->comm_len);
		mappings_add(&task->maps, &map);
	}
	/* The output of a JIT compiler is in no mapping of a file. */
	for (size_t i = stacks->ntasks; i-- && !task;)
		if (is_task(&stacks->tasks[i], event->tid, event->comm, event->comm_len))
			task = &stacks->tasks[i];
	if (!task)
		task = new_task(stacks, event->tid, event->comm, event->comm_len);
	stacks->task = task;
}

/* Open the file of a mapping: at its path if that is still this file, or in map_files. */
static struct error *open_object(pid_t tid, const struct mapping *map,
				 struct elf_image *img)
{
	struct error *err = NULL;
	struct stat st;
	char *path;

	if (!map->deleted && !stat(map->path, &st) && st.st_ino == map->ino &&
	    (!map->exact || st.st_dev == map->dev))
		return elf_image_open(map->path, img);
	path = xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, tid,
			 map->start, map->end);
	err = elf_image_open(path, img);
	free(path);
	if (!err) {
		/* The path in map_files is not valid later, so show the mapped path. */
		free(img->path);
		img->path = path_escape(map->path);
	}
	return err;
}

static struct stack_object *get_object(struct stacks *stacks, pid_t tid,
				       const struct mapping *map)
{
	struct stack_object *object;
	struct error *err;

	for (size_t i = 0; i < stacks->n; i++)
		if (stacks->objects[i]->ino == map->ino &&
		    stacks->objects[i]->dev == map->dev)
			return stacks->objects[i];
	object = xcalloc(1, sizeof(*object));
	object->dev = map->dev;
	object->ino = map->ino;
	err = open_object(tid, map, &object->image);
	object->usable = !err;
	error_free(err);
	if (object->usable)
		symbols_load(&object->image, "", stacks->debug_dir,
			     &object->syms);
	stacks->objects = grow(stacks->objects, stacks->n, &stacks->cap,
			       sizeof(*stacks->objects));
	stacks->objects[stacks->n++] = object;
	return object;
}

/* Name an address of JIT-compiled code: no file that can be read contains this code. */
static void name_jit(struct stacks *stacks, u64 addr, bool is_call, struct frame_name *name)
{
	struct stack_task *task = stacks->task;
	const struct perf_code *code;

	if (task && !task->jit)
		task->jit = perf_maps_get(&stacks->jit, task->tid);
	code = task && task->jit ? perf_map_find(task->jit, addr - is_call) : NULL;
	if (!code)
		return;
	name->object = task->jit->path;
	name->function = xstrdup(code->name);
	name->offset = addr - code->start;
}

/* Find the function at an address of a file.  Stacks come through the same ones again and again. */
static const struct stacks_name *name_of(struct stacks *stacks, struct stack_object *object,
					 u64 addr)
{
	u64 hash = (addr ^ (uintptr_t)object >> 4) * 0x9e3779b97f4a7c15;
	const struct symbol *sym;
	struct stacks_name *name;
	u64 end;

	if (!stacks->names)
		stacks->names = xcalloc(STACKS_NAMES, sizeof(*stacks->names));
	name = &stacks->names[hash >> 32 & (STACKS_NAMES - 1)];
	if (name->object == object && name->addr == addr)
		return name;
	free(name->function);
	*name = (struct stacks_name) { .object = object, .addr = addr };
	sym = symbols_function_at(&object->syms, addr, &end);
	if (!sym)
		return name;
	name->start = sym->addr;
	if (stacks->brief)
		name->function = short_name(sym->name);
	else if (is_mangled(sym->name))
		name->function = demangle(sym->name, DEMANGLE_CALL);
	if (!name->function)
		name->function = xstrdup(sym->name);
	return name;
}

/**
 * stacks_name() - find the location of an address of the last event's stack
 * @stacks: the known tasks and files
 * @addr: the address
 * @is_call: @addr is a return address; find the function of the call before it
 * @name: filled in; the caller frees its function
 */
void stacks_name(struct stacks *stacks, u64 addr, bool is_call,
		 struct frame_name *name)
{
	const struct mapping *map = NULL;
	const struct stacks_name *known;
	struct stack_object *object;
	struct error *err;
	u64 file_addr;

	memset(name, 0, sizeof(*name));
	if (stacks->task)
		map = find_mapping(stacks->task, addr);
	object = map ? get_object(stacks, stacks->task->tid, map) : NULL;
	if (!object || !object->usable) {
		name_jit(stacks, addr, is_call, name);
		return;
	}
	name->object = object->image.path;
	name->offset = addr - map->start + map->offset;
	/* A call at a function's very end returns to the next function. */
	err = elf_image_addr(&object->image, name->offset, &file_addr);
	if (err) {
		error_free(err);
		return;
	}
	known = name_of(stacks, object, file_addr - is_call);
	if (!known->function)
		return;
	name->offset = file_addr - known->start;
	name->function = xstrdup(known->function);
}

void stacks_free(struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->ntasks; i++)
		mappings_free(&stacks->tasks[i].maps);
	for (size_t i = 0; i < stacks->n; i++) {
		if (stacks->objects[i]->usable) {
			symbols_free(&stacks->objects[i]->syms);
			elf_image_close(&stacks->objects[i]->image);
		}
		free(stacks->objects[i]);
	}
	perf_maps_free(&stacks->jit);
	for (size_t i = 0; i < STACKS_NAMES && stacks->names; i++)
		free(stacks->names[i].function);
	free(stacks->names);
	free(stacks->tasks);
	free(stacks->objects);
	memset(stacks, 0, sizeof(*stacks));
}
