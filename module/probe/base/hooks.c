// SPDX-License-Identifier: GPL-2.0
/*
 * Check that the kernel calls the module's hooks, and report calls that the hooks miss.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include "hooks.h"
#include "arch.h"
#include "compat.h"
#include "ksym.h"

const struct hook_ops *hook_ops __ro_after_init;

/* Two functions to hook and to call: ftrace can attach to the first, but not to the second. */
static noinline __noclone void touch_traced(void)
{
	barrier();
}

static notrace noinline __noclone void touch_plain(void)
{
	barrier();
}

static unsigned int touched;

static int on_touch(struct kprobe *kp, struct pt_regs *regs)
{
	WRITE_ONCE(touched, touched + 1);
	return 0;
}

static struct kprobe touch_kprobes[2];

#define HOOKS_MAX	32

/**
 * struct hook - a kprobe that must not miss a call
 * @kp: the kprobe; exists until the module is unloaded
 * @rp: the kretprobe that @kp is part of, or NULL
 * @reported: number of missed calls that the log has reported
 */
struct hook {
	struct kprobe *kp;
	struct kretprobe *rp;
	unsigned long reported;
};

/* Protects the table of hooks, and the trial: kprobes_fire(). */
static DEFINE_MUTEX(hooks_mutex);
static struct hook hooks[HOOKS_MAX];
static unsigned int nr_hooks;

static void hook_add(struct kprobe *kp, struct kretprobe *rp)
{
	unsigned int i;

	mutex_lock(&hooks_mutex);
	for (i = 0; i < nr_hooks && hooks[i].kp != kp; i++)
		;
	if (!WARN_ON_ONCE(i == HOOKS_MAX)) {
		nr_hooks = max(nr_hooks, i + 1);
		hooks[i] = (struct hook) { .kp = kp, .rp = rp };
	}
	mutex_unlock(&hooks_mutex);
}

/**
 * hooks_watch() - report calls that a kprobe misses
 * @kp: a kprobe of the module that has just been registered
 *
 * Context: may sleep.
 */
void hooks_watch(struct kprobe *kp)
{
	hook_add(kp, NULL);
}

/*
 * Report calls that a kretprobe misses.  A kretprobe also misses a call if it has no free instance.
 * Context: may sleep.
 */
void hooks_watch_return(struct kretprobe *rp)
{
	hook_add(&rp->kp, rp);
}

/*
 * A kernel function that was called without its hook, or NULL.  Set under hooks_mutex, cleared
 * without.
 */
static const char *unseen;

/* The next value of unseen, if the trial confirms it.  Set in any context, taken by a worker. */
static const char *missed_function;

/* Undo hook_missed(): the hook has been called.  Context: any. */
void hook_seen(void)
{
	if (unlikely(READ_ONCE(unseen)))
		WRITE_ONCE(unseen, NULL);
}

static void hooks_report(void)
{
	unsigned long missed;
	unsigned int i;

	for (i = 0; i < nr_hooks; i++) {
		struct hook *hook = &hooks[i];

		missed = hook->kp->nmissed + (hook->rp ? hook->rp->nmissed : 0);
		if (missed > hook->reported)
			pr_warn("%lu calls of the kernel's function %ps() went unseen\n",
				missed - hook->reported, (void *)hook->kp->addr);
		hook->reported = missed;
	}
}

/* The kernel's function for faults has called its hook. */
static bool faults_seen;

/**
 * hook_fault_seen() - note that the kernel calls the hook on faults
 *
 * It may have copies of the function inside of callers, which no hook sees.
 *
 * Context: any.
 */
void hook_fault_seen(void)
{
	if (unlikely(!READ_ONCE(faults_seen)))
		WRITE_ONCE(faults_seen, true);
}

/* Check whether that has been seen.  Context: any. */
bool hook_faults_seen(void)
{
	return READ_ONCE(faults_seen);
}

static int loads_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", READ_ONCE(faults_seen));
}

static const struct kernel_param_ops loads_ops = { .get = loads_get };

module_param_cb(loads, &loads_ops, NULL, 0444);
MODULE_PARM_DESC(loads, "whether hits may read memory without a trap: the kernel has reported a fault");

/*
 * Check whether kprobes fire.  If they do not, set *@cause to the file that switches them on.
 * Context: hooks_mutex held.
 */
static bool kprobes_fire(const char **cause)
{
	unsigned int before = READ_ONCE(touched), traced, plain;

	touch_traced();
	traced = READ_ONCE(touched) - before;
	touch_plain();
	plain = READ_ONCE(touched) - before - traced;
	*cause = plain ? "/proc/sys/kernel/ftrace_enabled" : "/sys/kernel/debug/kprobes/enabled";
	return traced && plain;
}

/* Report a call that no hook has seen.  If kprobes are switched off, that is the cause. */
static void report_missed(struct work_struct *work)
{
	const char *function, *cause;

	mutex_lock(&hooks_mutex);
	function = xchg(&missed_function, NULL);
	if (!function) {
		/* An earlier run of this work has taken it. */
	} else if (kprobes_fire(&cause)) {
		WRITE_ONCE(unseen, function);
		pr_warn_ratelimited("a call of the kernel's function %s() went unseen\n", function);
	} else {
		pr_warn_ratelimited("kprobes are switched off while something is probed: write 1 to %s\n",
				    cause);
	}
	mutex_unlock(&hooks_mutex);
}

