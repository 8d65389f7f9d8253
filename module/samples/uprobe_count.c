// SPDX-License-Identifier: GPL-2.0
/*
 * Count how often a process executes the instruction at an address:
 *
 *	insmod uprobe_count.ko pid=1234 vaddr=0x55d0c0ffee10
 *	cat /sys/module/uprobe_count/parameters/hits
 *	rmmod uprobe_count
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>

#include <uprobes/uprobes.h>

/* uprobes.ko counts the hits; there is nothing else to do. */
static struct uprobe probe = {
	.flags = UPROBE_COUNT,
};

module_param_named(pid, probe.pid, int, 0444);
MODULE_PARM_DESC(pid, "process to probe");
module_param_named(vaddr, probe.vaddr, ulong, 0444);
MODULE_PARM_DESC(vaddr, "address of the instruction");

static int hits_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", uprobe_counts(&probe).hits);
}

static const struct kernel_param_ops hits_ops = {
	.get = hits_get,
};

module_param_cb(hits, &hits_ops, NULL, 0444);
MODULE_PARM_DESC(hits, "how often so far");

static int __init count_init(void)
{
	return register_uprobe(&probe);
}

static void __exit count_exit(void)
{
	unregister_uprobe(&probe);
	pr_info("%llu hits\n", uprobe_counts(&probe).hits);
}

module_init(count_init);
module_exit(count_exit);

MODULE_DESCRIPTION("Count the hits of an address in a process");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
