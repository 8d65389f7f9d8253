/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_SEGMENT_H
#define _TRACER_SEGMENT_H

#include <linux/types.h>

/**
 * struct tracer_bytes - a source of a file's bytes
 * @read: copy @len bytes at @pos to @buf; return 0, or -errno if the file does not
 *	hold them all
 * @file: first argument of @read
 */
struct tracer_bytes {
	int (*read)(void *file, u64 pos, void *buf, size_t len);
	void *file;
};

int tracer_segment_distance(const struct tracer_bytes *bytes, u64 from, u64 to,
			    s64 *distance);

#endif /* _TRACER_SEGMENT_H */
