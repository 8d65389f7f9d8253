/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on user-space instructions, for kernel modules.
 *
 * A client fills in a struct uprobe (or a struct uretprobe), registers it,
 * and from then on its handler is called by every thread that reaches the
 * probed instruction, before that instruction executes (or when the probed
 * function returns).  Nothing in the probed program has to be prepared.
 *
 * A probe has one of two scopes:
 *
 *  - one process: @pid and @vaddr are set, @path, @file and @inode are NULL.
 *    All threads of the process are covered, present and future; children that
 *    it forks run unprobed and unharmed, or with %UPROBE_INHERIT probed as well.
 *  - one file: @path, @file or @inode is set with @offset.  Every process that
 *    maps this part of the file as code is covered, present and future,
 *    whatever path it knows the file by.
 *
 * Lifetime: from a successful register_*() until the matching unregister_*()
 * has returned, the structure belongs to the uprobes module, must stay where
 * it is, and only @kdata tells whether it is registered.  A one-process probe
 * also ends by itself, with @kdata NULL again, when the probed process execs
 * or exits; unregistering it then is allowed and does nothing.
 *
 * From a probe handler, registering and unregistering is put off: the
 * functions return at once, a worker does it, and @registration_callback tells
 * when it is done.  A client without a callback calls unregister_*() from elsewhere:
 * it returns when all that was asked for has been done or undone, and the callback
 * has returned.  Hence neither unregister_*() nor register_*(), when it fails, may
 * be called with a lock held that the callback takes, nor two callbacks unregister
 * each other's probes.
 */
#ifndef _UPROBES_UPROBES_H
#define _UPROBES_UPROBES_H

#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct file;
struct inode;
struct mm_struct;
struct task_struct;
struct uprobe;
struct uretprobe;

/**
 * define UPROBE_ATOMIC - the handler runs in the trap
 *
 * The handler is called with interrupts off, from the breakpoint exception.
 * It must not sleep and must not fault; user memory is reached with
 * copy_from_user_nofault().  It costs a fraction of a handler that runs in
 * task context, which is what happens without this flag.
 */
#define UPROBE_ATOMIC		0x0001

/**
 * define UPROBE_DISABLED - register without probing yet
 *
 * The place is checked and reserved; the breakpoint comes with enable_uprobe().
 */
#define UPROBE_DISABLED		0x0002

/**
 * define UPROBE_INHERIT - children of the probed process are probed, too
 *
 * For probes on one process; without it, children that it forks run unprobed.
 * Such a probe ends by itself when the last of the processes has gone.
 */
#define UPROBE_INHERIT		0x0004

/**
 * enum uprobe_type - what a registration callback is about
 * @UPTY_UPROBE: a struct uprobe
 * @UPTY_URETPROBE: a struct uretprobe
 */
enum uprobe_type {
	UPTY_UPROBE,
	UPTY_URETPROBE,
};

/**
 * struct uprobe - a probe on one user-space instruction
 * @pid: the process to probe (any of its thread ids, as the caller's pid
 *	namespace numbers them); ignored when the probe is on a file
 * @vaddr: address of the instruction in that process
 * @handler: called in the context of the task that reached the instruction,
 *	before the instruction executes; @regs is the task's user state with
 *	the ip at the instruction.  What it changes in @regs takes effect; when
 *	it changes the ip, the probed instruction is not executed.
 *	May sleep unless %UPROBE_ATOMIC is set.  At one place, handlers are
 *	called in the order of registration, atomic ones first.
 * @kdata: the uprobes module's.  NULL before the first registration and
 *	whenever the probe is not registered.
 * @registration_callback: optional; called when a registration (@reg is 1) or
 *	unregistration (@reg is 0) that was put off is done, with its result.
 *	May sleep.  @u is &uretprobe.u when @type is %UPTY_URETPROBE.  When
 *	several handlers have asked for an unregistration it is called once, also
 *	when another call, or the end of the process, was faster.  After it has
 *	returned from that, or from being told that a registration has failed
 *	(-EBUSY excepted), the module does not touch the structure any more.
 * @task_handler: optional, with %UPROBE_ATOMIC: called in task context, where
 *	it may sleep, for hits for which @handler has called uprobe_again()
 * @flags: UPROBE_*, or 0
 * @path: file to probe in every process that maps it; NULL for a probe on
 *	one process.  Needed only during registration.
 * @file: the same, for callers that have it open for reading.  Needed only
 *	during registration.
 * @inode: the same, for callers that have neither; they keep its file system
 *	mounted for as long as the probe is registered.  Only in a file system on a
 *	disk or in memory: others (FUSE, network file systems) are read only by files
 *	that are open.  At most one of @path, @file and @inode is set.
 * @offset: position of the instruction in the file, in bytes
 * @filter: optional, for a probe on a file: whether a process is to be probed.
 *	Called with the process's address space in use, once for each mapping
 *	of the file.  May sleep; must not take the mmap lock for writing.
 * @ref_ctr_offset: position in the file of a 16-bit reference counter (the
 *	semaphore of a USDT probe), even, or 0.  It is incremented in every process
 *	that is probed, for as long as it is: in each private writable mapping
 *	that has it, those included that come later.  For a probe on one
 *	process, the file is the one mapped at @vaddr, which stays in use until
 *	shortly after the probe's end.
 * @expect: optional; the instruction bytes that the caller analysed.
 *	Registration fails with -EILSEQ where the file or the process holds
 *	others.  Needed only during registration.
 * @expect_len: number of bytes at @expect, at most 15
 *
 * Fields that are not mentioned by an initializer must be zero.
 */
