// SPDX-License-Identifier: GPL-2.0
/*
 * Disarm a kprobe of another module while this module is loaded.  The parameter "kprobe" is the
 * address of its struct kprobe.  Calls of the kprobed function then do not call its handler.
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
