/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions.  Only this file may check the version that the module
 * is built for.  Each entry names the kernel change that made it necessary.
 */
#ifndef _UPROBES_COMPAT_H
#define _UPROBES_COMPAT_H

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#include <uapi/linux/magic.h>
#include <uapi/linux/rseq.h>

/*
 * If the kernel has this header, it declares tracing_is_on(), and linux/kernel.h no longer does.
 * Sparse does not know __has_include(), and is not run on kernels that have the header.
 */
#ifndef __CHECKER__
#if __has_include("linux/trace_controls.h")
#include <linux/trace_controls.h>
#endif
#endif

/*
 * The kernel function that judges a system call by the filters of seccomp.  7.3 renamed it, as it
 * now returns whether the call is permitted.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
#define COMPAT_SECCOMP_FUNCTION "__seccomp_permit_syscall"
#else
#define COMPAT_SECCOMP_FUNCTION "__secure_computing"
#endif

/*
 * The kernel's workqueue for work that may run on any processor.  Commit 128ea9f6ccfb
 * ("workqueue: Add system_percpu_wq and system_dfl_wq") gave it another name.  7.3 logs a use of
 * the old one.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define compat_unbound_wq system_dfl_wq
#else
#define compat_unbound_wq system_unbound_wq
#endif

/*
 * Flag of a cache that shares no memory with other caches.  6.5 has it ("mm/slab: introduce
 * kmem_cache flag SLAB_NO_MERGE").  Without it, the kernel may not report at unloading that objects
 * are left.
 */
#ifdef SLAB_NO_MERGE
#define COMPAT_SLAB_NO_MERGE SLAB_NO_MERGE
#else
#define COMPAT_SLAB_NO_MERGE 0
#endif

/**
 * compat_gup_remote() - get one page of another address space
 * @mm: the address space
 * @addr: an address in the page
 * @gup_flags: FOLL_ flags
 * @page: set to the page, with a reference
 * @locked: NULL; or points to 1: a killed task does not wait for the page, and the function
 *	may release the mmap lock, which sets it to 0
 *
 * Commit ca5e863233e8 ("mm/gup: remove vmas parameter from
 * get_user_pages_remote()", 6.5) dropped an argument that the module does not need.
 *
 * Context: mmap lock of @mm held.
 */
static inline long compat_gup_remote(struct mm_struct *mm, unsigned long addr,
				     unsigned int gup_flags, struct page **page,
				     int *locked)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return get_user_pages_remote(mm, addr, 1, gup_flags, page, locked);
#else
	return get_user_pages_remote(mm, addr, 1, gup_flags, page, NULL, locked);
#endif
}

/**
 * compat_zap() - drop pages of a mapping, so that they are brought in again when they are used
 * @vma: the mapping, which is neither locked nor of hugetlbfs
 * @addr: first address
 * @size: how much of it
 *
 * The name of the function for one mapping changed in 6.3 ("mm: remove zap_page_range and create
 * zap_vma_pages") and in 7.1.  Not all kernels export it: Debian's do.
 *
 * Context: may sleep; the mmap lock held.
 * Return: whether that can be done.
 */
static inline bool compat_zap(struct vm_area_struct *vma, unsigned long addr, unsigned long size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
	extern typeof(zap_vma_range) zap_vma_range __weak;

	if (zap_vma_range)
		zap_vma_range(vma, addr, size);
	return zap_vma_range;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	extern typeof(zap_page_range_single) zap_page_range_single __weak;

	if (zap_page_range_single)
		zap_page_range_single(vma, addr, size, NULL);
	return zap_page_range_single;
#else
	extern typeof(zap_page_range) zap_page_range __weak;

	if (zap_page_range)
		zap_page_range(vma, addr, size);
	return zap_page_range;
#endif
}

/**
 * compat_swbp_mm() - get the address space that set_swbp() or set_orig_insn() changes
 * @arg: the second argument of that function
 *
 * Since 6.16 ("kernel/events/uprobes: pass VMA to set_swbp(), set_orig_insn()
 * and uprobe_write_opcode()") the argument is the mapping.
 */
static inline struct mm_struct *compat_swbp_mm(unsigned long arg)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return ((struct vm_area_struct *)arg)->vm_mm;
#else
	return (struct mm_struct *)arg;
#endif
}

/**
 * compat_has_uprobes() - check whether the kernel's own uprobes may have breakpoints
 * @mm: the address space to look at
 *
 * The flags of @mm are a bitmap since "mm: convert core mm to mm_flags_*() accessors" (6.18).
 */
static inline bool compat_has_uprobes(struct mm_struct *mm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	return mm_flags_test(MMF_HAS_UPROBES, mm);
#else
	return test_bit(MMF_HAS_UPROBES, &mm->flags);
#endif
}

/**
 * compat_recount_uprobes() - have the kernel look whether its uprobes are gone from a process
 * @mm: the address space
 *
 * It does so at the next breakpoint of the process that it does not know.  If no mapped file has a
 * probe, compat_has_uprobes() is false then.
 */
