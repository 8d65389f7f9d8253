/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make lines of a language with mistakes in them, and damaged files, for tests that try
 * thousands. They are the same on each machine: the random numbers come from xorshift64.
 */
#ifndef _TESTS_MUTATE_H
#define _TESTS_MUTATE_H

#include <string.h>

#define MUTATE_SEED 0x9e3779b97f4a7c15ULL

/**
 * struct mutate - a language
 * @seeds: good lines
 * @nseeds: number of them
 * @bytes: characters that have a meaning
 * @joints: texts to put between two lines; after an empty text, the second line
 *	begins at any of its characters
 * @njoints: number of them
 * @changes: maximum number of changes to a line
 */
struct mutate {
	const char * const *seeds;
	unsigned int nseeds;
	const char *bytes;
	const char * const *joints;
	unsigned int njoints;
	unsigned int changes;
};

/* Definitions of events. */
#define MUTATE_DEFINITION_BYTES	"pr-:/%@$+()\\\"#[],=.0x9aubstring \t_"
static const char * const mutate_definition_joints[] = { "" };

/* Filters of events. */
#define MUTATE_FILTER_BYTES	"&|!()<>=~\"'[]*?\\-0x9as8u "
static const char * const mutate_filter_joints[] = { " && ", " || " };

static unsigned long long mutate_state = MUTATE_SEED;

static unsigned int mutate_pick(unsigned int below)
{
	mutate_state ^= mutate_state << 13;
	mutate_state ^= mutate_state >> 7;
	mutate_state ^= mutate_state << 17;
	return (mutate_state >> 33) % below;
}

static size_t mutate_join(const struct mutate *m, char *line, size_t len,
			  size_t room)
{
	const char *joint = m->joints[mutate_pick(m->njoints)];
	const char *other = m->seeds[mutate_pick(m->nseeds)];

	if (!*joint)
		other += mutate_pick(strlen(other));
	if (len + strlen(joint) + strlen(other) > room)
		return len;
	memcpy(line + len, joint, strlen(joint));
	len += strlen(joint);
	memcpy(line + len, other, strlen(other));
	return len + strlen(other);
}

static size_t mutate_change(const struct mutate *m, char *line, size_t len,
			    size_t room)
{
	size_t at = len ? mutate_pick(len) : 0, left = len - at, n = 0;

	switch (mutate_pick(6)) {
	case 0:	/* another character */
		if (len)
			line[at] = m->bytes[mutate_pick(strlen(m->bytes))];
		return len;
	case 1:	/* any byte */
		if (len)
			line[at] = mutate_pick(256);
		return len;
	case 2:	/* one more character */
		if (len == room)
			return len;
		memmove(line + at + 1, line + at, left);
		line[at] = m->bytes[mutate_pick(strlen(m->bytes))];
		return len + 1;
	case 3:	/* a few characters less */
		if (len)
			n = 1 + mutate_pick(left < 8 ? left : 8);
		memmove(line + at, line + at + n, left - n);
		return len - n;
	case 4:	/* a piece twice */
		if (len)
			n = 1 + mutate_pick(left < 16 ? left : 16);
		if (len + n > room)
			return len;
		memmove(line + at + n, line + at, left);
		return len + n;
	default:
		return mutate_join(m, line, len, room);
	}
}

/**
 * mutate_line() - make a line
 * @m: the language
 * @line: buffer for the line, which has no NUL
 * @room: size of the buffer, larger than the longest good line
 *
 * Return: the length of the line.
 */
static inline size_t mutate_line(const struct mutate *m, char *line, size_t room)
{
	const char *seed = m->seeds[mutate_pick(m->nseeds)];
	unsigned int changes = mutate_pick(m->changes + 1);
	size_t len = strlen(seed);

	memcpy(line, seed, len);
	while (changes--)
		len = mutate_change(m, line, len, room);
	return len;
}

/* Return: a number like sizes and positions in files, or one at which comparisons change. */
static inline unsigned long long mutate_number(size_t size)
{
	switch (mutate_pick(5)) {
	case 0:
		return mutate_pick(16);
	case 1:
		return mutate_pick(2 * size);
	case 2:	/* some low bits, all of them set */
		return ~0ULL >> mutate_pick(64);
	case 3:	/* just below zero, just above a power of two */
		return (1ULL << mutate_pick(64)) - mutate_pick(2) * 2 * size + mutate_pick(size);
	default:
		return mutate_pick(1U << 31);
	}
}

/**
 * mutate_file() - damage a file in a binary format
 * @bytes: the file
 * @size: its length, more than 8 bytes
 *
 * Return: the new length.
 */
static inline size_t mutate_file(unsigned char *bytes, size_t size)
{
	unsigned int changes = 1 + mutate_pick(4);
	unsigned long long number;
	size_t at, from, width;

	while (changes--) {
		width = 1U << mutate_pick(4);
		at = mutate_pick(size - width + 1) / width * width;
		from = mutate_pick(size - width + 1) / width * width;
		number = mutate_number(size);
		/* One in four changes copies a number from elsewhere in the file. */
		if (mutate_pick(4))
			memcpy(bytes + at, &number, width);
		else
			memmove(bytes + at, bytes + from, width);
	}
	return mutate_pick(8) ? size : mutate_pick(size);
}

#endif /* _TESTS_MUTATE_H */
