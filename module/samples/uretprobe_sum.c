// SPDX-License-Identifier: GPL-2.0
/*
 * Count the returns of a function and add up its return values, in one process
 * or in every process that maps a file:
 *
 *	insmod uretprobe_sum.ko pid=1234 vaddr=0x55d0c0ffee10
 *	insmod uretprobe_sum.ko path=/usr/bin/bash offset=0xb8520
 *	cat /sys/module/uretprobe_sum/parameters/{returns,sum,missed}
 *	rmmod uretprobe_sum
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <uprobes/uprobes.h>

static atomic64_t total = ATOMIC64_INIT(0);

static void add_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	atomic64_add(regs_return_value(regs), &total);
}

static struct uretprobe probe = {
	.handler = add_return,
};

static char *path;
module_param(path, charp, 0444);
MODULE_PARM_DESC(path, "file to probe in every process, instead of pid and vaddr");
module_param_named(offset, probe.u.offset, ullong, 0444);
MODULE_PARM_DESC(offset, "offset of the function in the file");
module_param_named(pid, probe.u.pid, int, 0444);
MODULE_PARM_DESC(pid, "process to probe");
module_param_named(vaddr, probe.u.vaddr, ulong, 0444);
MODULE_PARM_DESC(vaddr, "address of the function");

static bool atomic;
module_param(atomic, bool, 0444);
MODULE_PARM_DESC(atomic, "run the handler in the trap");

static int returns_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", uprobe_counts(&probe.u).hits);
}

static int missed_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", uprobe_counts(&probe.u).missed);
}

static int sum_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%lld\n", atomic64_read(&total));
}

static const struct kernel_param_ops returns_ops = { .get = returns_get };
static const struct kernel_param_ops missed_ops = { .get = missed_get };
static const struct kernel_param_ops sum_ops = { .get = sum_get };

module_param_cb(returns, &returns_ops, NULL, 0444);
MODULE_PARM_DESC(returns, "how many returns so far");
module_param_cb(missed, &missed_ops, NULL, 0444);
MODULE_PARM_DESC(missed, "how many could not be seen");
module_param_cb(sum, &sum_ops, NULL, 0444);
MODULE_PARM_DESC(sum, "sum of the returned values");

static int __init sum_init(void)
{
	probe.u.path = path;
	if (atomic)
		probe.u.flags = UPROBE_ATOMIC;
	return register_uretprobe(&probe);
}

static void __exit sum_exit(void)
{
	unregister_uretprobe(&probe);
}

module_init(sum_init);
module_exit(sum_exit);

MODULE_DESCRIPTION("Add up the return values of a function");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
