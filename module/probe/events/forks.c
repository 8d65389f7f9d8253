// SPDX-License-Identifier: GPL-2.0
/*
 * Counting forks in flight.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/swait.h>

#include "forks.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/task.h"
#include "uret/uretprobe_fork.h"

/* Maximum number of forks that are counted at a time; further forks are not waited for. */
#define FORKS_MAX 512

/*
 * A fork is counted in under_way[turn], with the value of @turn at its beginning.  forks_drain()
 * flips @turn first, so that it does not wait for later forks.
 */
static atomic_t under_way[2];
static unsigned int turn;

/* Woken with preemption off: on PREEMPT_RT, too, the lock of a swait queue does not sleep. */
static DECLARE_SWAIT_QUEUE_HEAD(forks_wq);

static int fork_begins(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned int *mine = (unsigned int *)ri->data;

	*mine = READ_ONCE(turn);
	atomic_inc(&under_way[*mine]);
	return 0;
}

static int fork_ends(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const unsigned int *mine = (const unsigned int *)ri->data;
	struct utask *utask;

	/* The fork has failed: no fork event follows. */
	if (IS_ERR_VALUE(regs_return_value(regs))) {
		utask = utask_find(current);
		if (utask)
			utask_copied_not(utask);
	}
	if (atomic_dec_and_test(&under_way[*mine]))
		swake_up_one(&forks_wq);
	return 0;
}

static struct kretprobe fork_kretprobe;

/**
 * forks_watch() - start to count forks
 *
 * Without this kretprobe, a fork that sleeps during unload may leave breakpoints in the child.
 *
 * Context: may sleep.
 */
void forks_watch(void)
{
	int ret;

	fork_kretprobe = (struct kretprobe) {
		.kp.symbol_name = ksym_fork_function(),
		.entry_handler = fork_begins,
		.handler = fork_ends,
		.data_size = sizeof(unsigned int),
		.maxactive = FORKS_MAX,
	};
	ret = register_kretprobe(&fork_kretprobe);
	if (ret) {
		pr_warn("a kretprobe on %s() failed, error %d: forks are not waited for\n",
			ksym_fork_function(), ret);
		fork_kretprobe.kp.symbol_name = NULL;
		return;
	}
	hooks_watch_return(&fork_kretprobe);
}

/* Stop counting forks.  Context: may sleep. */
void forks_unwatch(void)
{
	if (fork_kretprobe.kp.symbol_name)
		unregister_kretprobe(&fork_kretprobe);
	fork_kretprobe.kp.symbol_name = NULL;
}

/**
 * forks_drain() - wait for all forks that are in flight
 *
 * On return, none of these forks sleeps any more before its fork event.  synchronize_rcu_tasks()
 * waits for the event.
 *
 * Context: may sleep; one caller at a time.
 */
void forks_drain(void)
{
	unsigned int old = turn;

	if (!fork_kretprobe.kp.symbol_name)
		return;
	WRITE_ONCE(turn, !old);
	/* Wait for forks that have read @turn but are not counted yet. */
	synchronize_rcu();
	swait_event_exclusive(forks_wq, !atomic_read(&under_way[old]));
}
