// SPDX-License-Identifier: GPL-2.0
/*
 * Registrations and unregistrations that handlers request, and that a worker performs.
 *
 * uprobe::__asked holds the requests for a probe.  While %ASKED_QUEUED is set, uprobe::__work is
 * pending or running, so several requests become one.  After a request to unregister, the client's
 * callback is called once when the probe is not registered any more.  It is called even if another
 * call, or the end of the process, has unregistered the probe first.  After the callback, the
 * structure belongs to the client.  An unregistration outside of handlers waits for all of this.
 */
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <uprobes/uprobes.h>

#include "deferred.h"
#include "register.h"
#include "core/consumer.h"
#include "core/task.h"

/* Bits of uprobe::__asked. */
enum asked {
	ASKED_REGISTER,
	ASKED_UNREGISTER,
	ASKED_ANEW,		/* if both are set, the unregistration comes first */
	ASKED_RETURN,		/* it is a return probe */
	ASKED_QUEUED,
};

#define ASKED_REQUESTS	(BIT(ASKED_REGISTER) | BIT(ASKED_UNREGISTER))

/**
 * struct run - a worker that performs the requests for a probe
 * @in_list: node in @runs, from before the first step until the last callback has returned
 * @u: the probe
 * @worker: the worker
 *
 * On the worker's stack; under runs_lock.
 */
struct run {
	struct list_head in_list;
	const struct uprobe *u;
	const struct task_struct *worker;
};

static LIST_HEAD(runs);
static DEFINE_SPINLOCK(runs_lock);
static DECLARE_WAIT_QUEUE_HEAD(runs_wq);
static struct workqueue_struct *deferred_wq;

/**
 * in_probe_handler() - check whether the caller is a probe handler
 *
 * Atomic handlers run with interrupts off.  No other caller may do so.
 *
 * Context: any.
 */
bool in_probe_handler(void)
{
	struct utask *utask;

	if (irqs_disabled())
		return true;
	utask = utask_find(current);
	return utask && utask->hit.in_handler;
}

/* Take the requests.  If there are none, clear %ASKED_QUEUED and return 0. */
static unsigned long take_requests(struct uprobe *u)
{
	unsigned long asked, left;

	do {
		asked = READ_ONCE(u->__asked);
		left = asked & ~(ASKED_REQUESTS | BIT(ASKED_ANEW));
		if (!(asked & ASKED_REQUESTS))
			left &= ~BIT(ASKED_QUEUED);
	} while (cmpxchg(&u->__asked, asked, left) != asked);
	return asked & ASKED_REQUESTS ? asked : 0;
}

static void report(struct uprobe *u, bool reg, enum consumer_type type, int result)
{
	if (u->registration_callback)
		u->registration_callback(u, reg, type == CONSUMER_RETURN ? UPTY_URETPROBE :
					 UPTY_UPROBE, result);
}

/* Perform the requests.  @u may be gone after the last callback: take more requests before it. */
static void do_requests(struct uprobe *u)
{
	unsigned long requests = take_requests(u);

	while (requests) {
		enum consumer_type type = requests & BIT(ASKED_RETURN) ? CONSUMER_RETURN :
								       CONSUMER_ENTRY;
		unsigned long first = BIT(ASKED_REGISTER), other = BIT(ASKED_UNREGISTER);
		int result = 0;

		if (!(requests & first) || (requests & other && requests & BIT(ASKED_ANEW)))
			swap(first, other);
		if (first == BIT(ASKED_REGISTER))
			result = register_probes(&u, 1, type);
		else
			unregister_probes(&u, 1);
		requests = requests & other ? requests & ~first : take_requests(u);
		/* After a failed registration, there is nothing to unregister. */
		while (result && !READ_ONCE(u->kdata) && requests &&
		       !(requests & BIT(ASKED_REGISTER)))
			requests = take_requests(u);
		/*
		 * Handlers that still ran have requested the unregistration again:
		 * call back once.
		 */
		if (first == BIT(ASKED_UNREGISTER) && requests & first && !(requests & other))
			continue;
		report(u, first == BIT(ASKED_REGISTER), type, result);
	}
}

