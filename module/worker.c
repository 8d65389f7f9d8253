// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel thread that does what its caller waits for.
 */
#include <linux/workqueue.h>

#include "worker.h"

static struct workqueue_struct *wq;

/**
 * struct call - a function to be called
 * @work: calls it
 * @fn: the function
 * @data: its argument
 * @result: what it returned
 */
struct call {
	struct work_struct work;
	long (*fn)(void *data);
	void *data;
	long result;
};

static void call_work(struct work_struct *work)
{
	struct call *call = container_of(work, struct call, work);

	call->result = call->fn(call->data);
}

/**
 * worker_call() - have a kernel thread call a function, and wait for it
 * @fn: the function
 * @data: its argument
 *
 * Context: may sleep.  Locks that the caller holds must not be taken by @fn.
 * Return: what @fn returned.
 */
long worker_call(long (*fn)(void *data), void *data)
{
	struct call call = { .fn = fn, .data = data };

	INIT_WORK_ONSTACK(&call.work, call_work);
	queue_work(wq, &call.work);
	flush_work(&call.work);
	destroy_work_on_stack(&call.work);
	return call.result;
}

int worker_init(void)
{
	wq = alloc_workqueue("uprobes", WQ_UNBOUND, 0);
	return wq ? 0 : -ENOMEM;
}

void worker_exit(void)
{
	destroy_workqueue(wq);
}
