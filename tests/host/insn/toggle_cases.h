/* SPDX-License-Identifier: GPL-2.0 */
/* Calls of functions of libc whose results depend on their arguments only. */
#ifndef INSN_TOGGLE_CASES_H
#define INSN_TOGGLE_CASES_H

#include <stdint.h>

/** CASE_ROOM - the size of what a call reads and writes, which begins at a page. */
#define CASE_ROOM 4096

/**
 * struct toggle_case - a call
 * @name: name of the function
 * @shape: how to call it, see toggle_case_run()
 * @s: a string
 * @t: another string
 * @n: a number
 * @m: another number
 */
struct toggle_case {
	const char *name;
	const char *shape;
	const char *s;
	const char *t;
	long n;
	long m;
};

extern const struct toggle_case toggle_cases[];
extern const unsigned int toggle_nr_cases;

/**
 * toggle_case_run() - call a function
 * @c: how
 * @fn: the function
 * @room: CASE_ROOM bytes that nobody else uses
 *
 * Return: a hash of the result and of the room.  Pointers into the room count by their distance.
 */
uint64_t toggle_case_run(const struct toggle_case *c, void *fn, unsigned char *room);

#endif /* INSN_TOGGLE_CASES_H */