static DECLARE_WORK(unseen_work, report_missed);

/**
 * hook_missed() - report a call that a hook should have seen
 * @function: name of the kernel function
 *
 * Unless kprobes are switched off, no further probe can be registered until hook_seen(): a kernel
 * built with link-time optimization can have a copy of the function inside its caller.
 *
 * Context: any; a worker prints, as the kernel may hold locks under which printing is not allowed.
 */
void hook_missed(const char *function)
{
	WRITE_ONCE(missed_function, function);
	schedule_work(&unseen_work);
}

/**
 * hooks_check() - check whether the kernel calls the module's hooks
 *
 * Hit two kprobes of the module's own, which takes microseconds. Report the calls that other
 * kprobes have missed. Fail after hook_missed().
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP if it does not; the log names the cause.
 */
int hooks_check(void)
{
	const char *function, *cause;
	bool fire;

	mutex_lock(&hooks_mutex);
	fire = kprobes_fire(&cause);
	function = READ_ONCE(unseen);
	hooks_report();
	mutex_unlock(&hooks_mutex);
	if (!fire)
		pr_err("nothing can be probed while kprobes are switched off: write 1 to %s\n",
		       cause);
	else if (function)
		pr_err("nothing can be probed: this kernel calls %s() where that is not seen\n",
		       function);
	return !fire || function ? -EOPNOTSUPP : 0;
}

static int kprobe_of(struct kprobe *kp, kprobe_opcode_t *addr)
{
	*kp = (struct kprobe) { .addr = addr, .pre_handler = on_touch };
	return register_kprobe(kp);
}

/*
 * Report kernel functions that are missing.  Register a disabled kprobe on each function to look
 * it up, and unregister all of them together.  Do not report a function that has an alternative, or
 * that a kernel may lack.
 */
static int report_missing(void)
{
	static const char debuggers[] = "debuggers see breakpoints and overwrite them";
	static const char filters[] = "who judges system calls by their place sees slots";
	static const char peers[] = "the kernel's own uprobes and these must not meet in one place";
	const struct {
		const char *name;
		const char *lost;
	} wanted[] = {
		{ ksym_signal_function(), "nothing can be probed" },
		{ ksym_ptrace_function(), "nothing can be probed" },
		{ ksym_map_function(), "no file can be probed" },
		{ ksym_fork_function(), "forks are not waited for when the module goes" },
		{ ksym_access_function(0), debuggers },
		{ ksym_access_function(1), debuggers },
		{ ksym_access_function(2), IS_ENABLED(CONFIG_UPROBES) ? peers : NULL },
		{ ksym_text_function(0), IS_ENABLED(CONFIG_UPROBES) ? peers : NULL },
		{ ksym_text_function(2), IS_ENABLED(CONFIG_UPROBES) ? peers : NULL },
		{ ksym_syscall_filter_function(0), IS_ENABLED(CONFIG_SECCOMP) ? filters : NULL },
		{ ksym_syscall_filter_function(1), filters },
		{ ksym_userfault_function(), IS_ENABLED(CONFIG_USERFAULTFD) ?
		  "signals may wait for a page as long as another program likes" : NULL },
		{ ksym_fault_function(), "programs that unmap what their pads use may die" },
		{ ksym_sigreturn_function(0), "hits that signals interrupt may count twice" },
	};
	struct kprobe *kps = kcalloc(ARRAY_SIZE(wanted), sizeof(*kps), GFP_KERNEL);
	struct kprobe *found[ARRAY_SIZE(wanted)];
	unsigned int i, n = 0;
	int ret = 0;

	if (!kps)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(wanted) && ret != -ENOMEM; i++) {
		kps[i] = (struct kprobe) {
			.symbol_name = wanted[i].name,
			.flags = KPROBE_FLAG_DISABLED,
		};
		if (!wanted[i].lost)
			continue;
		ret = register_kprobe(&kps[i]);
		if (!ret)
			found[n++] = &kps[i];
		else if (ret != -ENOMEM)
			pr_warn("this kernel has no function %s() that can be hooked: %s\n",
				wanted[i].name, wanted[i].lost);
	}
	unregister_kprobes(found, n);
	kfree(kps);
	return ret == -ENOMEM ? ret : 0;
}

/**
 * hooks_init() - prepare the trial, and report what this kernel lacks
 * @ops: the functions that follow events
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int hooks_init(const struct hook_ops *ops)
{
	int ret;

	hook_ops = ops;
	ret = report_missing();
	if (ret)
		return ret;
	ret = kprobe_of(&touch_kprobes[0], (kprobe_opcode_t *)touch_traced);
	if (ret)
		return ret;
	ret = kprobe_of(&touch_kprobes[1], (kprobe_opcode_t *)touch_plain);
	if (ret)
		unregister_kprobe(&touch_kprobes[0]);
	return ret;
}

/**
 * hooks_exit() - undo hooks_init(), and report missed calls
 *
 * Context: may sleep; the watched kprobes have been unregistered.
 */
void hooks_exit(void)
{
	flush_work(&unseen_work);
	hooks_report();
	nr_hooks = 0;
	unregister_kprobe(&touch_kprobes[1]);
	unregister_kprobe(&touch_kprobes[0]);
}
