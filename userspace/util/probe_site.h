/* SPDX-License-Identifier: GPL-2.0 */
/* The places of an event, and the arguments that it fetches there. */
#ifndef _USERSPACE_PROBE_SITE_H
#define _USERSPACE_PROBE_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "types.h"

/**
 * struct probe_site - one place of an event
 * @path: the file, or the memory of a process, as one word of uprobe_events
 * @offset: position in the file, or address in the memory
 * @counter: position of the reference counter in the file, or 0
 * @args: fetch arguments, "" for none
 * @entry: stacks are wanted, and the return address is at the stack pointer: at the entry of a
 *	function, and at its return instructions
 * @expected: the bytes of the instruction at the place in hexadecimal; "" if not known
 */
struct probe_site {
	char *path;
	u64 offset;
	u64 counter;
	char *args;
	bool entry;
	char *expected;
};

/**
 * struct probe_sites - all places of an event
 * @v: the places
 * @n: number of @v
 * @cap: capacity of @v
 */
struct probe_sites {
	struct probe_site *v;
	size_t n;
	size_t cap;
};

void probe_sites_add(struct probe_sites *sites, const char *path, u64 offset, u64 counter,
		     const char *args);
void probe_sites_move(struct probe_sites *to, struct probe_sites *from);
void probe_sites_free(struct probe_sites *sites);
char *probe_site_place(const struct probe_site *site);
char *probe_site_file(const struct probe_site *site);

#endif /* _USERSPACE_PROBE_SITE_H */
