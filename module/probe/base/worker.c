// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel threads that call functions for tasks, which wait for the result.
 */
#include <linux/lockdep.h>
#include <linux/workqueue.h>

#include "worker.h"

/**
 * struct worker_queue - the calls that wait for a thread
 * @wq: runs a limited number of calls at a time
 * @map: for lockdep: a lock that each call holds, and that each caller takes
 */
struct worker_queue {
	struct workqueue_struct *wq;
	struct lockdep_map map;
};

static struct worker_queue queues[WORKER_NR];
static struct lock_class_key queue_keys[WORKER_NR];

/* Make a call that worker_call() has queued. */
void worker_call_work(struct work_struct *work)
{
	struct worker_call *call = container_of(work, struct worker_call, work);

	lock_map_acquire(&queues[call->rank].map);
	call->result = call->fn(call->data);
	lock_map_release(&queues[call->rank].map);
}

/* Queue a call and wait for its result.  The function behind the macro worker_call(). */
long worker_call_wait(struct worker_call *call)
{
	struct worker_queue *queue = &queues[call->rank];

	/* Tell lockdep that the call may have to wait for any other call of its rank. */
	lock_map_acquire(&queue->map);
	lock_map_release(&queue->map);
	queue_work(queue->wq, &call->work);
	flush_work(&call->work);
	destroy_work_on_stack(&call->work);
	return call->result;
}

int worker_init(void)
{
	lockdep_init_map(&queues[WORKER_FREE].map, "uprobes", &queue_keys[WORKER_FREE], 0);
	lockdep_init_map(&queues[WORKER_LOCKED].map, "uprobes_locked",
			 &queue_keys[WORKER_LOCKED], 0);
	queues[WORKER_FREE].wq = alloc_workqueue("uprobes", WQ_UNBOUND, 0);
	if (!queues[WORKER_FREE].wq)
		return -ENOMEM;
	queues[WORKER_LOCKED].wq = alloc_workqueue("uprobes_locked", WQ_UNBOUND, 0);
	if (queues[WORKER_LOCKED].wq)
		return 0;
	destroy_workqueue(queues[WORKER_FREE].wq);
	return -ENOMEM;
}

void worker_exit(void)
{
	destroy_workqueue(queues[WORKER_LOCKED].wq);
	destroy_workqueue(queues[WORKER_FREE].wq);
}
