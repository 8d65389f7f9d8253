/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that a kernel thread makes for a task, because the task must not make them itself.
 * The task may have a signal pending, which makes the kernel abort much of its work on an address
 * space.  Or the task lives in another address space.
 *
 * A queue runs a limited number of calls at a time.  Further calls wait until one of these ends.
 * If the caller holds a lock, and the running calls wait for that lock, that is a deadlock.  So
 * each call has a rank: no call waits for a lock that a caller of the same rank may hold.
 */
#ifndef _UPROBES_WORKER_H
#define _UPROBES_WORKER_H

#include <linux/workqueue.h>

/**
 * enum worker_rank - which locks the callers may hold, and the functions may take
 * @WORKER_FREE: the caller holds no lock of the list in core/consumer.h; the function may take
 *	any of them
 * @WORKER_LOCKED: the caller may hold probed_mm::lock, or locks before it; the function takes
 *	only locks behind it
 * @WORKER_NR: number of ranks
 */
enum worker_rank {
	WORKER_FREE,
	WORKER_LOCKED,
	WORKER_NR,
};

/**
 * struct worker_call - a function to be called
 * @work: calls @fn
 * @rank: rank of the caller
 * @fn: the function
 * @data: its argument
 * @result: what @fn returned
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
 * A macro, so that lockdep tells the call sites apart: the function of one call site may take
 * locks that another call site holds.
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
 * Context: may sleep; no lock of the list in core/consumer.h held.  @function may take them.
 * Return: what @function returned.
 */
#define worker_call(function, argument)						\
	__worker_call(WORKER_FREE, function, argument)

/**
 * worker_call_locked() - do what worker_call() does, for a caller that may hold probed_mm::lock
 * @function: takes a void pointer, returns long
 * @argument: passed to it
 *
 * Context: may sleep.  Of the list in core/consumer.h @function takes only locks behind
 * probed_mm::lock.
 * Return: what @function returned.
 */
#define worker_call_locked(function, argument)					\
	__worker_call(WORKER_LOCKED, function, argument)

#endif /* _UPROBES_WORKER_H */
