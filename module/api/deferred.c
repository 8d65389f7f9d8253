// SPDX-License-Identifier: GPL-2.0
/*
 * Registering and unregistering that handlers ask for, done by a worker.
 *
 * What is asked for is in uprobe::__asked, and uprobe::__work is queued or being
 * done for as long as ASKED_QUEUED is set: several handlers' wishes are one.  Who
 * asks for an unregistration is told once that the probe is not registered, also
 * when another call or the end of the process has come first; from then on the
 * structure is the client's.  Who unregisters from elsewhere waits for all that.
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
	ASKED_ANEW,		/* of both, the unregistration comes first */
	ASKED_RETURN,		/* it is a return probe */
	ASKED_QUEUED,
};

#define ASKED_WISHES	(BIT(ASKED_REGISTER) | BIT(ASKED_UNREGISTER))

/**
 * struct run - a worker does what has been asked for
 * @in_list: in @runs; from before the first step until the last callback has returned
 * @u: the probe
 * @worker: who does it
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
 * in_probe_handler() - whether the caller is a probe handler
 *
 * Atomic handlers run with interrupts off, as no other caller may.
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

/* Takes the wishes; where there are none, 0, and ends the time of ASKED_QUEUED. */
static unsigned long take_wishes(struct uprobe *u)
{
	unsigned long asked, left;

	do {
		asked = READ_ONCE(u->__asked);
		left = asked & ~(ASKED_WISHES | BIT(ASKED_ANEW));
		if (!(asked & ASKED_WISHES))
			left &= ~BIT(ASKED_QUEUED);
	} while (cmpxchg(&u->__asked, asked, left) != asked);
	return asked & ASKED_WISHES ? asked : 0;
}

static void tell(struct uprobe *u, bool reg, enum consumer_type type, int result)
{
	if (u->registration_callback)
		u->registration_callback(u, reg, type == CONSUMER_RETURN ? UPTY_URETPROBE :
					 UPTY_UPROBE, result);
}

/* After the last callback, @u may be gone: what else there is to do is taken before. */
static void grant_wishes(struct uprobe *u)
{
	unsigned long wishes = take_wishes(u);

	while (wishes) {
		enum consumer_type type = wishes & BIT(ASKED_RETURN) ? CONSUMER_RETURN :
								       CONSUMER_ENTRY;
		unsigned long first = BIT(ASKED_REGISTER), other = BIT(ASKED_UNREGISTER);
		int result = 0;

		if (!(wishes & first) || (wishes & other && wishes & BIT(ASKED_ANEW)))
			swap(first, other);
		if (first == BIT(ASKED_REGISTER))
			result = register_probes(&u, 1, type);
		else
			unregister_probes(&u, 1);
		wishes = wishes & other ? wishes & ~first : take_wishes(u);
		/* It has failed, which is all that there is to tell: nothing is registered. */
		while (result && !READ_ONCE(u->kdata) && wishes &&
		       !(wishes & BIT(ASKED_REGISTER)))
			wishes = take_wishes(u);
		/* Handlers that were still running have asked for the same. */
		if (first == BIT(ASKED_UNREGISTER) && wishes & first && !(wishes & other))
			continue;
		tell(u, first == BIT(ASKED_REGISTER), type, result);
	}
}

/* One at a time for each probe: the client is still being told of the one before. */
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
	grant_wishes(u);
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
 * register_deferred() - register a probe for a handler
 * @u: the probe
 * @type: what it is
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
 * unregister_deferred() - unregister a probe for a handler
 * @u: the probe; nothing is done when it is not registered, nor about to be
 * @type: what it is
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

/* Whether something is still to be done for a probe, and not by the caller. */
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
 * deferred_wait() - wait until what handlers have asked for is done
 * @us: the probes
 * @n: how many
 *
 * Does not wait for the callback that it is called from.  They may be registered
 * afterwards, if that was asked for.
 *
 * Context: may sleep; not from a handler.
 */
void deferred_wait(struct uprobe **us, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		/* The worker that unregisters a probe is in @runs before it does. */
		if (test_bit(ASKED_QUEUED, &us[i]->__asked) || !list_empty_careful(&runs))
			wait_event(runs_wq, !deferred_busy(us[i]));
	}
}

int deferred_init(void)
{
	deferred_wq = alloc_workqueue("uprobes_later", WQ_UNBOUND, 0);
	return deferred_wq ? 0 : -ENOMEM;
}

/* What handlers have asked for is done.  Context: may sleep. */
void deferred_exit(void)
{
	destroy_workqueue(deferred_wq);
}
