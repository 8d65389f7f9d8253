// SPDX-License-Identifier: GPL-2.0
/*
 * The exported functions: checking arguments, and the order of the steps.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/elf.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <uprobes/uprobes.h>

#include "arch.h"
#include "image.h"
#include "lifecycle.h"
#include "probe.h"
#include "worker.h"

static struct mm_struct *process_mm(struct task_struct *task)
{
	struct mm_struct *mm = NULL;
	struct task_struct *t;

	if (task->flags & PF_KTHREAD)
		return NULL;
	/* The one that was named may have exited before its siblings. */
	rcu_read_lock();
	for_each_thread(task, t) {
		mm = get_task_mm(t);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

static int register_in_process(struct uprobe *u, struct consumer *c)
{
	struct pid *pid = find_get_pid(u->pid);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm;
	struct image *image;
	int ret;

	put_pid(pid);
	if (!task) {
		pr_notice("there is no process %d\n", u->pid);
		return -ESRCH;
	}
	mm = process_mm(task);
	put_task_struct(task);
	if (!mm) {
		pr_notice("process %d has no address space to probe\n", u->pid);
		return -EINVAL;
	}

	image = image_get(mm);
	if (IS_ERR(image)) {
		ret = PTR_ERR(image);
	} else {
		ret = image_attach(image, u->vaddr, c, NULL);
		image_put(image);
	}
	mmput(mm);
	return ret == -ESHUTDOWN ? -ESRCH : ret;
}

/* What a file that is no ELF file would be executed as is the kernel's mode. */
static enum uinsn_mode file_mode(struct file *file)
{
	unsigned char ident[EI_NIDENT];
	loff_t pos = 0;

	if (kernel_read(file, ident, sizeof(ident), &pos) == sizeof(ident) &&
	    !memcmp(ident, ELFMAG, SELFMAG) && ident[EI_CLASS] == ELFCLASS32)
		return UINSN_MODE_32;
	return UINSN_MODE_64;
}

static int check_file_text(struct file *file, const struct uprobe *u)
{
	enum ssol_refusal why = SSOL_OK;
	struct ssol_plan plan;
	loff_t pos = u->offset;
	u8 text[UINSN_MAX_LEN];
	ssize_t len;
	int ret;

	if (u->offset < 0 || u->offset >= i_size_read(file_inode(file))) {
		pr_notice("%pD: offset 0x%llx is outside the file (%lld bytes)\n", file,
			  u->offset, i_size_read(file_inode(file)));
		return -EINVAL;
	}
	len = kernel_read(file, text, sizeof(text), &pos);
	if (len <= 0) {
		pr_notice("%pD: offset 0x%llx cannot be read\n", file, u->offset);
		return -EIO;
	}
	ret = ssol_plan_insn(&plan, text, len, file_mode(file), &why);
	if (ret == -EPERM) {
		pr_notice("%pD: offset 0x%llx cannot be probed: %s (%*ph)\n", file, u->offset,
			  ssol_refusal_name(why), (int)len, text);
		return ret;
	}
	if (ret) {
		pr_notice("%pD: offset 0x%llx cannot be probed: no instruction is there (%*ph)\n",
			  file, u->offset, (int)len, text);
		return -EILSEQ;
	}
	if (u->expect_len && memcmp(u->expect, text, min_t(int, u->expect_len, ssol_len(&plan)))) {
		pr_notice("%pD: offset 0x%llx holds other bytes (%*ph) than the caller expects (%*ph)\n",
			  file, u->offset, (int)len, text, u->expect_len, u->expect);
		return -EILSEQ;
	}
	return 0;
}

/* The file to probe, with a reference, open for reading. */
static struct file *probed_file(const struct uprobe *u)
{
	struct file *file;
	struct path path;
	int ret;

	if (u->file)
		return get_file(u->file);

	ret = kern_path(u->path, LOOKUP_FOLLOW, &path);
	if (ret)
		return ERR_PTR(ret);
	/* Opening anything else might do something. */
	if (d_is_reg(path.dentry))
		file = dentry_open(&path, O_RDONLY | O_LARGEFILE, current_cred());
	else
		file = ERR_PTR(-EINVAL);
	path_put(&path);
	return file;
}

/* The same, with the place in it found to be one that can be probed. */
static struct file *checked_file(const struct uprobe *u)
{
	struct file *file = probed_file(u);
	int ret;

	if (IS_ERR(file)) {
		pr_notice("%s cannot be probed: %s, error %ld\n", u->path,
			  PTR_ERR(file) == -EINVAL ? "not a regular file" : "it cannot be opened",
			  PTR_ERR(file));
		return file;
	}
	ret = S_ISREG(file_inode(file)->i_mode) ? check_file_text(file, u) : -EINVAL;
	if (!ret)
		return file;
	fput(file);
	return ERR_PTR(ret);
}

static long detach_call(void *data)
{
	image_detach_consumer(data);
	return 0;
}

static int register_in_file(struct uprobe *u, struct consumer *c)
{
	struct file *file = checked_file(u);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);

	ret = lifecycle_watch_maps();
	if (ret)
		goto put;
	c->offset = u->offset;
	ret = probe_file_add(file, c);
	if (ret)
		goto unwatch;
	ret = mapping_apply_everywhere(c);
	if (ret)
		goto del;
	fput(file);
	return 0;

del:
	consumer_retire(c);
	probe_file_del(c);
	worker_call(detach_call, c);
unwatch:
	lifecycle_unwatch_maps();
put:
	fput(file);
	return ret;
}

