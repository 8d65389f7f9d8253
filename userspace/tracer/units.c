// SPDX-License-Identifier: GPL-2.0
/*
 * The module gives units in the order of their first hits.  So what is older than the first hit of
 * the last unit is complete, and is handled in the order of time.
 */
#include "units.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"

/* Between the words of a description. */
#define BLANKS "\n "

/* A product of 64 and 32 bits. */
typedef unsigned __int128 u128;

/* Bytes that are read at once. */
#define READ_SIZE (256u << 10)

/**
 * struct unit_held - a unit that is not handled yet
 * @next: the next one of its processor
 * @time: time of its next hit, in nanoseconds
 * @at: its next hit, for a block: a number of a word
 * @unit: the unit
 */
struct unit_held {
	struct unit_held *next;
	u64 time;
	size_t at;
	struct uprobes_unit unit;
};

/**
 * struct unit_queue - the units of a processor
 * @first: the first one, or NULL
 * @last: the last one, if there is one
 */
struct unit_queue {
	struct unit_held *first;
	struct unit_held *last;
};

static const struct uprobes_unit_block *block_of(const struct unit_held *held)
{
	return (const struct uprobes_unit_block *)&held->unit;
}

static size_t words_of(const struct uprobes_unit_block *block)
{
	return (block->unit.size - sizeof(*block)) / sizeof(u64);
}

/* Get the time of a hit that is not older than the one before it. */
static u64 hit_time(const struct uprobes_unit_block *block, u64 word, u64 oldest)
{
	s64 ago = (s64)((block->ticks << 8) - (word & ~0xffull)) >> 8;
	u64 time = block->now;

	if (ago > 0)
		time -= (u64)((u128)ago * block->mult >> block->shift);
	return (s64)(time - oldest) < 0 ? oldest : time;
}

/**
 * unit_value() - get the value of an argument, as its type has it
 * @hit: the hit
 * @arg: the argument
 */
u64 unit_value(const struct unit_hit *hit, const struct unit_arg *arg)
{
	u64 value = hit->addr;
	unsigned int unused = 64 - arg->bits;

	if (arg->index >= 0)
		value = (unsigned int)arg->index < hit->n ? hit->values[arg->index] : 0;
	value = value >> arg->shift << unused;
	return arg->form == 's' ? (u64)((s64)value >> unused) : value >> unused;
}

/**
 * unit_string() - get a string
 * @hit: the hit
 * @arg: the argument
 * @len: set to its length
 *
 * Return: its bytes; if it is truncated, no NUL is behind them.
 */
const char *unit_string(const struct unit_hit *hit, const struct unit_arg *arg, size_t *len)
{
	size_t index = arg->index, room = index < hit->n ? (hit->n - index) * sizeof(u64) : 0;
	const char *bytes = (const char *)(hit->values + index);

	*len = strnlen(bytes, room < arg->room ? room : arg->room);
	return bytes;
}

static const struct unit_event *event_of(const struct units *units, u64 word)
{
	static const struct unit_event gone = { .name = "a removed event" };
	size_t id = word >> 48;

	return id < units->nr_events && units->events[id].name ? &units->events[id] : &gone;
}

static void event_free(struct unit_event *event)
{
	for (size_t i = 0; i < event->n; i++)
		free(event->args[i].name);
	free(event->args);
	free(event->name);
	memset(event, 0, sizeof(*event));
}

/* Read a type: u8, s16, x32, b3@4/32 or string[64]. */
static void note_type(struct unit_arg *arg, const char *type)
{
	arg->form = type[0];
	arg->bits = strtoul(type + 1, NULL, 10);
	if (type[0] == 'b' && strchr(type, '@')) {
		arg->form = 'u';
		arg->shift = strtoul(strchr(type, '@') + 1, NULL, 10) % 64;
	} else if (str_starts(type, "string[")) {
		arg->form = 0;
		arg->room = strtoul(strchr(type, '[') + 1, NULL, 10);
	}
	/* Arguments of other types are never in blocks. */
	if (!arg->bits || arg->bits > 64)
		arg->bits = 64;
}

/* Note the description of an event: ID NAME ARG:VALUE:TYPE... */
static void note_event(struct units *units, char *line)
{
	char *save, *word = strtok_r(line, BLANKS, &save);
	size_t id = word ? strtoul(word, NULL, 10) : 0;
	struct unit_event *event;

	word = strtok_r(NULL, BLANKS, &save);
	if (id > UINT16_MAX || !word)
		return;
	if (id >= units->nr_events) {
		units->events = xreallocarray(units->events, id + 1, sizeof(*event));
		memset(units->events + units->nr_events, 0,
		       (id + 1 - units->nr_events) * sizeof(*event));
		units->nr_events = id + 1;
	}
	event = &units->events[id];
	/* Hits of a removed event may be held that had the same number. */
	if (event->name)
		units_flush(units);
	event_free(event);
	event->name = xstrdup(word);
	while ((word = strtok_r(NULL, BLANKS, &save))) {
		char *name = strsep(&word, ":"), *index = strsep(&word, ":");

		event->args = grow(event->args, event->n, &event->cap, sizeof(*event->args));
		event->args[event->n++] = (struct unit_arg) {
			.name = xstrdup(name),
			.index = index ? atoi(index) : -1,
		};
		note_type(&event->args[event->n - 1], word ?: "u64");
	}
}

