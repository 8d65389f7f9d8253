// SPDX-License-Identifier: GPL-2.0
/*
 * Log the calls of a function whose third argument is large, such as a size.  The other calls are
 * left alone: uprobes.ko checks the condition, without a trap where that is possible.
 *
 *	insmod uprobe_large.ko path=/lib/x86_64-linux-gnu/libc.so.6 offset=0x109870 least=1048576
 *	echo 65536 >/sys/module/uprobe_large/parameters/least
 *	cat /sys/module/uprobe_large/parameters/hits
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include <uprobes/uprobes.h>

/* The third argument is a size_t, so all of the register is compared. */
static struct uprobe_condition large = {
	.reg = UPROBE_REG(dx),
	.compare = UPROBE_GE,
	.value = 1 << 20,
};

static void on_hit(struct uprobe *u, struct pt_regs *regs)
{
	pr_info_ratelimited("%s[%d]: %lu\n", current->comm, task_pid_nr(current), regs->dx);
}

static struct uprobe probe = {
	.handler = on_hit,
	.flags = UPROBE_ATOMIC,
	.conditions = &large,
	.nr_conditions = 1,
};

static char *path;
module_param(path, charp, 0444);
MODULE_PARM_DESC(path, "the file");
module_param_named(offset, probe.offset, ullong, 0444);
MODULE_PARM_DESC(offset, "where in it the function begins");

/* The condition can be changed at any time.  No hit is lost meanwhile. */
static int least_set(const char *text, const struct kernel_param *kp)
{
	struct uprobe_condition other = large;
	int ret = kstrtoull(text, 0, &other.value);

	if (!ret && probe.kdata)
		ret = set_uprobe_conditions(&probe, &other, 1);
	if (!ret)
		large = other;
	return ret;
}

static int least_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", large.value);
}

static const struct kernel_param_ops least_ops = { .set = least_set, .get = least_get };

module_param_cb(least, &least_ops, NULL, 0644);
MODULE_PARM_DESC(least, "the least argument to log");

static int hits_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", uprobe_counts(&probe).hits);
}

static const struct kernel_param_ops hits_ops = { .get = hits_get };

module_param_cb(hits, &hits_ops, NULL, 0444);
MODULE_PARM_DESC(hits, "how often so far");

static int __init large_init(void)
{
	probe.path = path;
	return register_uprobe(&probe);
}

static void __exit large_exit(void)
{
	unregister_uprobe(&probe);
}

module_init(large_init);
module_exit(large_exit);

MODULE_DESCRIPTION("Log calls with a large argument");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