static inline void compat_recount_uprobes(struct mm_struct *mm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	mm_flags_set(MMF_RECALC_UPROBES, mm);
#else
	set_bit(MMF_RECALC_UPROBES, &mm->flags);
#endif
}

/**
 * compat_shmem_file() - create a file that has no name in any file system
 * @name: the name that /proc/PID/maps shows
 * @size: in bytes
 *
 * The file reserves no memory: each page is charged when it is allocated.
 *
 * Commit 590d356aa433 ("mm: update shmem_[kernel]_file_*() functions to use
 * vma_flags_t", 7.0) made the flags a type of their own.
 */
static inline struct file *compat_shmem_file(const char *name, loff_t size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return shmem_file_setup(name, size, mk_vma_flags(VMA_NORESERVE_BIT));
#else
	return shmem_file_setup(name, size, VM_NORESERVE);
#endif
}

/**
 * compat_inode_changed() - get the time when a file or its attributes last changed
 * @inode: the file
 *
 * Commit 077c212f0344 ("fs: new accessor methods for atime and mtime", 6.7) and earlier commits
 * replaced access to the fields by functions.
 *
 * Context: any.
 */
static inline struct timespec64 compat_inode_changed(const struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return inode_get_ctime(inode);
#else
	return inode->i_ctime;
#endif
}

/* Check whether compat_cache_folio() can read a file.  Context: any. */
static inline bool compat_cache_readable(const struct address_space *mapping)
{
	return mapping->a_ops->read_folio || mapping->host->i_sb->s_magic == TMPFS_MAGIC;
}

/**
 * compat_cache_folio() - get an up-to-date folio of a file from the page cache
 * @mapping: the file's cache
 * @index: of a page in the file
 *
 * A file of tmpfs has no read operation.  The function that reads it changed
 * with "mm: shmem: ... shmem_read_folio()" (in use since 6.6, page based before).
 *
 * Context: may sleep.
 * Return: the folio with a reference, or ERR_PTR.
 */
static inline struct folio *compat_cache_folio(struct address_space *mapping, pgoff_t index)
{
	if (mapping->a_ops->read_folio)
		return read_mapping_folio(mapping, index, NULL);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return shmem_read_folio(mapping, index);
#else
	{
		struct page *page = shmem_read_mapping_page(mapping, index);

		return IS_ERR(page) ? ERR_CAST(page) : page_folio(page);
	}
#endif
}

/**
 * compat_ring_buffer_commit() - commit a reserved event
 * @rb: the buffer
 * @event: the event
 *
 * Commit 04aabc32fb67 ("ring_buffer: Remove unused "event" parameter", 6.2)
 * dropped the argument.
 */
static inline void compat_ring_buffer_commit(struct trace_buffer *rb,
					     struct ring_buffer_event *event)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	ring_buffer_unlock_commit(rb);
#else
	ring_buffer_unlock_commit(rb, event);
#endif
}

/**
 * COMPAT_EXIT_HOOK() - define a function for sched_process_exit
 * @hook: the name of the function
 * @handle: the function that @hook calls, with its data and the task
 *
 * Since "exit: move and extend sched_process_exit() tracepoint" (6.16) the tracepoint also
 * passes whether the task is the last of its process.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define COMPAT_EXIT_HOOK(hook, handle)						\
static void hook(void *data, struct task_struct *task, bool group_dead)		\
{										\
	handle(data, task);							\
}
#else
#define COMPAT_EXIT_HOOK(hook, handle)						\
static void hook(void *data, struct task_struct *task)				\
{										\
	handle(data, task);							\
}
#endif

/**
 * compat_task_fpu() - get the structure that holds a task's floating-point registers
 * @task: the task
 *
 * The structure is behind the task_struct since "x86/fpu: Make task_struct::thread constant
 * size" (6.16).  Before, it was inside the task_struct.
 */
static inline struct fpu *compat_task_fpu(struct task_struct *task)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	/* Do what x86_task_fpu() does: debug configurations do not export it. */
	return (struct fpu *)((void *)task + sizeof(*task));
#else
	return &task->thread.fpu;
#endif
}

/**
 * compat_rseq() - get the current task's struct rseq, or NULL
 *
 * The task_struct has the pointer in another place since "rseq: Introduce struct rseq_data"
 * (6.19).
 */
static inline struct rseq __user *compat_rseq(void)
{
#ifdef CONFIG_RSEQ
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
	return current->rseq.usrptr;
#else
	return current->rseq;
#endif
#else
	return NULL;
#endif
}

/**
 * compat_in_rseq() - check whether the current task may be in a restartable sequence
 *
 * Context: any.
 */
static inline bool compat_in_rseq(void)
{
	struct rseq __user *rseq = compat_rseq();
	u64 section;

	return rseq && !copy_from_user_nofault(&section, &rseq->rseq_cs, sizeof(section)) &&
	       section;
}

