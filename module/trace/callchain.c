// SPDX-License-Identifier: GPL-2.0
/*
 * Correcting the user stacks that the kernel unwinds for perf and BPF.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/ptrace.h>

#include "callchain.h"
#include "def.h"
#include "stack.h"

/* Of which hit others are told on a CPU right now; of none outside of tracer_telling(). */
DEFINE_PER_CPU(const struct tracer_def *, tracer_told);

/**
 * struct unwinding - a call of perf_callchain_user(), from its entry to its return
 * @ctx: what it adds addresses to
 * @regs: the program's registers
 * @at: where in the entry it adds them
 * @before: how many addresses there were
 */
struct unwinding {
	struct perf_callchain_entry_ctx *ctx;
	const struct pt_regs *regs;
	u32 at;
	u32 before;
};

static int unwinding_begins(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct unwinding *u = (struct unwinding *)ri->data;

	/* An NMI may have come while this CPU holds a lock of the calls. */
	if (!__this_cpu_read(tracer_told) || in_nmi())
		return 1;
	u->ctx = (void *)regs_get_kernel_argument(regs, 0);
	u->regs = (void *)regs_get_kernel_argument(regs, 1);
	u->at = u->ctx->entry->nr;
	u->before = u->ctx->nr;
	return 0;
}

/* As many addresses as there is room for, in place of those that the kernel has found. */
static int unwinding_ends(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct unwinding *u = (const struct unwinding *)ri->data;
	const struct tracer_def *def = __this_cpu_read(tracer_told);
	struct perf_callchain_entry *entry = u->ctx->entry;
	unsigned int n;

	if (!def || entry->nr <= u->at)
		return 0;
	n = tracer_user_stack(u->regs, u->regs->ip, def->kind == TRACER_PROBE, entry->ip + u->at,
			      u->ctx->max_stack - u->before);
	entry->nr = u->at + n;
	u->ctx->nr = u->before + n;
	return 0;
}

/* Protects what follows. */
static DEFINE_MUTEX(callchain_mutex);
static unsigned int users;
static bool ended;
static struct kretprobe kretprobe;
static bool there;

static void unwinding_watch(void)
{
	int ret;

	kretprobe = (struct kretprobe) {
		.kp.symbol_name = "perf_callchain_user",
		.entry_handler = unwinding_begins,
		.handler = unwinding_ends,
		.data_size = sizeof(struct unwinding),
	};
	ret = register_kretprobe(&kretprobe);
	there = !ret;
	if (ret)
		pr_warn("a kretprobe on perf_callchain_user() failed, error %d: stacks that perf and bpftrace unwind have the trampoline in return-probed calls\n",
			ret);
}

static void unwinding_leave(void)
{
	if (there)
		unregister_kretprobe(&kretprobe);
	there = false;
}

/**
 * tracer_callchain_get() - somebody listens to hits, who may want stacks
 *
 * Context: may sleep; the kernel's mutex of tracepoints or of events may be held.
 * Return: 0.
 */
int tracer_callchain_get(void)
{
	mutex_lock(&callchain_mutex);
	if (!users++ && !ended)
		unwinding_watch();
	mutex_unlock(&callchain_mutex);
	return 0;
}

/**
 * tracer_callchain_put() - the same listens no more
 *
 * Context: as tracer_callchain_get().
 */
void tracer_callchain_put(void)
{
	mutex_lock(&callchain_mutex);
	if (!--users)
		unwinding_leave();
	mutex_unlock(&callchain_mutex);
}

/**
 * tracer_callchain_exit() - end it, whoever listens
 *
 * The kernel takes listeners off the module's tracepoint when the module has been left.
 *
 * Context: module exit.
 */
void tracer_callchain_exit(void)
{
	mutex_lock(&callchain_mutex);
	ended = true;
	unwinding_leave();
	mutex_unlock(&callchain_mutex);
}
