// SPDX-License-Identifier: GPL-2.0
/*
 * The owner of a breakpoint, and the text under it.
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
 * owner_text() - find the text under a breakpoint of another owner
 * @mm: the address space, in use
 * @addr: address of the breakpoint
 * @text: the text with the breakpoint; replaced by the text without it
 * @len: number of bytes
 *
 * Take the text from the mapped file, if all other bytes are the same.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0; -EEXIST if the breakpoint is part of the program, if the program has changed its text,
 * or if that cannot be found out; -EINTR if the task is being killed, -ENOMEM without memory.
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
 * owner_is_uprobe_call() - check whether the kernel's uprobes have put a call into the text
 * @mm: the address space, in use
 * @addr: address of the text
 * @text: the text
 * @len: number of bytes
 *
 * Since 6.18 the kernel replaces a long nop that its uprobes probe by a call of their trampoline.
 * To restore the nop, the kernel checks whether the text is still that call.  It takes anything
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
 * owner_keeps() - check whether a breakpoint of ours must stay for another owner
 * @mm: the address space
 * @owner: enum breakpoint_owner
 *
 * A child gets %OWNER_OTHER_SECOND from its parent.  But the kernel's uprobes may have taken the
 * breakpoint of the parent for their own only after the child was copied.  So check whether they
 * have breakpoints in the child at all.
 *
 * Context: any; the mmap lock held, so that the kernel's uprobes cannot insert a breakpoint.
 */
bool owner_keeps(struct mm_struct *mm, u8 owner)
{
	return owner == OWNER_OTHER_SECOND ? compat_has_uprobes(mm) : owner != OWNER_OURS;
}
