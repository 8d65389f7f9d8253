// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel thread that does what its caller waits for.
 */
#include <linux/workqueue.h>

#include "worker.h"

static struct workqueue_struct *wq;

/* What worker_call() queues. */
void worker_call_work(struct work_struct *work)
{
	struct worker_call *call = container_of(work, struct worker_call, work);

	call->result = call->fn(call->data);
}

/* The rest of worker_call(). */
long worker_call_wait(struct worker_call *call)
{
	queue_work(wq, &call->work);
	flush_work(&call->work);
	destroy_work_on_stack(&call->work);
	return call->result;
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
