// SPDX-License-Identifier: GPL-2.0
/*
 * Show the program's ip, not the slot's, to system call filters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "syscall_filter.h"
#include "arch.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "trap/signal.h"

static int on_filter(struct kprobe *kp, struct pt_regs *regs)
{
	signal_show();
	return 0;
}

static struct kprobe filters[2];
static DEFINE_MUTEX(filters_mutex);
/*
 * Set under filters_mutex when all filters that this kernel has are watched.  If a kprobe fails,
 * this stays false, and the next instruction that makes system calls tries again.
 */
static bool filters_watched;

/**
 * syscall_watch() - watch the filters before an instruction that makes system calls is probed
 *
 * The system call is made from the slot.  From now on, a filter finds the thread behind the
 * instruction in the program, and the thread continues there.  Only threads with a filter pay
 * for that.
 *
 * Context: may sleep; takes nothing but a mutex of its own and kprobes' locks.
 */
void syscall_watch(void)
{
	bool all = true;
	unsigned int i;
	int ret;

	/* Pairs with the release below: the kprobes are there. */
	if (smp_load_acquire(&filters_watched))
		return;
	mutex_lock(&filters_mutex);
	for (i = 0; !filters_watched && i < ARRAY_SIZE(filters); i++) {
		if (filters[i].symbol_name)
			continue;
		filters[i] = (struct kprobe) {
			.symbol_name = ksym_syscall_filter_function(i),
			.pre_handler = on_filter,
		};
		ret = register_kprobe(&filters[i]);
		if (!ret) {
			hooks_watch(&filters[i]);
			continue;
		}
		filters[i].symbol_name = NULL;
		if (ret == -ENOENT)
			continue;
		all = false;
		pr_warn("a kprobe on %s() failed, error %d: it sees where probed system calls are made from\n",
			ksym_syscall_filter_function(i), ret);
	}
	/* Pairs with the acquire above. */
	smp_store_release(&filters_watched, all);
	mutex_unlock(&filters_mutex);
}

/**
 * syscall_unwatch() - stop watching the filters, at unload
 *
 * Nothing is probed any more.
 *
 * Context: may sleep.
 */
void syscall_unwatch(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		if (filters[i].symbol_name)
			unregister_kprobe(&filters[i]);
	}
}
