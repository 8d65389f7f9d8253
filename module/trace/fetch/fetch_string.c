// SPDX-License-Identifier: GPL-2.0
/*
 * Strings that have a length, and those of UTF-16 and UTF-32: what is recorded is
 * UTF-8 with a NUL behind it, as of all strings.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "fetch_string.h"
#include "fetch.h"
#include "fetch_user.h"
#include "trace/lib/utf.h"

/* Bytes of the program's memory that are read at once. */
#define CHUNK 64

/* Without a NUL, which marks the cut: the last one must not look like one. */
static void keep_cut(struct tracer_fetch *f, u8 *data, size_t len)
{
	const u8 *s = f->entry + f->used;

	while (len && !s[len - 1])
		len--;
	tracer_keep_string(f, data, len);
}

static void keep(struct tracer_fetch *f, u8 *data, size_t len, size_t room)
{
	if (len < room) {
		f->entry[f->used + len] = '\0';
		tracer_keep_string(f, data, len + 1);
	} else if (f->trap && room < TRACER_STRING_MAX) {
		/* There is more room in task context. */
		f->absent = true;
	} else {
		keep_cut(f, data, room);
	}
}

/*
 * How much to read of @left characters: not into the page behind the string, which
 * need not be there.
 */
static size_t chunk(u64 address, size_t unit, u64 left)
{
	size_t page = PAGE_SIZE - (address & ~PAGE_MASK);
	size_t len = max_t(size_t, rounddown(min_t(size_t, CHUNK, page), unit), unit);

	return min_t(u64, len / unit, left);
}

/* Return: 1 at the end of the string, 0 before it, -EFAULT. */
static int convert(struct tracer_fetch *f, struct tracer_utf *utf, u64 address, size_t n,
		   bool ends)
{
	size_t unit = utf->unit, i;
	u8 bytes[CHUNK];
	u32 c;

	if (tracer_read_user(f, bytes, address, n * unit))
		return -EFAULT;
	for (i = 0; i < n; i++) {
		c = 0;
		memcpy(&c, bytes + i * unit, unit);
		if ((!c && ends) || !tracer_utf_put(utf, c))
			return 1;
	}
	return 0;
}

static void store_wide(struct tracer_fetch *f, const struct tracer_arg *arg, u8 *data,
		       u64 address, u64 left)
{
	size_t room = min_t(size_t, TRACER_STRING_MAX, f->size - f->used), n;
	struct tracer_utf utf = {
		.unit = arg->type->unit, .buf = f->entry + f->used, .size = room,
	};
	int ret = 0;

	while (left && !ret) {
		n = chunk(address, utf.unit, left);
		ret = convert(f, &utf, address, n, !arg->length);
		address += n * utf.unit;
		left -= n;
	}
	if (ret < 0)
		return;
	tracer_utf_end(&utf);
	if (utf.cut)
		utf.len = room;
	keep(f, data, utf.len, room);
}

static void store_counted(struct tracer_fetch *f, u8 *data, u64 address, u64 len)
{
	size_t room = min_t(size_t, TRACER_STRING_MAX, f->size - f->used);
	size_t read = min_t(u64, len, room);

	if (read && tracer_read_user(f, f->entry + f->used, address, read))
		return;
	keep(f, data, read, room);
}

/**
 * tracer_store_string() - fetch a string that has a length, or wide characters
 * @f: the hit
 * @arg: the argument, which is no array of strings with a length
 * @data: where in the record its descriptor is; it stays 0, shown as (fault), if the string
 *	cannot be read
 * @address: where the string is
 * @len: its number of characters, if @arg has a length
 *
 * Context: of the probe handler.  What is read is bounded by what is kept.
 */
void tracer_store_string(struct tracer_fetch *f, const struct tracer_arg *arg, u8 *data,
			 u64 address, u64 len)
{
	if (f->used >= f->size) {
		f->absent = f->trap;
		tracer_keep_string(f, data, 0);
	} else if (arg->type->unit > 1) {
		store_wide(f, arg, data, address, arg->length ? len : U64_MAX);
	} else {
		store_counted(f, data, address, len);
	}
}