/* Do what compat_in_rseq() does, at a lower cost.  Context: may sleep. */
static inline bool compat_in_rseq_sleepable(void)
{
	struct rseq __user *rseq = compat_rseq();
	u64 section;

	if (!rseq || !user_read_access_begin(rseq, sizeof(*rseq)))
		return false;
	unsafe_get_user(section, (u64 __user *)&rseq->rseq_cs, fault);
	user_read_access_end();
	return section;
fault:
	user_read_access_end();
	return false;
}

/*
 * Do what compat_in_rseq() does, cheaply enough for every return from task work.  Page faults are
 * disabled, as they cannot be handled there.  Context: any.
 */
static inline bool compat_in_rseq_now(void)
{
	struct rseq __user *rseq = compat_rseq();
	u64 section = 0;

	if (!rseq)
		return false;
	pagefault_disable();
	if (user_read_access_begin(rseq, sizeof(*rseq))) {
		unsafe_get_user(section, (u64 __user *)&rseq->rseq_cs, fault);
fault:
		user_read_access_end();
	}
	pagefault_enable();
	return section;
}

/*
 * Map a file as its file system does, with the flags that are in file::private_data, VM_*.  This is
 * the operation COMPAT_MMAP_OP of files.
 *
 * Since commit c84bf6dd2b83 ("mm: introduce new .mmap_prepare() file callback", 6.16), file systems
 * can describe a mapping before it exists; that of shared memory does so since 7.0.  Linux 6.3 made
 * vma->vm_flags read-only (bc292ab00f6c).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define COMPAT_MMAP_OP	mmap_prepare

static inline int compat_mmap_flagged(struct vm_area_desc *desc)
{
	unsigned long flags = (unsigned long)desc->file->private_data;
	int ret = file_inode(desc->file)->i_fop->mmap_prepare(desc);

	vma_desc_set_flags_mask(desc, legacy_to_vma_flags(flags));
	return ret;
}
#else
#define COMPAT_MMAP_OP	mmap

static inline int compat_mmap_flagged(struct file *file, struct vm_area_struct *vma)
{
	unsigned long flags = (unsigned long)file->private_data;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
	return file_inode(file)->i_fop->mmap(file, vma);
}
#endif

/*
 * compat_kfree_rcu() - free memory after a grace period, without room for a head in it
 *
 * The name says since 6.3 that the caller may have to wait for the grace period ("rcu/kvfree: Add
 * kvfree_rcu_mightsleep() and kfree_rcu_mightsleep()").
 *
 * Context: may sleep.
 */
#ifdef kfree_rcu_mightsleep
#define compat_kfree_rcu(memory) kfree_rcu_mightsleep(memory)
#else
#define compat_kfree_rcu(memory) kfree_rcu(memory)
#endif

/**
 * compat_mmap_write_trylock() - take an mmap lock for writing, unless that takes waiting
 * @mm: the address space
 *
 * 6.12 has mmap_write_trylock() no more, as nothing in the kernel used it.
 *
 * Context: any; mmap_write_unlock() releases the lock.
 * Return: whether the lock is held.
 */
static inline bool compat_mmap_write_trylock(struct mm_struct *mm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	if (!down_write_trylock(&mm->mmap_lock))
		return false;
	mm_lock_seqcount_begin(mm);
	return true;
#else
	return mmap_write_trylock(mm);
#endif
}

/**
 * compat_mmap_written() - check whether the current task holds an mmap lock for writing
 * @mm: the address space
 *
 * PREEMPT_RT builds its reader-writer semaphores on rtmutexes (linux/rwbase_rt.h).
 *
 * Context: any.
 */
static inline bool compat_mmap_written(struct mm_struct *mm)
{
#ifdef CONFIG_PREEMPT_RT
	unsigned long owner = (unsigned long)READ_ONCE(mm->mmap_lock.rwbase.rtmutex.owner);
	/* The owner word also holds a flag for waiters. */
	const unsigned long flags = 1;
#else
	unsigned long owner = atomic_long_read(&mm->mmap_lock.owner);
	/*
	 * The owner word also holds two flags.  Ignore only one: the other one marks a reader,
	 * and must keep the comparison from succeeding.
	 */
	const unsigned long flags = 2;
#endif

	return (owner & ~flags) == (unsigned long)current;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/**
 * compat_ftrace_direct() - make kernel functions call another one directly, without ftrace
 * @ops: has a filter that names the kernel functions
 * @addr: the function to call
 *
 * Commit da8bdfbd4223 ("ftrace: Rename _ftrace_direct_multi APIs to _ftrace_direct
 * APIs", 6.4) renamed the function.
 *
 * Context: may sleep.
 */
static inline int compat_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return register_ftrace_direct(ops, addr);
#else
	return register_ftrace_direct_multi(ops, addr);
#endif
}

/* Undo compat_ftrace_direct().  On return no task executes @addr.  Context: may sleep. */
static inline void compat_ftrace_no_direct(struct ftrace_ops *ops, unsigned long addr)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	unregister_ftrace_direct(ops, addr, false);
#else
	unregister_ftrace_direct_multi(ops, addr);
#endif
}
#endif

#endif /* _UPROBES_COMPAT_H */
