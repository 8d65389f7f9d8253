// SPDX-License-Identifier: GPL-2.0
/*
 * Read a string that a program passes to a function.  The handler may sleep, so
 * pages of the string that are on disk are read in:
 *
 *	insmod uprobe_string.ko path=/bin/bash offset=0xb64d0 argument=0
 *	cat /sys/module/uprobe_string/parameters/last
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <uprobes/uprobes.h>

#define LONGEST	4096

static DEFINE_MUTEX(last_mutex);
static char *last;		/* protected by last_mutex */
static unsigned long faults;

static unsigned int argument;
module_param(argument, uint, 0444);
MODULE_PARM_DESC(argument, "which argument of the function, from 0");

/* The registers in which the System V ABI for x86-64 passes integers (3.2.3). */
static const char __user *string_argument(const struct pt_regs *regs)
{
	const unsigned long in_order[] = {
		regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9,
	};

	return (const char __user *)in_order[argument];
}

static void on_hit(struct uprobe *u, struct pt_regs *regs)
{
	char *string = strndup_user(string_argument(regs), LONGEST);

	mutex_lock(&last_mutex);
	if (IS_ERR(string))
		faults++;
	else
		swap(string, last);
	mutex_unlock(&last_mutex);
	if (!IS_ERR(string))
		kfree(string);
}

static struct uprobe probe = {
	.handler = on_hit,
};

static char *path;
module_param(path, charp, 0444);
MODULE_PARM_DESC(path, "the file");
module_param_named(offset, probe.offset, ullong, 0444);
MODULE_PARM_DESC(offset, "where in it the function begins");
module_param(faults, ulong, 0444);
MODULE_PARM_DESC(faults, "how often there was no string, or none of at most 4095 bytes");

static int last_get(char *buffer, const struct kernel_param *kp)
{
	int n;

	mutex_lock(&last_mutex);
	n = sysfs_emit(buffer, "%s\n", last ?: "");
	mutex_unlock(&last_mutex);
	return n;
}

static const struct kernel_param_ops last_ops = { .get = last_get };

module_param_cb(last, &last_ops, NULL, 0444);
MODULE_PARM_DESC(last, "the last string");

static int __init string_init(void)
{
	if (argument > 5)
		return -EINVAL;
	probe.path = path;
	return register_uprobe(&probe);
}

static void __exit string_exit(void)
{
	unregister_uprobe(&probe);
	kfree(last);
}

module_init(string_init);
module_exit(string_exit);

MODULE_DESCRIPTION("Read a string argument of a function");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
