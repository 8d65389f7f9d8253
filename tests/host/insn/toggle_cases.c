// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of functions of libc.  None of the functions allocates, locks, or keeps anything.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toggle_cases.h"

/* Where the strings, what is written, and a pointer that is stored are in the room. */
#define S	0
#define T	512
#define OUT	1024
#define END	2048

#define LOREM "the quick brown fox jumps over the lazy dog, and then it does so once more, by night"
#define DIGITS "  -123456789012345xyz"

/*
 * A shape has a letter for the result: l a long, p a pointer, d a double, i an int, v none.  Then one
 * for each argument: s and t the strings, n and m the numbers, o the memory that is written, e the
 * address of the pointer that is stored, c a function that compares ints, f a format with s, n and t.
 */
const struct toggle_case toggle_cases[] = {
	{ "strlen", "ls", LOREM },
	{ "strlen", "ls", "" },
	{ "strnlen", "lsn", LOREM, "", 20 },
	{ "strchr", "psn", LOREM, "", 'z' },
	{ "strrchr", "psn", LOREM, "", 'o' },
	{ "strchrnul", "psn", LOREM, "", '!' },
	{ "rawmemchr", "psn", LOREM, "", 'j' },
	{ "memchr", "psnm", LOREM, "", 'z', 60 },
	{ "memrchr", "psnm", LOREM, "", 'q', 60 },
	{ "strcmp", "ist", LOREM, "the quick brown fox" },
	{ "strcmp", "ist", "same", "same" },
	{ "strncmp", "istn", LOREM, "the quick brown dog", 16 },
	{ "strcasecmp", "ist", "The Quick", "tHE qUICK Brown" },
	{ "strncasecmp", "istn", "The Quick", "tHE qUICK Brown", 9 },
	{ "strverscmp", "ist", "item09b", "item10a" },
	{ "memcmp", "istn", LOREM, LOREM, 80 },
	{ "strstr", "pst", LOREM, "lazy dog" },
	{ "strcasestr", "pst", LOREM, "LAZY" },
	{ "memmem", "psntm", LOREM, "once", 80, 4 },
	{ "strspn", "lst", LOREM, "abcdefghijklmnopqrst " },
	{ "strcspn", "lst", LOREM, "zj" },
	{ "strpbrk", "pst", LOREM, "zxy" },
	{ "strsep", "pet", "", "," },
	{ "strcpy", "pos", LOREM },
	{ "stpcpy", "pos", LOREM },
	{ "strncpy", "posn", "short", "", 40 },
	{ "strcat", "pos", LOREM },
	{ "strlcpy", "losn", LOREM, "", 40 },
	{ "stpncpy", "posn", LOREM, "", 40 },
	{ "memcpy", "posn", LOREM, "", 70 },
	{ "memmove", "posn", LOREM, "", 33 },
	{ "mempcpy", "posn", LOREM, "", 70 },
	{ "memset", "ponm", "", "", 7, 90 },
	{ "memccpy", "posnm", LOREM, "", 'x', 70 },
	{ "swab", "vson", LOREM, "", 40 },
	{ "memfrob", "psn", LOREM, "", 30 },
	{ "bcmp", "istn", LOREM, LOREM, 60 },
	{ "strtol", "lsen", DIGITS, "", 10 },
	{ "strtol", "lsen", "0x7fffqq", "", 16 },
	{ "strtoul", "lsen", "777777779", "", 8 },
	{ "strtoll", "lsen", "zzzzz", "", 36 },
	{ "strtoull", "lsen", DIGITS, "", 0 },
	{ "atoi", "is", DIGITS },
	{ "atol", "ls", "-99" },
	{ "strtod", "dse", "  3.14159265358979e-7 rest" },
	{ "strtod", "dse", "123456789.125" },
	{ "strtof", "dse", "0x1.8p3" },
	{ "abs", "in", "", "", -7 },
	{ "labs", "ln", "", "", -70000000000 },
	{ "ffs", "in", "", "", 0x4400 },
	{ "ffsl", "in", "", "", 1l << 40 },
	{ "a64l", "ls", "zz/.A" },
	{ "rand_r", "io" },
	{ "insque", "voe" },
	{ "basename", "ps", "/usr/lib/libc.so.6" },
	{ "qsort", "vonmc", "", "", 24, 4 },
	{ "bsearch", "ptonmc", "", "", 24, 4 },
	{ "inet_aton", "iso", "192.168.17.5" },
	{ "inet_pton", "inso", "10.20.30.40", "", 2 },
	{ "inet_pton", "inso", "fe80::1:2:3", "", 10 },
	{ "inet_ntop", "pntom", "", "abcdefghijklmnop", 10, 64 },
	{ "inet_addr", "is", "1.2.3.4" },
	{ "inet_network", "is", "127.1" },
	{ "htonl", "in", "", "", 0x01020304 },
	{ "ether_aton_r", "pso", "0:11:22:aa:bb:cc" },
	{ "argz_count", "lsn", LOREM, "", sizeof(LOREM) },
	{ "argz_stringify", "vonm", "", "", 60, '-' },
	{ "dirname", "ps", "/usr/lib/x86_64//libc.so.6" },
	{ "wcslen", "lo" },
	{ "wmemset", "ponm", "", "", 0x41, 30 },
	{ "wmemcmp", "iotn", LOREM, LOREM, 10 },
	{ "snprintf", "ionf", LOREM, "tail", 200 },
	{ "snprintf", "ionf", "x", "y", 12 },
};

