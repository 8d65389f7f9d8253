/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that must not be made by the task that wants them made: because it may
 * have a signal pending, which cuts short much of what the kernel does to an
 * address space, or because it lives in another address space.
 */
#ifndef _UPROBES_WORKER_H
#define _UPROBES_WORKER_H

#include <linux/workqueue.h>

/**
 * struct worker_call - a function to be called
 * @work: calls it
 * @fn: the function
 * @data: its argument
 * @result: what it returned
 */
struct worker_call {
	struct work_struct work;
	long (*fn)(void *data);
	void *data;
	long result;
};

int worker_init(void);
void worker_exit(void);
void worker_call_work(struct work_struct *work);
long worker_call_wait(struct worker_call *call);

/**
 * worker_call() - have a kernel thread call a function, and wait for it
 * @function: takes a void pointer, returns long
 * @argument: passed to it
 *
 * A macro, so that lockdep tells the places apart: locks that are held at one
 * may be taken by the function of another.
 *
 * Context: may sleep.  Locks that the caller holds must not be taken by
 * @function.
 * Return: what @function returned.
 */
#define worker_call(function, argument)						\
({										\
	struct worker_call __call = { .fn = (function), .data = (argument) };	\
										\
	INIT_WORK_ONSTACK(&__call.work, worker_call_work);			\
	worker_call_wait(&__call);						\
})

#endif /* _UPROBES_WORKER_H */
