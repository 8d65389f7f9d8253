// SPDX-License-Identifier: GPL-2.0
/*
 * Correct the user stacks that the kernel unwinds for perf and BPF.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "callchain.h"
#include "trace/fetch/stack.h"

/* Maximum of frames of a stack: kernel.perf_event_max_stack can ask for very many. */
#define FRAMES_MAX	1024U

/* The kernel function that unwinds a stack for perf and BPF. */
#define CALLCHAIN_FUNCTION	"perf_callchain_user"

/* The hit that this CPU passes to other tools at the moment; set by tracer_reporting(), or NULL. */
DEFINE_PER_CPU(const struct tracer_reported *, tracer_reported);

/**
 * struct unwinding - a call of perf_callchain_user(), from its entry to its return
 * @ctx: the context that it adds addresses to
 * @at: place in the context's entry where it adds the addresses
 * @before: number of addresses before the call
 */
struct unwinding {
	struct perf_callchain_entry_ctx *ctx;
	u32 at;
	u32 before;
};

static int unwinding_begins(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct unwinding *u = (struct unwinding *)ri->data;

	if (!__this_cpu_read(tracer_reported))
		return 1;
	u->ctx = (void *)regs_get_kernel_argument(regs, 0);
	u->at = u->ctx->entry->nr;
	u->before = u->ctx->nr;
	return 0;
}

/*
 * Replace the addresses that the kernel has found by our own, as many as there is room for.
 * Like the kernel, follow frames at any address: a stack can continue in another one.
 */
static int unwinding_ends(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct unwinding *u = (const struct unwinding *)ri->data;
	const struct tracer_reported *reported = __this_cpu_read(tracer_reported);
	struct perf_callchain_entry *entry = u->ctx->entry;
	unsigned int n;

	if (!reported || entry->nr <= u->at)
		return 0;
	n = tracer_user_stack(reported->regs, reported->entry ? TRACER_AT_PROBE : TRACER_AT_ANY, 0,
			      entry->ip + u->at,
			      min(u->ctx->max_stack - u->before, FRAMES_MAX));
	entry->nr = u->at + n;
	u->ctx->nr = u->before + n;
	return 0;
}

/* Protects @users, @kretprobe and @there.  The kernel's mutex of kprobes is taken under it. */
static DEFINE_MUTEX(callchain_mutex);
static unsigned int users;	/* published events that perf has opened */
static struct kretprobe kretprobe;
static bool there;		/* the kretprobe is registered */

/* Protects @listened and @ended. */
static DEFINE_SPINLOCK(listened_lock);
static bool listened;		/* uprobes_ko:hit has a listener */
static bool ended;		/* no work may be queued any more */

/* The value of @listened when the worker has last switched; read without a lock. */
static bool applied;
static DECLARE_WAIT_QUEUE_HEAD(applied_wq);

/* Do not wait longer for the worker: it may need a mutex whose owner waits for the caller's. */
#define APPLIED_WITHIN	(HZ / 5)

static void unwinding_watch(void)
{
	int ret;

	kretprobe = (struct kretprobe) {
		.kp.symbol_name = CALLCHAIN_FUNCTION,
		.entry_handler = unwinding_begins,
		.handler = unwinding_ends,
		.data_size = sizeof(struct unwinding),
	};
	ret = register_kretprobe(&kretprobe);
	there = !ret;
	if (ret)
		pr_warn("a kretprobe on %s() failed, error %d: stacks that perf and bpftrace unwind have the trampoline in return-probed calls\n",
			CALLCHAIN_FUNCTION, ret);
}

/* Context: callchain_mutex is held. */
static void unwinding_switch(void)
{
	bool wanted = !READ_ONCE(ended) && (READ_ONCE(listened) || users);

	if (wanted && !there)
		unwinding_watch();
	if (wanted || !there)
		return;
	unregister_kretprobe(&kretprobe);
	there = false;
}

static void unwinding_work(struct work_struct *unused)
{
	bool on = READ_ONCE(listened);

	mutex_lock(&callchain_mutex);
	unwinding_switch();
	WRITE_ONCE(applied, on);
	mutex_unlock(&callchain_mutex);
	wake_up_all(&applied_wq);
}

static DECLARE_WORK(switch_work, unwinding_work);

/*
 * The kernel changes kprobes and ftrace under mutexes under which it takes the one of tracepoints.
 * So a worker registers and unregisters the kretprobe, and the caller waits for a while at most.
 */
static void listened_set(bool on)
{
	bool queued;

	spin_lock(&listened_lock);
	WRITE_ONCE(listened, on);
	queued = !ended;
	if (queued)
		schedule_work(&switch_work);
	spin_unlock(&listened_lock);
	if (queued)
		wait_event_timeout(applied_wq, READ_ONCE(applied) == on, APPLIED_WITHIN);
}

/**
 * tracer_callchain_listen() - correct stacks for a listener of uprobes_ko:hit
 *
 * This is a flag and not a count.  If adding the listener fails after this call, older
 * kernels do not call tracer_callchain_ignore(), and call this function again for the next
 * listener.
 *
 * Context: may sleep; the kernel's mutex of tracepoints is held.
 * Return: 0.
 */
int tracer_callchain_listen(void)
{
	listened_set(true);
	return 0;
}

/**
 * tracer_callchain_ignore() - uprobes_ko:hit has no listener any more
 *
 * Context: as tracer_callchain_listen(); also after the module's exit function.
 */
void tracer_callchain_ignore(void)
{
	listened_set(false);
}

/**
 * tracer_callchain_get() - correct stacks for a published event that perf opens
 *
 * Called when perf opens the event for the first time.
 *
 * Context: may sleep; the kernel's mutex of events is held.
 */
void tracer_callchain_get(void)
{
	mutex_lock(&callchain_mutex);
	users++;
	unwinding_switch();
	mutex_unlock(&callchain_mutex);
}

/**
 * tracer_callchain_put() - undo tracer_callchain_get(), when perf has closed the event
 *
 * Context: as tracer_callchain_get().
 */
void tracer_callchain_put(void)
{
	mutex_lock(&callchain_mutex);
	users--;
	unwinding_switch();
	mutex_unlock(&callchain_mutex);
}

/**
 * tracer_callchain_exit() - stop correcting stacks, even if there are listeners
 *
 * The kernel removes the listeners of the module's tracepoint only after the module's exit
 * function.
 *
 * Context: module exit.
 */
void tracer_callchain_exit(void)
{
	spin_lock(&listened_lock);
	WRITE_ONCE(ended, true);
	spin_unlock(&listened_lock);
	cancel_work_sync(&switch_work);
	mutex_lock(&callchain_mutex);
	unwinding_switch();
	mutex_unlock(&callchain_mutex);
}