/* Handle the hits of a block that are not later than @until.  Return whether all are handled. */
static bool handle_block(struct units *units, struct unit_held *held, u64 until)
{
	const struct uprobes_unit_block *block = block_of(held);
	size_t n = words_of(block);

	while (held->at + 2 <= n && held->time <= until) {
		const u64 *words = (const u64 *)block->words + held->at;
		struct unit_hit hit = {
			.block = block,
			.event = event_of(units, words[1]),
			.time = held->time,
			.addr = words[1] & ((1ull << 48) - 1),
			.values = words + 2,
			.n = words[0] & 0xff,
		};

		if (hit.n > n - held->at - 2)
			return true;
		units->hit(units->data, &hit);
		held->at += 2 + hit.n;
		if (held->at < n)
			held->time = hit_time(block, block->words[held->at], held->time);
	}
	return held->at + 2 > n;
}

/* Handle the first unit of a processor, as far as it is not later than @until. */
static void handle_first(struct units *units, struct unit_queue *queue, u64 until)
{
	struct unit_held *held = queue->first;

	if (held->unit.lost)
		units->lost(units->data, held->unit.lost);
	held->unit.lost = 0;
	if (held->unit.kind == UPROBES_UNIT_TEXT)
		units->lines(units->data, (char *)(&held->unit + 1));
	else if (!handle_block(units, held, until))
		return;
	queue->first = held->next;
	free(held);
}

/* Handle the hits up to @until in the order of their times. */
static void handle_until(struct units *units, u64 until)
{
	for (;;) {
		struct unit_queue *first = NULL;
		u64 second = until;

		for (size_t i = 0; i < units->nr_queues; i++) {
			struct unit_queue *queue = &units->queues[i];

			if (!queue->first)
				continue;
			if (!first || queue->first->time < first->first->time) {
				if (first && first->first->time < second)
					second = first->first->time;
				first = queue;
			} else if (queue->first->time < second) {
				second = queue->first->time;
			}
		}
		if (!first || first->first->time > until)
			return;
		handle_first(units, first, second);
	}
}

static void hold(struct units *units, const struct uprobes_unit *unit)
{
	struct unit_held *held = xmalloc(sizeof(*held) - sizeof(*unit) + unit->size);
	struct unit_queue *queue;

	held->next = NULL;
	held->at = 0;
	memcpy(&held->unit, unit, unit->size);
	held->time = unit->time;
	if (unit->kind == UPROBES_UNIT_TEXT)
		((char *)&held->unit)[unit->size - 1] = '\0';
	if (unit->cpu >= units->nr_queues) {
		units->queues = xreallocarray(units->queues, unit->cpu + 1, sizeof(*queue));
		memset(units->queues + units->nr_queues, 0,
		       (unit->cpu + 1 - units->nr_queues) * sizeof(*queue));
		units->nr_queues = unit->cpu + 1;
	}
	queue = &units->queues[unit->cpu];
	if (queue->first)
		queue->last->next = held;
	else
		queue->first = held;
	queue->last = held;
}

static void take(struct units *units, struct uprobes_unit *unit)
{
	if (unit->kind == UPROBES_UNIT_EVENT) {
		((char *)unit)[unit->size - 1] = '\0';
		note_event(units, (char *)(unit + 1));
		return;
	}
	/* A newer module may have further kinds. */
	if (unit->kind != UPROBES_UNIT_TEXT && unit->kind != UPROBES_UNIT_BLOCK)
		return;
	hold(units, unit);
	/* Of the hits that come at this moment, those of other processors may follow. */
	if (unit->time)
		handle_until(units, unit->time - 1);
}

/**
 * units_read() - read units, and handle those that are complete
 * @units: the units
 *
 * Return: as read(); with EPROTO if these are no units.
 */
ssize_t units_read(struct units *units)
{
	size_t at = 0;
	ssize_t n;

	if (units->cap - units->len < READ_SIZE) {
		units->cap += READ_SIZE;
		units->buf = xreallocarray(units->buf, units->cap, 1);
	}
	n = read(units->fd, units->buf + units->len, READ_SIZE);
	if (n <= 0)
		return n;
	units->len += n;
	while (units->len - at >= sizeof(struct uprobes_unit)) {
		struct uprobes_unit *unit = (struct uprobes_unit *)(units->buf + at);

		if (unit->size < sizeof(*unit)) {
			errno = EPROTO;
			return -1;
		}
		if (unit->size > units->len - at)
			break;
		take(units, unit);
		at += unit->size;
	}
	/* The lines of a record may be read in several pieces. */
	units->len -= at;
	memmove(units->buf, units->buf + at, units->len);
	return n;
}

/** units_flush() - handle all units that have been read: none is older that will be read */
void units_flush(struct units *units)
{
	handle_until(units, UINT64_MAX);
}

void units_free(struct units *units)
{
	for (size_t i = 0; i < units->nr_queues; i++) {
		while (units->queues[i].first) {
			struct unit_held *held = units->queues[i].first;

			units->queues[i].first = held->next;
			free(held);
		}
	}
	for (size_t i = 0; i < units->nr_events; i++)
		event_free(&units->events[i]);
	free(units->queues);
	free(units->events);
	free(units->buf);
}