struct uprobe {
	pid_t pid;
	unsigned long vaddr;
	void (*handler)(struct uprobe *u, struct pt_regs *regs);
	void *kdata;
	void (*registration_callback)(struct uprobe *u, int reg, enum uprobe_type type,
				      int result);

	void (*task_handler)(struct uprobe *u, struct pt_regs *regs);
	unsigned int flags;
	const char *path;
	struct file *file;
	struct inode *inode;
	loff_t offset;
	bool (*filter)(struct uprobe *u, struct mm_struct *mm);
	loff_t ref_ctr_offset;
	const u8 *expect;
	u8 expect_len;

	/* private: totals of earlier registrations, see uprobe_counts() */
	u64 __hits;
	u64 __missed;
	/* private: what a handler has asked for */
	struct work_struct __work;
	unsigned long __asked;
};

/**
 * struct uretprobe_instance - one call of a return-probed function
 * @rp: the probe
 * @ret_addr: where the function returns to; the real address, also where the
 *	stack holds the address of the return trampoline
 * @sp: stack pointer at the function's entry, which is where the return
 *	address lies
 * @func: address of the probed instruction, the function's entry
 * @data: @rp->data_size bytes of the client's, zero at the entry
 */
struct uretprobe_instance {
	struct uretprobe *rp;
	unsigned long ret_addr;
	unsigned long sp;
	unsigned long func;
	char data[] __aligned(8);
};

/**
 * define URETPROBE_DATA_MAX - the most that @data_size of struct uretprobe can be, in bytes
 */
#define URETPROBE_DATA_MAX	4096

/**
 * struct uretprobe - a probe on the return of a function
 * @u: where the function's first instruction is; @u.handler and
 *	@u.task_handler are not used, the other fields mean what they mean for a
 *	struct uprobe
 * @handler: called when the function has returned; @regs is the task's user
 *	state right after the return, with the ip at @ri->ret_addr.  Handlers
 *	of several probes on one function run newest first.
 *	May sleep unless %UPROBE_ATOMIC is set in @u.flags.
 * @entry_handler: optional; called when the function is entered, before any
 *	of it executes, in the same context as @handler.  What it leaves in
 *	@ri->data is there for @handler.  When it returns anything but 0, this
 *	call is not followed: @handler is not called and nothing is counted.
 *	It must not change the ip or the stack pointer.
 * @task_handler: optional, with %UPROBE_ATOMIC: called in task context, where
 *	it may sleep, for returns for which @handler has called uprobe_again()
 * @data_size: bytes of @ri->data, at most %URETPROBE_DATA_MAX
 */
struct uretprobe {
	struct uprobe u;
	void (*handler)(struct uretprobe_instance *ri, struct pt_regs *regs);
	int (*entry_handler)(struct uretprobe_instance *ri, struct pt_regs *regs);
	void (*task_handler)(struct uretprobe_instance *ri, struct pt_regs *regs);
	size_t data_size;
};

/**
 * struct uprobe_counts - what has happened at a probe
 * @hits: times that the handler was called
 * @missed: times that it should have been called and could not be; of a probe on a file also
 *	once for each time that there was no memory to put it into a process
 */
