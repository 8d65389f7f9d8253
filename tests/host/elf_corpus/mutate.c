// SPDX-License-Identifier: GPL-2.0
#include "mutate.h"

#include <string.h>

#include "util/util.h"

static u64 state;

/* splitmix64 */
static u64 next(void)
{
	u64 z = (state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t below(size_t n)
{
	return n ? next() % n : 0;
}

/* Return: a random number or a value at which comparisons change. */
static u64 nasty(size_t size)
{
	static const u64 values[] = {
		0, 1, 0x7f, 0xff, 0xfff, 0x1000, 0x7fffffff, 0x80000000,
		0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff,
	};

	switch (below(4)) {
	case 0:
		return next();
	case 1:
		return size - below(64);
	case 2:
		return below(2 * size);
	default:
		return values[below(ARRAY_SIZE(values))];
	}
}

static void put(unsigned char *bytes, size_t size, size_t at)
{
	static const size_t widths[] = { 1, 2, 4, 8 };
	size_t width = widths[below(4)];
	u64 v = nasty(size);

	if (at > size - width)
		at = size - width;
	memcpy(bytes + at, &v, width);
}

static u64 get(const unsigned char *bytes, size_t at, size_t width)
{
	u64 v = 0;

	memcpy(&v, bytes + at, width);
	return v;
}

/**
 * mutate() - damage an ELF file
 * @seed: determines the damage
 * @bytes: the file, at least 64 bytes
 * @size: its length
 *
 * Change bytes, fields of the headers and tables, and parts of sections.
 *
 * Return: the new length.
 */
size_t mutate(u64 seed, unsigned char *bytes, size_t size)
{
	size_t n;

	state = seed;
	for (n = 1 + below(6); n; n--) {
		u64 phoff = get(bytes, 32, 8), shoff = get(bytes, 40, 8);
		u64 at;

		switch (below(6)) {
		case 0:
			put(bytes, size, 16 + below(48));
			break;
		case 1:
			put(bytes, size, phoff % size + below(56 * 13));
			break;
		case 2:
		case 3:
			put(bytes, size, shoff % size + below(64 * 40));
			break;
		case 4:
			/* Inside of some section. */
			at = shoff % size + 64 * below(40);
			if (at + 64 <= size)
				put(bytes, size, get(bytes, at + 24, 8) % size +
				    below(get(bytes, at + 32, 8) % size + 1));
			break;
		default:
			put(bytes, size, below(size));
		}
	}
	return below(8) ? size : below(size);
}
