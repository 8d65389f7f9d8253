// SPDX-License-Identifier: GPL-2.0
/*
 * Look up and check the processes and files that clients name.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "target.h"
#include "arch.h"
#include "elf_file.h"
#include "elf_go.h"
#include "elf_symbol.h"
#include "reader.h"
#include "retaddr.h"
#include "ssol.h"

static struct mm_struct *process_mm(struct task_struct *task)
{
	struct mm_struct *mm = NULL;
	struct task_struct *t;

	if (task->flags & PF_KTHREAD)
		return NULL;
	/* The named thread may have exited before the other threads of its process. */
	rcu_read_lock();
	for_each_thread(task, t) {
		mm = get_task_mm(t);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/**
 * target_mm() - get the address space of a process
 * @pid: any of its thread ids, in the caller's pid namespace
 *
 * Context: may sleep.
 * Return: the address space, in use until mmput(); ERR_PTR(-ESRCH) if there is no such
 * process, ERR_PTR(-EINVAL) if it has no address space (a kernel thread, a zombie).
 */
struct mm_struct *target_mm(pid_t pid)
{
	struct pid *id = find_get_pid(pid);
	struct task_struct *task = get_pid_task(id, PIDTYPE_PID);
	struct mm_struct *mm;

	put_pid(id);
	if (!task) {
		pr_notice("there is no process %d\n", pid);
		return ERR_PTR(-ESRCH);
	}
	mm = process_mm(task);
	put_task_struct(task);
	if (!mm) {
		pr_notice("process %d has no address space to probe\n", pid);
		return ERR_PTR(-EINVAL);
	}
	return mm;
}

/* Find out the mode of the file's code.  If it is not an ELF file, use the mode of the kernel. */
static void target_classify(struct target *target)
{
	struct elf_file elf;

	target->mode = UINSN_MODE_64;
	if (!elf_file_open(&elf, target, NULL))
		return;
	if (elf.head.e_ident[EI_CLASS] == ELFCLASS32)
		target->mode = UINSN_MODE_32;
}

/* Look up a path as the first process sees it. */
static int path_of_init(const char *name, struct path *path)
{
	struct pid *pid = find_get_pid(1);
	struct task_struct *init = get_pid_task(pid, PIDTYPE_PID);
	struct file *file = ERR_PTR(-ENOENT);
	struct path root = {};

	put_pid(pid);
	if (!init)
		return -ESRCH;
	task_lock(init);
	if (init->fs)
		get_fs_root(init->fs, &root);
	task_unlock(init);
	put_task_struct(init);
	/* With O_PATH, nothing is opened. */
	if (root.dentry)
		file = file_open_root(&root, name, O_PATH, 0);
	path_put(&root);
	if (IS_ERR(file))
		return PTR_ERR(file);
	*path = file->f_path;
	path_get(path);
	fput(file);
	return 0;
}

/*
 * Open a file as the caller sees it.  Kernel threads had the root of the first process.  Since 7.3
 * ("nullfs") they have an empty one of their own, which no client means.
 */
static struct file *file_at(const char *name)
{
	struct file *file;
	struct path path;
	int ret;

	ret = current->flags & PF_KTHREAD ? path_of_init(name, &path) :
					    kern_path(name, LOOKUP_FOLLOW, &path);
	if (ret)
		return ERR_PTR(ret);
	/* Opening anything but a regular file may have side effects. */
	if (d_is_reg(path.dentry))
		file = dentry_open(&path, O_RDONLY | O_LARGEFILE, current_cred());
	else
		file = ERR_PTR(-EINVAL);
	path_put(&path);
	return file;
}

/* Get the inode that processes map.  If a file is on an overlay, they map the file below it. */
static struct inode *inode_below(struct inode *inode)
{
	struct dentry *dentry = d_find_any_alias(inode);

	if (dentry)
		inode = d_real_inode(dentry);
	dput(dentry);
	return inode;
}

/**
 * target_open() - open the file that a client names
 * @target: the structure to fill in
 * @u: @u->path, @u->file or @u->inode
 *
 * Context: may sleep.
 * Return: 0; the error of looking up the path; -EBADF if @u->file is not open for reading;
 * -EINVAL if it is not a regular file, if it is given by its inode and its file system needs an
 * open file to read, or if nothing in its file system can be executed. Such a file system is
 * sysfs: reading a file there takes locks of the code that provides the file.
 */
int target_open(struct target *target, const struct uprobe *u)
{
	*target = (struct target) { .name = u->path };
	if (u->path) {
		target->file = file_at(u->path);
		if (IS_ERR(target->file)) {
			int ret = PTR_ERR(target->file);

			pr_notice("%s cannot be probed: %s, error %d\n", u->path,
				  ret == -EINVAL ? "not a regular file" : "it cannot be opened",
				  ret);
			return ret;
		}
	} else if (u->file) {
		/* kernel_read() would print a warning. */
		if (!(u->file->f_mode & FMODE_READ)) {
			pr_notice("%pD cannot be probed: it is not open for reading\n", u->file);
			return -EBADF;
		}
		target->file = get_file(u->file);
		take_dentry_name_snapshot(&target->kept, u->file->f_path.dentry);
		target->name = target->kept.name.name;
	} else {
		target->name = "a file without a name";
	}
	target->inode = target->file ? d_real_inode(target->file->f_path.dentry) :
				       inode_below(u->inode);
	ihold(target->inode);
	if (target->inode->i_sb->s_iflags & SB_I_NOEXEC) {
		pr_notice("%s cannot be probed: nothing in its file system can be executed\n",
			  target->name);
		target_close(target);
		return -EINVAL;
	}
	if (!S_ISREG(target->inode->i_mode)) {
		pr_notice("%s cannot be probed: not a regular file\n", target->name);
		target_close(target);
		return -EINVAL;
	}
	if (!target->file && !inode_readable(target->inode)) {
		pr_notice("a file in %s cannot be probed by its inode: it has to be opened to be read\n",
			  target->inode->i_sb->s_type->name);
		target_close(target);
		return -EINVAL;
	}
	target_classify(target);
	return 0;
}

void target_close(struct target *target)
{
	if (target->kept.name.name)
		release_dentry_name_snapshot(&target->kept);
	if (target->file)
		fput(target->file);
	iput(target->inode);
}

/**
 * target_complaint() - check how a client describes the place of its probe
 * @u: the probe
 *
 * Context: any.
 * Return: a complaint for the kernel log, or NULL.
 */
const char *target_complaint(const struct uprobe *u)
{
	if (!!u->path + !!u->file + !!u->inode > 1)
		return "more than one of path, file and inode is set";
	if (u->expect_len > UINSN_MAX_LEN || (u->expect_len && !u->expect))
		return "expect_len is not that of an instruction at expect";
	if (u->ref_ctr_offset % 2)
		return "a reference counter cannot be at an odd offset";
	return NULL;
}

static size_t read_text(const void *target, u64 offset, void *buf, size_t len)
{
	ssize_t n = target_read(target, buf, len, offset);

	return n > 0 ? n : 0;
}

/*
 * Check whether a file has code that OCaml's compiler has made.  Such programs export the runtime
 * of OCaml.
 */
static bool is_ocaml(const struct target *target)
{
	struct elf_symbol symbol = { .name = "caml_start_program" };

	elf_symbols_find(target, &symbol, 1, NULL, NULL);
	return symbol.offset;
}

/**
 * target_is_go() - check whether a file is a program in Go
 * @target: the file
 *
 * Few probes need to know, and it takes twenty reads of the file.
 *
 * Context: may sleep.
 */
bool target_is_go(struct target *target)
{
	struct elf_file elf;

	if (!target->go_known)
		target->go = elf_file_open(&elf, target, NULL) && elf_file_is_go(&elf);
	target->go_known = true;
	return target->go;
}

/**
 * target_check_returns() - check whether a function in a file can be return-probed
 * @target: the file
 * @offset: where the function begins
 *
 * Context: may sleep.
 * Return: 0 or -EPERM; the kernel log names the cause.
 */
int target_check_returns(struct target *target, loff_t offset)
{
	if (!target_is_go(target)) {
		if (is_ocaml(target)) {
			pr_notice("%s: a return probe would break this OCaml program, whose exceptions cut the stack and whose collector looks up return addresses; probe its ret instructions instead\n",
				  target->name);
			return -EPERM;
		}
		if (!retaddr_used_in(target, read_text, offset, target->mode))
			return 0;
		pr_notice("%s: a return probe would change what the function at 0x%llx does, which looks at its return address; probe its ret instructions instead\n",
			  target->name, offset);
		return -EPERM;
	}
	pr_notice("%s: a return probe would break this Go program, whose runtime moves stacks and reads return addresses; probe its ret instructions instead\n",
		  target->name);
	return -EPERM;
}

/**
 * target_check() - check whether a place in a file can be probed
 * @target: the file
 * @u: @u->offset, @u->expect
 * @returns: the probe is a return probe
 * @plan: set to the plan of the instruction
 *
 * Context: may sleep.
 * Return: 0 or an error of register_uprobe(); the kernel log names the cause.
 */
int target_check(struct target *target, const struct uprobe *u, bool returns,
		 struct ssol_plan *plan)
{
	loff_t size = i_size_read(target->inode);
	enum ssol_refusal why = SSOL_OK;
	u8 text[UINSN_MAX_LEN];
	ssize_t len;
	int ret;

	if (u->offset < 0 || u->offset >= size || u->ref_ctr_offset < 0 ||
	    (u->ref_ctr_offset && u->ref_ctr_offset > size - 2)) {
		pr_notice("%s: offset 0x%llx is outside the file (%lld bytes)\n", target->name,
			  u->offset >= 0 && u->offset < size ? u->ref_ctr_offset : u->offset, size);
		return -EINVAL;
	}
	ret = returns ? target_check_returns(target, u->offset) : 0;
	if (ret)
		return ret;
	len = target_read(target, text, sizeof(text), u->offset);
	if (len == -EINTR || len == -ENOMEM)
		return len;
	if (len <= 0) {
		pr_notice("%s: offset 0x%llx cannot be read\n", target->name, u->offset);
		return -EIO;
	}
	ret = ssol_plan_insn(plan, text, len, target->mode, &why);
	if (ret == -EPERM) {
		pr_notice("%s: offset 0x%llx cannot be probed: %s (%*ph)\n", target->name,
			  u->offset, ssol_refusal_name(why), (int)len, text);
		return ret;
	}
	if (ret) {
		pr_notice("%s: offset 0x%llx cannot be probed: no instruction is there (%*ph)\n",
			  target->name, u->offset, (int)len, text);
		return -EILSEQ;
	}
	if (u->expect_len && memcmp(u->expect, text, min_t(int, u->expect_len, ssol_len(plan)))) {
		pr_notice("%s: offset 0x%llx holds other bytes (%*ph) than the caller expects (%*ph)\n",
			  target->name, u->offset, (int)len, text, u->expect_len, u->expect);
		return -EILSEQ;
	}
	return 0;
}