struct uprobe_counts {
	u64 hits;
	u64 missed;
};

/**
 * register_uprobe() - put a probe in place
 * @u: the probe
 *
 * For a one-process probe the breakpoint is in place when this returns 0.
 * For a probe on a file it is in place in every process that maps the file
 * at that time; processes that map it later get it before they can execute
 * the mapping.
 *
 * Context: may sleep, or a probe handler.
 * Return: 0, or
 * -EINVAL: no handler, fields that contradict each other or hold what they cannot
 *	(unknown flags, an odd or outlying reference counter, a filter without a file,
 *	data_size above URETPROBE_DATA_MAX), the process has no address space, the
 *	address is not executable code that can be probed, the offset lies outside the
 *	file, that is no regular file, or nothing in its file system can be executed
 *	(sysfs, proc), or that cannot be read by an inode alone;
 * -ESRCH: no such process;
 * -ENOENT, -EACCES, ...: what looking up @path came to;
 * -EBADF: @file is not open for reading;
 * -EBUSY: @u is registered already, or an instruction that another probe is at is now
 *	another one;
 * -EEXIST: a breakpoint of the program's own is there, or another's in text
 *	that no file holds, or the kernel's own uprobes have made a call of a nop there;
 * -EPERM: the instruction cannot be probed, or the function cannot be
 *	return-probed (it looks at its return address, or is Go code);
 * -EILSEQ: the bytes there are no instruction, or not those of @u->expect;
 * -EIO: the text cannot be read;
 * -ENOMEM: no memory, or no room for the execution area near the text;
 * -EOPNOTSUPP: the kernel's kprobes are switched off, or it calls a function that has to be
 *	seen where that is not seen; the log says which;
 * -EINTR: the caller is being killed, and not all places have been seen to;
 * -EINPROGRESS: called from a probe handler; it is being done.
 * The classic -ENOSYS, of a module that is going away, does not occur: whoever can
 * call this holds the module.
 * The kernel log names the cause of -EPERM, -EEXIST, -EILSEQ, -EINVAL and -EIO.
 */
int register_uprobe(struct uprobe *u);

/**
 * uprobe_check() - whether a place can be probed
 * @u: @u->path, @u->file or @u->inode, @u->offset, @u->ref_ctr_offset, @u->expect; the rest
 *	is not looked at
 *
 * Finds out what registering would find out about the file and the instruction
 * in it, and changes nothing.
 *
 * Context: may sleep.
 * Return: 0, or what register_uprobe() would return for this reason; the
 * kernel log names the cause as it would there.
 */
int uprobe_check(const struct uprobe *u);

/**
 * uretprobe_check() - whether a function can be return-probed
 * @rp: as for uprobe_check(), in @rp->u
 *
 * Finds out beside that whether what the function does allows its return address to be
 * another one.
 *
 * Context: may sleep.
 * Return: 0, or what register_uretprobe() would return for this reason; the
 * kernel log names the cause as it would there.
 */
int uretprobe_check(const struct uretprobe *rp);

/**
 * unregister_uprobe() - take a probe away
 * @u: the probe
 *
 * When this returns no handler of @u is running and none will be called, and
 * the text holds its original bytes unless another probe is at that place.
 * Does nothing for a probe that is not registered.
 *
 * Called from a probe handler it returns at once, and all that holds when
 * @u->registration_callback is called, or after another call from elsewhere.
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uprobe(struct uprobe *u);

/**
 * unmap_uprobe() - forget a probe whose mapping is gone
 * @u: the probe
 *
 * Identical to unregister_uprobe(), which restores text only where it finds a
 * breakpoint of its own.
 *
 * Context: may sleep, or a probe handler.
 */
void unmap_uprobe(struct uprobe *u);

/**
 * register_uretprobe() - put a return probe in place
 * @rp: the probe
 *
 * Context: may sleep, or a probe handler.
 * Return: as register_uprobe().
 */
int register_uretprobe(struct uretprobe *rp);

/**
 * unregister_uretprobe() - take a return probe away
 * @rp: the probe
 *
 * As unregister_uprobe().  Calls that are under way return to where they came
 * from, without the handler being called.
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uretprobe(struct uretprobe *rp);

/**
 * unmap_uretprobe() - forget a return probe whose mapping is gone
 * @rp: the probe
 *
 * As unmap_uprobe().
 *
 * Context: may sleep, or a probe handler.
 */
