// SPDX-License-Identifier: GPL-2.0
/*
 * Disarms a kprobe of another module's, whose address is the parameter "kprobe", for as long as
 * this module is there: the function that it is on is called as if nobody had hooked it.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static unsigned long kprobe;
module_param(kprobe, ulong, 0400);

static int __init disarm_init(void)
{
	return disable_kprobe((struct kprobe *)kprobe);
}

static void __exit disarm_exit(void)
{
	enable_kprobe((struct kprobe *)kprobe);
}

module_init(disarm_init);
module_exit(disarm_exit);
MODULE_DESCRIPTION("Have one kprobe not fire, for tests");
MODULE_LICENSE("GPL");
