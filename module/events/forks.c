// SPDX-License-Identifier: GPL-2.0
/*
 * Counting forks under way.
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

/* So many at once are counted; what is above that is not waited for. */
#define FORKS_MAX 512

/*
 * A fork is counted in under_way[turn] of its beginning.  Who waits for forks turns
 * @turn first, so that later ones do not keep it waiting.
 */
static atomic_t under_way[2];
static unsigned int turn;

/* Woken where preemption is off: on PREEMPT_RT, too, its lock does not sleep. */
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

	/* There will be no event. */
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
 * forks_watch() - count from now on
 *
 * Without, a fork that sleeps while the module goes may leave a child with
 * breakpoints.
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

/* Count no more.  Context: may sleep. */
void forks_unwatch(void)
{
	if (fork_kretprobe.kp.symbol_name)
		unregister_kretprobe(&fork_kretprobe);
	fork_kretprobe.kp.symbol_name = NULL;
}

/**
 * forks_drain() - wait for all forks that are under way
 *
 * On return each of them has come to where nothing sleeps any more before the
 * fork event; synchronize_rcu_tasks() waits for that.
 *
 * Context: may sleep; one caller at a time.
 */
void forks_drain(void)
{
	unsigned int old = turn;

	if (!fork_kretprobe.kp.symbol_name)
		return;
	WRITE_ONCE(turn, !old);
	/* For those that have looked at it and not counted yet. */
	synchronize_rcu();
	swait_event_exclusive(forks_wq, !atomic_read(&under_way[old]));
}