void unmap_uretprobe(struct uretprobe *rp);

/**
 * register_uprobes() - put many probes in place
 * @us: the probes
 * @n: how many
 *
 * All or nothing, and much cheaper than one by one: processes are looked
 * through once, and each page of text is written once.
 *
 * Context: may sleep; not from a probe handler.
 * Return: 0, or the error of the first probe that has one, as
 * register_uprobe(); -EDEADLK from a probe handler.
 */
int register_uprobes(struct uprobe **us, unsigned int n);

/**
 * unregister_uprobes() - take many probes away
 * @us: the probes
 * @n: how many
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uprobes(struct uprobe **us, unsigned int n);

/**
 * register_uretprobes() - put many return probes in place
 * @rps: the probes
 * @n: how many
 *
 * All or nothing, as register_uprobes().
 *
 * Context: may sleep; not from a probe handler.
 * Return: as register_uprobes().
 */
int register_uretprobes(struct uretprobe **rps, unsigned int n);

/**
 * unregister_uretprobes() - take many return probes away
 * @rps: the probes
 * @n: how many
 *
 * As unregister_uretprobe() for each.
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uretprobes(struct uretprobe **rps, unsigned int n);

/**
 * enable_uprobe() - begin to probe
 * @u: the probe, registered; &uretprobe.u for a return probe
 *
 * Does nothing for a probe that is enabled.
 *
 * Context: may sleep; not from a probe handler.
 * Return: 0; -EINVAL when @u is not registered, -EDEADLK from a probe handler;
 * or, with @u disabled as before, -ENOMEM, or for a probe on one process -EEXIST when
 * another instruction is there now, or a breakpoint with which register_uprobe() would fail,
 * or what writing the breakpoint came to.
 */
int enable_uprobe(struct uprobe *u);

/**
 * disable_uprobe() - stop probing, and stay registered
 * @u: the probe, registered; &uretprobe.u for a return probe
 *
 * When this returns 0 no handler of @u is running and none will be called
 * until it is enabled, and the text holds its original bytes unless another
 * probe is at that place.
 *
 * Context: may sleep; not from a probe handler.
 * Return: 0; -EINVAL when @u is not registered, -EDEADLK from a probe handler.
 */
int disable_uprobe(struct uprobe *u);

/**
 * uprobe_again() - have the task handler called for this hit
 *
 * For an atomic handler that finds that it would have to sleep, as where user
 * memory is not present.  The task handler of the same probe is then called
 * before the program goes on.  The hit is counted once; as missed, when that
 * call cannot be made: without memory, or for want of room where more than 64 probes
 * are at one place.
 *
 * Context: a handler with %UPROBE_ATOMIC.
 */
void uprobe_again(void);

/**
 * uprobe_get_pc() - turn an address that this module made into the program's
 * @ri: a call of the current task, where the caller has it at hand, or NULL
 * @pc: an address from the task's registers or stack
 * @sp: where on the stack it was found, or the stack pointer when it was in
 *	the ip
 *
 * Context: the current task; any.
 * Return: the real return address for that of the return trampoline, that of
 * the original instruction for one in a slot, otherwise @pc.
 */
unsigned long uprobe_get_pc(struct uretprobe_instance *ri, unsigned long pc, unsigned long sp);

/**
 * uprobe_get_pc_task() - the same for another task
 * @task: a task that does not run, and will not meanwhile
 * @pc: as for uprobe_get_pc()
 * @sp: as for uprobe_get_pc()
 *
 * Context: any.
 * Return: as uprobe_get_pc().
 */
unsigned long uprobe_get_pc_task(struct task_struct *task, unsigned long pc, unsigned long sp);

/**
 * uprobe_counts() - hits and misses of a probe
 * @u: the probe, registered or not; &uretprobe.u for a return probe
 *
 * Counts over all registrations of this structure since it was zeroed; exact
 * once unregistered, otherwise as of some moment during the call.  The caller
 * does not register or unregister @u meanwhile; a registration may end by itself.
 *
 * Context: any.
 * Return: the totals.
 */
struct uprobe_counts uprobe_counts(const struct uprobe *u);

#endif /* _UPROBES_UPROBES_H */