const unsigned int toggle_nr_cases = sizeof(toggle_cases) / sizeof(toggle_cases[0]);

static int compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t hash(uint64_t h, uint64_t value)
{
	h ^= value;
	h *= 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static void prepare(const struct toggle_case *c, unsigned char *room)
{
	char *end = (char *)room + S;
	int ints[24];

	memset(room, 0, CASE_ROOM);
	strcpy((char *)room + S, c->s ? c->s : "");
	strcpy((char *)room + T, c->t ? c->t : "");
	for (int i = 0; i < 24; i++)
		ints[i] = i * 7919 % 101;
	if (strchr(c->shape, 'c'))
		memcpy(room + OUT, ints, sizeof(ints));
	memcpy(room + END, &end, sizeof(end));
}

static long argument(const struct toggle_case *c, char letter, unsigned char *room)
{
	switch (letter) {
	case 's': return (long)(room + S);
	case 't': return (long)(room + T);
	case 'o': return (long)(room + OUT);
	case 'e': return (long)(room + END);
	case 'n': return c->n;
	case 'm': return c->m;
	case 'c': return (long)compare_ints;
	default: return 0;
	}
}

static uint64_t distance(const unsigned char *room, uint64_t pointer)
{
	return pointer - (uint64_t)room < CASE_ROOM ? pointer - (uint64_t)room + 1 : pointer;
}

/* Call the function.  Return its result. */
static uint64_t call(const struct toggle_case *c, void *fn, unsigned char *room)
{
	union {
		void *fn;
		long (*l)(long, long, long, long, long);
		double (*d)(long, long);
		int (*f)(char *, size_t, const char *, ...);
	} as = { fn };
	long args[5] = {};
	double d;
	uint64_t result;

	for (unsigned int i = 0; c->shape[1 + i]; i++)
		args[i] = argument(c, c->shape[1 + i], room);
	if (strchr(c->shape, 'f'))
		return (uint64_t)as.f((char *)room + OUT, (size_t)c->n, "%s|%5ld|%-8s|%x", c->s,
				      c->n, c->t, 48879);
	if (c->shape[0] == 'd') {
		d = as.d(args[0], args[1]);
		memcpy(&result, &d, sizeof(d));
		/* A float leaves the upper half of the register as it was. */
		return !strcmp(c->name, "strtof") ? (uint32_t)result : result;
	}
	result = (uint64_t)as.l(args[0], args[1], args[2], args[3], args[4]);
	switch (c->shape[0]) {
	case 'v': return 0;
	case 'i': return (uint32_t)result;
	case 'p': return distance(room, result);
	default: return result;
	}
}

uint64_t toggle_case_run(const struct toggle_case *c, void *fn, unsigned char *room)
{
	uint64_t h, word;

	prepare(c, room);
	h = hash(1, call(c, fn, room));
	for (unsigned int i = 0; i < CASE_ROOM; i += sizeof(word)) {
		memcpy(&word, room + i, sizeof(word));
		if (word)
			h = hash(h, distance(room, word) + i);
	}
	return h;
}