/*
 * Start a run.  Fail while another run for this probe has not returned from its last callback.
 */
static bool run_begin(struct run *run)
{
	const struct run *other;
	bool begin = true;

	spin_lock(&runs_lock);
	list_for_each_entry(other, &runs, in_list)
		begin = begin && other->u != run->u;
	if (begin)
		list_add(&run->in_list, &runs);
	spin_unlock(&runs_lock);
	return begin;
}

static void deferred_work(struct work_struct *work)
{
	struct uprobe *u = container_of(work, struct uprobe, __work);
	struct run run = { .u = u, .worker = current };

	wait_event(runs_wq, run_begin(&run));
	do_requests(u);
	spin_lock(&runs_lock);
	list_del(&run.in_list);
	spin_unlock(&runs_lock);
	wake_up_all(&runs_wq);
}

static void ask(struct uprobe *u, enum consumer_type type, enum asked what)
{
	if (type == CONSUMER_RETURN)
		set_bit(ASKED_RETURN, &u->__asked);
	else
		clear_bit(ASKED_RETURN, &u->__asked);
	set_bit(what, &u->__asked);
	if (test_and_set_bit(ASKED_QUEUED, &u->__asked))
		return;
	INIT_WORK(&u->__work, deferred_work);
	queue_work(deferred_wq, &u->__work);
}

/**
 * register_deferred() - request the registration of a probe, in a handler
 * @u: the probe
 * @type: its type
 *
 * Context: any, the trap included.
 */
void register_deferred(struct uprobe *u, enum consumer_type type)
{
	if (test_bit(ASKED_UNREGISTER, &u->__asked))
		set_bit(ASKED_ANEW, &u->__asked);
	ask(u, type, ASKED_REGISTER);
}

/**
 * unregister_deferred() - request the unregistration of a probe, in a handler
 * @u: the probe; if it is not registered and has no pending request, nothing is done
 * @type: its type
 *
 * Context: any, the trap included.
 */
void unregister_deferred(struct uprobe *u, enum consumer_type type)
{
	if (!READ_ONCE(u->kdata) && !test_bit(ASKED_QUEUED, &u->__asked))
		return;
	clear_bit(ASKED_ANEW, &u->__asked);
	ask(u, type, ASKED_UNREGISTER);
}

/* Check whether requests for a probe are pending, or are being performed by another task. */
static bool deferred_busy(const struct uprobe *u)
{
	bool busy = test_bit(ASKED_QUEUED, &u->__asked);
	const struct run *run;

	spin_lock(&runs_lock);
	list_for_each_entry(run, &runs, in_list) {
		if (run->u != u)
			continue;
		busy = run->worker != current;
		if (!busy)
			break;
	}
	spin_unlock(&runs_lock);
	return busy;
}

/**
 * deferred_wait() - wait until the requests of handlers are performed
 * @us: the probes
 * @n: number of @us
 *
 * If this function is called from a callback, it does not wait for that callback.  If a handler
 * has requested a registration, the probe may be registered afterwards.
 *
 * Context: may sleep; not from a handler.
 */
void deferred_wait(struct uprobe **us, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		/* A worker is in @runs before it unregisters a probe. */
		if (test_bit(ASKED_QUEUED, &us[i]->__asked) || !list_empty_careful(&runs))
			wait_event(runs_wq, !deferred_busy(us[i]));
	}
}

int deferred_init(void)
{
	deferred_wq = alloc_workqueue("uprobes_deferred", WQ_UNBOUND, 0);
	return deferred_wq ? 0 : -ENOMEM;
}

/* Wait for all pending requests, and free the work queue.  Context: may sleep. */
void deferred_exit(void)
{
	destroy_workqueue(deferred_wq);
}
