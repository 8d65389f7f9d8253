// SPDX-License-Identifier: GPL-2.0
/*
 * Showing the program's registers to who judges a system call by where it comes from.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "syscall.h"
#include "arch.h"
#include "base/compat.h"
#include "base/hook.h"
#include "base/ksym.h"
#include "trap/signal.h"

static int on_judge(struct kprobe *kp, struct pt_regs *regs)
{
	signal_show();
	return 0;
}

static struct kprobe judges[2];
static DEFINE_MUTEX(judges_mutex);
/*
 * Set under judges_mutex when all of them are watched that this kernel has.  Not before: the
 * next instruction of the kind tries again what failed.
 */
static bool judges_watched;

/**
 * syscall_watch() - an instruction that makes system calls is going to be probed
 *
 * It is made from the slot.  From now on the kernel's judges find the thread behind the
 * instruction in the program, and there it goes on.  Only threads that are judged pay for it.
 *
 * Context: may sleep; takes nothing but a mutex of its own and kprobes' locks.
 */
void syscall_watch(void)
{
	bool all = true;
	unsigned int i;
	int ret;

	/* Pairs with the release below: the kprobes are there. */
	if (smp_load_acquire(&judges_watched))
		return;
	mutex_lock(&judges_mutex);
	for (i = 0; !judges_watched && i < ARRAY_SIZE(judges); i++) {
		if (judges[i].symbol_name)
			continue;
		judges[i] = (struct kprobe) {
			.symbol_name = ksym_judge_function(i),
			.pre_handler = on_judge,
		};
		ret = register_kprobe(&judges[i]);
		if (!ret) {
			hooks_watch(&judges[i]);
			continue;
		}
		judges[i].symbol_name = NULL;
		if (ret == -ENOENT)
			continue;
		all = false;
		pr_warn("a kprobe on %s() failed, error %d: it sees where probed system calls are made from\n",
			ksym_judge_function(i), ret);
	}
	/* Pairs with the acquire above. */
	smp_store_release(&judges_watched, all);
	mutex_unlock(&judges_mutex);
}

/**
 * syscall_unwatch() - the module goes, and nothing is probed any more
 *
 * Context: may sleep.
 */
void syscall_unwatch(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(judges); i++) {
		if (judges[i].symbol_name)
			unregister_kprobe(&judges[i]);
	}
}
