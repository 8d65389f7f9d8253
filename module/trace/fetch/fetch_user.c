// SPDX-License-Identifier: GPL-2.0
/*
 * Read memory of the program for a fetch, and keep its strings in the record.
 */
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fetch_user.h"
#include "fetch_types.h"
#include "trace/parse/record.h"

/**
 * tracer_read_user() - read memory of the program
 * @f: the hit
 * @dst: where to put it
 * @address: where to read
 * @len: number of bytes
 *
 * Return: 0 or -EFAULT.  After -EFAULT in the trap, a read in task context may succeed.
 */
int tracer_read_user(struct tracer_fetch *f, void *dst, u64 address, size_t len)
{
	const void __user *src = (const void __user *)address;

	if (!f->trap)
		return copy_from_user(dst, src, len) ? -EFAULT : 0;
	if (!copy_from_user_nofault(dst, src, len))
		return 0;
	f->absent = true;
	return -EFAULT;
}

/**
 * tracer_keep_string() - keep the string that was put behind the used bytes of a record
 * @f: the hit
 * @data: place of its descriptor
 * @len: its bytes, with the NUL; a string without a NUL is shown as cut
 */
void tracer_keep_string(struct tracer_fetch *f, u8 *data, size_t len)
{
	u32 loc = tracer_string_loc(len, f->used);

	memcpy(data, &loc, sizeof(loc));
	f->used += len;
}
