// SPDX-License-Identifier: GPL-2.0
/*
 * Probe an instruction of a file in the processes of one user.  The reference counter that
 * belongs to it (the semaphore of a USDT probe) tells these processes that they are probed:
 *
 *	insmod uprobe_file.ko path=/usr/bin/app offset=0x1234 ref_ctr=0x5678 uid=1000
 *	cat /sys/module/uprobe_file/parameters/hits
 */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/uidgid.h>

#include <uprobes/uprobes.h>

static uint uid;
module_param(uid, uint, 0444);
MODULE_PARM_DESC(uid, "whose processes");

static void on_hit(struct uprobe *u, struct pt_regs *regs)
{
	/* uprobes.ko counts the hits; there is nothing else to do. */
}

static bool of_user(struct uprobe *u, struct mm_struct *mm)
{
	struct task_struct *process;
	bool found = false;

	rcu_read_lock();
	for_each_process(process) {
		if (READ_ONCE(process->mm) == mm) {
			found = uid_eq(task_uid(process), KUIDT_INIT(uid));
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static struct uprobe probe = {
	.handler = on_hit,
	.filter = of_user,
	.flags = UPROBE_ATOMIC,
};

static char *path;
module_param(path, charp, 0444);
MODULE_PARM_DESC(path, "the file");
module_param_named(offset, probe.offset, ullong, 0444);
MODULE_PARM_DESC(offset, "where in it the instruction is");
module_param_named(ref_ctr, probe.ref_ctr_offset, ullong, 0444);
MODULE_PARM_DESC(ref_ctr, "where in it the reference counter is, or 0");

static int hits_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", uprobe_counts(&probe).hits);
}

static const struct kernel_param_ops hits_ops = { .get = hits_get };

module_param_cb(hits, &hits_ops, NULL, 0444);
MODULE_PARM_DESC(hits, "how often so far");

static int __init file_init(void)
{
	probe.path = path;
	return register_uprobe(&probe);
}

static void __exit file_exit(void)
{
	unregister_uprobe(&probe);
}

module_init(file_init);
module_exit(file_exit);

MODULE_DESCRIPTION("Probe a file in the processes of one user");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