/* Decides who registers or unregisters a probe: uprobe::kdata, consumer::dying. */
static DEFINE_MUTEX(kdata_mutex);

static bool fields_valid(const struct uprobe *u)
{
	return !(u->path && u->file) && u->expect_len <= UINSN_MAX_LEN &&
	       (u->expect || !u->expect_len) && !(u->flags & ~UPROBE_ATOMIC);
}

static int register_consumer(struct uprobe *u, enum consumer_type type)
{
	struct consumer *c;
	int ret;

	if (!fields_valid(u))
		return -EINVAL;

	mutex_lock(&kdata_mutex);
	if (u->kdata) {
		mutex_unlock(&kdata_mutex);
		return -EBUSY;
	}
	c = consumer_create(u, type);
	if (!IS_ERR(c))
		u->kdata = c;
	mutex_unlock(&kdata_mutex);
	if (IS_ERR(c))
		return PTR_ERR(c);

	ret = lifecycle_watch_tasks();
	if (!ret)
		ret = u->path || u->file ? register_in_file(u, c) : register_in_process(u, c);
	if (ret) {
		consumer_retire(c);
		arch_trap_quiesce();
		consumer_wait(c);
		u->kdata = NULL;
	}
	return ret;
}

static void unregister_consumer(struct uprobe *u)
{
	struct consumer *c;
	bool in_file;

	mutex_lock(&kdata_mutex);
	c = u->kdata;
	if (c && !consumer_retire(c))
		c = NULL;
	mutex_unlock(&kdata_mutex);
	if (!c)
		return;

	in_file = c->file;
	if (in_file)
		probe_file_del(c);
	/* Also when the caller is being killed the breakpoints have to go. */
	worker_call(detach_call, c);
	if (in_file)
		lifecycle_unwatch_maps();
	arch_trap_quiesce();
	consumer_wait(c);
	u->kdata = NULL;
}

int uprobe_check(const struct uprobe *u)
{
	struct file *file;

	if (!fields_valid(u) || !(u->path || u->file))
		return -EINVAL;
	file = checked_file(u);
	if (IS_ERR(file))
		return PTR_ERR(file);
	fput(file);
	return 0;
}
EXPORT_SYMBOL_GPL(uprobe_check);

int register_uprobe(struct uprobe *u)
{
	if (!u->handler)
		return -EINVAL;
	return register_consumer(u, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(register_uprobe);

void unregister_uprobe(struct uprobe *u)
{
	unregister_consumer(u);
}
EXPORT_SYMBOL_GPL(unregister_uprobe);

int register_uretprobe(struct uretprobe *rp)
{
	if (!rp->handler)
		return -EINVAL;
	return register_consumer(&rp->u, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(register_uretprobe);

void unregister_uretprobe(struct uretprobe *rp)
{
	unregister_consumer(&rp->u);
}
EXPORT_SYMBOL_GPL(unregister_uretprobe);

struct uprobe_counts uprobe_counts(const struct uprobe *u)
{
	struct uprobe_counts counts = {};

	if (u->kdata)
		counts = consumer_counts(u->kdata);
	counts.hits += u->__hits;
	counts.missed += u->__missed;
	return counts;
}
EXPORT_SYMBOL_GPL(uprobe_counts);
