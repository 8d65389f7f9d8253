/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that must not be made by the task that wants them made: because it may
 * have a signal pending, which cuts short much of what the kernel does to an
 * address space, or because it lives in another address space.
 *
 * Only so many calls are made at a time; further ones wait until one of them has
 * ended.  So who holds a lock must not have a call made where others may be that
 * want the lock: there are ranks of calls, and those of one wait for nothing that
 * a caller of the same rank holds.
 */
#ifndef _UPROBES_WORKER_H
#define _UPROBES_WORKER_H

#include <linux/workqueue.h>

/**
 * enum worker_rank - what the callers hold, and the functions take
 * @WORKER_FREE: no lock of probe.h's list is held; any of them may be taken
 * @WORKER_LOCKED: probed_mm::lock, or what comes before it, is held; only what comes behind
 *	is taken
 * @WORKER_NR: how many there are
 */
enum worker_rank {
	WORKER_FREE,
	WORKER_LOCKED,
	WORKER_NR,
};

/**
 * struct worker_call - a function to be called
 * @work: calls it
 * @rank: its caller's
 * @fn: the function
 * @data: its argument
 * @result: what it returned
 */
struct worker_call {
	struct work_struct work;
	enum worker_rank rank;
	long (*fn)(void *data);
	void *data;
	long result;
};

int worker_init(void);
void worker_exit(void);
void worker_call_work(struct work_struct *work);
long worker_call_wait(struct worker_call *call);

/*
 * A macro, so that lockdep tells the places apart: locks that are held at one
 * may be taken by the function of another.
 */
#define __worker_call(nr, function, argument)					\
({										\
	struct worker_call __call = {						\
		.rank = (nr), .fn = (function), .data = (argument),		\
	};									\
										\
	INIT_WORK_ONSTACK(&__call.work, worker_call_work);			\
	worker_call_wait(&__call);						\
})

/**
 * worker_call() - have a kernel thread call a function, and wait for it
 * @function: takes a void pointer, returns long
 * @argument: passed to it
 *
 * Context: may sleep; no lock of probe.h's list held.  @function may take them.
 * Return: what @function returned.
 */
#define worker_call(function, argument)						\
	__worker_call(WORKER_FREE, function, argument)

/**
 * worker_call_locked() - the same where probed_mm::lock may be held
 * @function: takes a void pointer, returns long
 * @argument: passed to it
 *
 * Context: may sleep.  Of probe.h's list @function takes only what comes behind probed_mm::lock.
 * Return: what @function returned.
 */
#define worker_call_locked(function, argument)					\
	__worker_call(WORKER_LOCKED, function, argument)

#endif /* _UPROBES_WORKER_H */
