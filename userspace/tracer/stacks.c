// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer records addresses.  They are looked up in the mappings of the task
 * while the task still runs.  If a task ended before its first event was read, only
 * addresses in the probed file get names.
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

/* Number of tasks that are kept.  With more tasks, mappings are read repeatedly. */
#define TASKS_MAX 256

static const struct mapping *find_mapping(const struct stack_task *task,
					  u64 addr)
{
	for (size_t i = 0; i < task->maps.n; i++)
		if (addr >= task->maps.v[i].start && addr < task->maps.v[i].end)
			return &task->maps.v[i];
	return NULL;
}

static bool same_name(const struct stack_task *task,
		      const struct event_line *event)
{
	return strlen(task->comm) == event->comm_len &&
	       !strncmp(task->comm, event->comm, event->comm_len);
}

static struct stack_task *new_task(struct stacks *stacks)
{
	struct stack_task *task;

	if (!stacks->tasks)
		stacks->tasks = xcalloc(TASKS_MAX, sizeof(*stacks->tasks));
	if (stacks->ntasks < TASKS_MAX)
		return &stacks->tasks[stacks->ntasks++];
	task = &stacks->tasks[stacks->next];
	stacks->next = (stacks->next + 1) % TASKS_MAX;
	mappings_free(&task->maps);
	return task;
}

/* Read the mappings of a task.  If there are none, keep the old ones: it may have ended. */
static bool read_mappings(struct stack_task *task)
{
	struct mappings maps;
	struct error *err = process_mappings(task->tid, &maps);

	if (err) {
		error_free(err);
		return false;
	}
	if (!maps.n) {
		mappings_free(&maps);
		return false;
	}
	mappings_free(&task->maps);
	task->maps = maps;
	return true;
}

/*
 * Guess where a task that has ended had the probed file mapped: the address of its
 * hit tells.  The position in the page tells which site was hit.
 */
static void guess_mappings(struct stack_task *task,
			   const struct event_line *event,
			   const struct probe_sites *sites)
{
	u64 addr = event->is_return ? event->func : event->addr;
	struct mapping map = { 0 };
	struct stat st;

	for (size_t i = 0; i < sites->n; i++) {
		u64 offset = sites->v[i].offset;
		char *path = probe_site_file(&sites->v[i]);

		if (map.path || addr < offset || (addr - offset) % 4096 ||
		    stat(path, &st)) {
			free(path);
			continue;
		}
		map.path = path;
		map.start = addr - offset;
		map.end = map.start + st.st_size;
		map.dev = st.st_dev;
		map.ino = st.st_ino;
		map.exact = true;
	}
	mappings_free(&task->maps);
	if (map.path)
		mappings_add(&task->maps, &map);
}

/**
 * stacks_task() - read the mappings of a task beforehand: it may end before its stacks are named
 * @stacks: the known tasks and files
 * @tid: the task
 * @comm: its name, as in later events
 */
void stacks_task(struct stacks *stacks, pid_t tid, const char *comm)
{
	struct stack_task *task = NULL;

	for (size_t i = 0; i < stacks->ntasks && !task; i++)
		if (stacks->tasks[i].tid == tid)
			task = &stacks->tasks[i];
	if (!task)
		task = new_task(stacks);
	task->tid = tid;
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	read_mappings(task);
}

/**
 * stacks_event() - prepare for the stack of an event
 * @stacks: the known tasks and files
 * @event: the event
 * @sites: the sites of its probes
 */
void stacks_event(struct stacks *stacks, const struct event_line *event,
		  const struct probe_sites *sites)
{
	struct stack_task *task = NULL;
	bool known;

	for (size_t i = 0; i < stacks->ntasks && !task; i++)
		if (stacks->tasks[i].tid == event->tid)
			task = &stacks->tasks[i];
	known = task && same_name(task, event) &&
		find_mapping(task, event->addr);
	if (!task) {
		task = new_task(stacks);
		task->tid = event->tid;
	}
	if (!known) {
		task->jit = NULL;
		snprintf(task->comm, sizeof(task->comm), "%.*s",
			 (int)event->comm_len, event->comm);
		if (!read_mappings(task) || !find_mapping(task, event->addr))
			guess_mappings(task, event, sites);
	}
	stacks->task = task;
	stacks->fresh = !known;
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
	if (!map && stacks->task && !stacks->fresh) {
		/* A library may have been loaded meanwhile. */
		stacks->fresh = true;
		read_mappings(stacks->task);
		map = find_mapping(stacks->task, addr);
	}
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
