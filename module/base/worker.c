// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel threads that do what their callers wait for.
 */
#include <linux/lockdep.h>
#include <linux/workqueue.h>

#include "worker.h"

/**
 * struct worker_queue - where calls wait for a thread
 * @wq: runs so many at a time, and no more
 * @map: to lockdep, a lock that each call has, and each caller takes
 */
struct worker_queue {
	struct workqueue_struct *wq;
	struct lockdep_map map;
};

static struct worker_queue queues[WORKER_NR];
static struct lock_class_key queue_keys[WORKER_NR];

/* What worker_call() queues. */
void worker_call_work(struct work_struct *work)
{
	struct worker_call *call = container_of(work, struct worker_call, work);

	lock_map_acquire(&queues[call->rank].map);
	call->result = call->fn(call->data);
	lock_map_release(&queues[call->rank].map);
}

/* The rest of worker_call(). */
long worker_call_wait(struct worker_call *call)
{
	struct worker_queue *queue = &queues[call->rank];

	/* It may have to wait for any other call of its rank. */
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
