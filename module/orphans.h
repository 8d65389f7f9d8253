/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of threads that have exited, in a process that goes on: a coroutine may
 * return from them in another thread.
 */
#ifndef _UPROBES_ORPHANS_H
#define _UPROBES_ORPHANS_H

#include <linux/list.h>
#include <linux/types.h>

struct utask;

/**
 * struct orphans - states of threads that have exited within calls
 * @list: the states, oldest first; no more than ORPHANS_MAX, as most such calls
 *	will never be returned from
 * @nr: how many
 * @closed: the address space is gone, there will be no more
 *
 * Part of an image; under a lock of task.c.
 */
struct orphans {
	struct list_head list;
	unsigned int nr;
	bool closed;
};

#define ORPHANS_MAX	64

void orphans_init(struct orphans *orphans);
bool orphans_add(struct orphans *orphans, struct utask *utask);
void orphans_close(struct orphans *orphans);

#endif /* _UPROBES_ORPHANS_H */
