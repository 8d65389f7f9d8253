// SPDX-License-Identifier: GPL-2.0
/*
 * Translate addresses with uprobe_get_pc(), as a client does that walks stacks:
 *
 *	echo "TID" >/sys/module/uprobe_pc/parameters/ask
 *	echo "TID PC SP" >/sys/module/uprobe_pc/parameters/ask
 *	echo "entry PID VADDR" >/sys/module/uprobe_pc/parameters/walk
 *	echo "return PID VADDR" >/sys/module/uprobe_pc/parameters/walk
 *	cat /sys/module/uprobe_pc/parameters/answer
 *
 * "ask" looks at a thread.  If the thread runs, an interrupt on its CPU does so; otherwise another
 * task does, and the test must make sure that the thread does not begin to run.  With PC and SP,
 * "ask" translates these instead.  "walk" registers a probe on an entry or on the returns of a
 * function.  Its handler, in the trap, looks at the current task in the same way.  There is one
 * such probe at a time; "none" unregisters it.
 *
 * "answer" has a line for the ip, and one for each of WORDS words of the stack: the stack pointer
 * or the address of the word, the value, and its translation.  In a return handler, the words begin
 * with the return address, and each is translated with the current call.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include <uprobes/uprobes.h>

#define WORDS	16

static struct answer {
	unsigned int n;
	struct line {
		unsigned long sp;
		unsigned long is;
		unsigned long pc;
	} lines[WORDS + 1];
} answer;

static struct uretprobe probe;
static bool returns;
static DEFINE_MUTEX(pc_mutex);

static void note(unsigned long sp, unsigned long is, unsigned long pc)
{
	answer.lines[answer.n++] = (struct line) { .sp = sp, .is = is, .pc = pc };
}

/* Translate the ip and the stack of the current task.  Context: any. */
static void look(struct uretprobe_instance *ri, const struct pt_regs *regs)
{
	unsigned long at = ri ? ri->sp : regs->sp, word;

	answer.n = 0;
	note(regs->sp, regs->ip, uprobe_get_pc(ri, regs->ip, regs->sp));
	while (answer.n <= WORDS &&
	       !copy_from_user_nofault(&word, (void __user *)at, sizeof(word))) {
		note(at, word, uprobe_get_pc(ri, word, at));
		at += sizeof(word);
	}
}

static void on_entry(struct uprobe *u, struct pt_regs *regs)
{
	look(NULL, regs);
}

static void on_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	look(ri, regs);
}

static void look_here(void *task)
{
	if (current == task)
		look(NULL, task_pt_regs(current));
}

static void look_at(struct task_struct *task)
{
	const struct pt_regs *regs = task_pt_regs(task);
	struct mm_struct *mm = get_task_mm(task);
	unsigned long at = regs->sp, word;

	if (!mm)
		return;
	note(regs->sp, regs->ip, uprobe_get_pc_task(task, regs->ip, regs->sp));
	while (answer.n <= WORDS &&
	       access_process_vm(task, at, &word, sizeof(word), 0) == sizeof(word)) {
		note(at, word, uprobe_get_pc_task(task, word, at));
		at += sizeof(word);
	}
	mmput(mm);
}

static int ask(const char *line, const struct kernel_param *kp)
{
	unsigned long pc, sp;
	struct task_struct *task;
	struct pid *pid;
	int n, tid;

	n = sscanf(line, "%d %lx %lx", &tid, &pc, &sp);
	if (n != 1 && n != 3)
		return -EINVAL;
	pid = find_get_pid(tid);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	mutex_lock(&pc_mutex);
	answer.n = 0;
	if (n == 3) {
		note(sp, pc, uprobe_get_pc_task(task, pc, sp));
	} else {
		on_each_cpu(look_here, task, 1);
		if (!answer.n)
			look_at(task);
	}
	mutex_unlock(&pc_mutex);
	put_task_struct(task);
	return 0;
}

static void stop(void)
{
	if (returns)
		unregister_uretprobe(&probe);
	else
		unregister_uprobe(&probe.u);
}

static int walk(const char *line, const struct kernel_param *kp)
{
	unsigned long vaddr = 0;
	char verb[8];
	int n, pid = 0;
	int ret = 0;

	n = sscanf(line, "%7s %d %lx", verb, &pid, &vaddr);
	if (n != 3 && (n != 1 || strcmp(verb, "none")))
		return -EINVAL;
	mutex_lock(&pc_mutex);
	stop();
	returns = !strcmp(verb, "return");
	probe.u = (struct uprobe) {
		.pid = pid, .vaddr = vaddr, .flags = UPROBE_ATOMIC, .handler = on_entry,
	};
	probe.handler = on_return;
	if (n == 3)
		ret = returns ? register_uretprobe(&probe) : register_uprobe(&probe.u);
	mutex_unlock(&pc_mutex);
	return ret;
}

static int show_answer(char *buffer, const struct kernel_param *kp)
{
	int n = 0;
	unsigned int i;

	mutex_lock(&pc_mutex);
	for (i = 0; i < answer.n; i++)
		n += sysfs_emit_at(buffer, n, "%lx %lx %lx\n", answer.lines[i].sp,
				   answer.lines[i].is, answer.lines[i].pc);
	mutex_unlock(&pc_mutex);
	return n;
}

static const struct kernel_param_ops ask_ops = { .set = ask };
static const struct kernel_param_ops walk_ops = { .set = walk };
static const struct kernel_param_ops answer_ops = { .get = show_answer };

module_param_cb(ask, &ask_ops, NULL, 0200);
MODULE_PARM_DESC(ask, "look at a thread");
module_param_cb(walk, &walk_ops, NULL, 0200);
MODULE_PARM_DESC(walk, "look at each task that comes to a place");
module_param_cb(answer, &answer_ops, NULL, 0400);
MODULE_PARM_DESC(answer, "what was seen last");

static int __init pc_init(void)
{
	return 0;
}

static void __exit pc_exit(void)
{
	stop();
}

module_init(pc_init);
module_exit(pc_exit);

MODULE_DESCRIPTION("Test client of uprobes.ko: addresses");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
