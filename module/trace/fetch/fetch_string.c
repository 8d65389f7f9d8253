// SPDX-License-Identifier: GPL-2.0
/*
 * Strings that have a length, and strings in UTF-16 and UTF-32.  Like all strings,
 * they are recorded with a NUL at the end.  UTF-16 and UTF-32 become UTF-8.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "fetch_string.h"
#include "fetch_types.h"
#include "fetch_user.h"
#include "trace/lib/utf.h"
#include "trace/parse/def.h"

/* Bytes of the program's memory that are read at a time. */
#define CHUNK 64

/*
 * Keep a string that was cut.  Its last byte must not be a NUL: the missing NUL marks
 * the cut.
 */
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
		/* In task context, there is more room. */
		f->absent = true;
	} else {
		keep_cut(f, data, room);
	}
}

/*
 * Return how many of @left characters to read at a time.  Stop at the end of the page:
 * the page behind the string may be absent.
 */
static size_t chunk(u64 address, size_t unit, u64 left)
{
	size_t page = PAGE_SIZE - (address & ~PAGE_MASK);
	size_t len = max_t(size_t, rounddown(min_t(size_t, CHUNK, page), unit), unit);

	return min_t(u64, len / unit, left);
}

/* Convert @n characters.  Return: 1 at the end of the string, 0 before it, or -EFAULT. */
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
 * tracer_store_string() - fetch a string that has a length or wide characters
 * @f: the hit
 * @arg: the argument; not an array of strings that have a length
 * @data: place of its descriptor in the record.  The descriptor stays 0, shown as
 *	(fault), if the string cannot be read.
 * @address: where the string is
 * @len: its number of characters, if @arg has a length
 *
 * The room in the record bounds the memory that this function reads.
 *
 * Context: of the probe handler.
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
