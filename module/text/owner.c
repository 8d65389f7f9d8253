// SPDX-License-Identifier: GPL-2.0
/*
 * Whose a breakpoint is, and what is under it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/string.h>

#include "owner.h"
#include "arch.h"
#include "mapped_file.h"
#include "read.h"
#include "base/compat.h"

/**
 * owner_text() - the text under another's breakpoint
 * @mm: the address space, in use
 * @addr: address of the breakpoint
 * @text: what is there; comes back without the breakpoint
 * @len: how many bytes
 *
 * That is what the mapped file holds, if everything else is the same.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0; -EEXIST when the program itself has the breakpoint, or has changed its text, or
 * it cannot be told; -EINTR when the task is being killed, -ENOMEM when there is no memory.
 */
int owner_text(struct mm_struct *mm, unsigned long addr, u8 *text, int len)
{
	u8 there[UINSN_MAX_LEN];
	int ret = -EEXIST;
	struct file *file;
	ssize_t got;
	loff_t pos;

	file = mapped_file(mm, addr, &pos);
	if (!file)
		return ret;
	got = kernel_read(file, there, min_t(size_t, len, sizeof(there)), &pos);
	fput(file);
	if (got == len && there[0] != ARCH_BREAKPOINT && text_same(text, there, len)) {
		memcpy(text, there, len);
		ret = 0;
	} else if (got == -EINTR || got == -ENOMEM) {
		ret = got;
	}
	return ret;
}

/**
 * owner_is_uprobe_call() - whether text is a call of the kernel's, in the place of its breakpoint
 * @mm: the address space, in use
 * @addr: address of the text
 * @text: what is there
 * @len: how many bytes
 *
 * Since 6.18 a long nop that is probed becomes a call of the kernel's trampoline for uprobes;
 * when it takes that out, it looks whether the text is still that call, and takes anything
 * else for its breakpoint.
 *
 * Context: may sleep; takes the mmap lock.
 */
bool owner_is_uprobe_call(struct mm_struct *mm, unsigned long addr, const u8 *text, int len)
{
	struct vm_area_struct *vma;
	const char *name = NULL;
	unsigned long to;
	bool is;

	if (!arch_uprobe_call(text, len, addr, &to))
		return false;
	mmap_read_lock(mm);
	vma = find_vma(mm, to);
	if (vma && vma->vm_start <= to && vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	is = name && !strcmp(name, "[uprobes-trampoline]");
	mmap_read_unlock(mm);
	return is;
}

/**
 * owner_keeps() - whether a breakpoint of ours has to stay for somebody else
 * @mm: the address space
 * @foreign: enum breakpoint_owner
 *
 * What the kernel's uprobes have taken for their own in a parent may not have been when the
 * child was copied, which then has the mark all the same.
 *
 * Context: any; the mmap lock held, so that they do not come just now.
 */
bool owner_keeps(struct mm_struct *mm, u8 foreign)
{
	return foreign == OWNER_OTHER_SECOND ? compat_has_uprobes(mm) : foreign != OWNER_OURS;
}
