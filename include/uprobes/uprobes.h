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
 *  - one process: @pid and @vaddr are set, @path and @file are NULL.  All
 *    threads of the process are covered, present and future; children that
 *    it forks are not, and run unharmed.
 *  - one file: @path or @file is set with @offset.  Every process that maps
 *    this part of the file as code is covered, present and future, whatever
 *    path it knows the file by.
 *
 * Lifetime: from a successful register_*() until the matching unregister_*()
 * has returned, the structure belongs to the uprobes module, must stay where
 * it is, and only @kdata tells whether it is registered.  When the probed
 * process execs or exits, the handlers of a one-process probe are not called
 * any more; unregistering it is still the client's to do.
 */
#ifndef _UPROBES_UPROBES_H
#define _UPROBES_UPROBES_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct file;
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
 * struct uprobe - a probe on one user-space instruction
 * @pid: the process to probe (any of its thread ids, as the caller's pid
 *	namespace numbers them); ignored when @path or @file is set
 * @vaddr: address of the instruction in that process
 * @handler: called in the context of the task that reached the instruction,
 *	before the instruction executes; @regs is the task's user state with
 *	the ip at the instruction.  What it changes in @regs takes effect; when
 *	it changes the ip, the probed instruction is not executed.
 *	May sleep unless %UPROBE_ATOMIC is set.
 * @kdata: the uprobes module's.  NULL before the first registration and
 *	whenever the probe is not registered.
 * @flags: UPROBE_*, or 0
 * @path: file to probe in every process that maps it; NULL for a probe on
 *	one process.  Needed only during registration.
 * @file: the same, for callers that have it open for reading; @path must be
 *	NULL.  Needed only during registration.
 * @offset: position of the instruction in the file, in bytes
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

	unsigned int flags;
	const char *path;
	struct file *file;
	loff_t offset;
	const u8 *expect;
	u8 expect_len;

	/* private: totals of earlier registrations, see uprobe_counts() */
	u64 __hits;
	u64 __missed;
};

/**
 * struct uretprobe_instance - one call of a return-probed function
 * @rp: the probe
 * @ret_addr: where the function returns to; the real address, also where the
 *	stack holds the address of the return trampoline
 * @sp: stack pointer at the function's entry, which is where the return
 *	address lies
 * @func: address of the probed instruction, the function's entry
 */
struct uretprobe_instance {
	struct uretprobe *rp;
	unsigned long ret_addr;
	unsigned long sp;
	unsigned long func;
};

/**
 * struct uretprobe - a probe on the return of a function
 * @u: where the function's first instruction is; @u.handler is not used, the
 *	other fields mean what they mean for a struct uprobe
 * @handler: called when the function has returned; @regs is the task's user
 *	state right after the return, with the ip at @ri->ret_addr.  Handlers
 *	of several probes on one function run newest first.
 *	May sleep unless %UPROBE_ATOMIC is set in @u.flags.
 */
struct uretprobe {
	struct uprobe u;
	void (*handler)(struct uretprobe_instance *ri, struct pt_regs *regs);
};

/**
 * struct uprobe_counts - what has happened at a probe
 * @hits: times that the handler was called
 * @missed: times that it should have been called and could not be
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
 * Context: may sleep; not from a probe handler.
 * Return: 0, or
 * -EINVAL: no handler, the process has no address space, the address is not
 *	executable code that can be probed, the offset lies outside the file;
 * -ESRCH: no such process;
 * -ENOENT, -EACCES, ...: what looking up @path came to;
 * -EBUSY: @u is registered already;
 * -EEXIST: another breakpoint is at that place;
 * -EPERM: the instruction cannot be probed;
 * -EILSEQ: the bytes there are no instruction, or not those of @u->expect;
 * -EIO: the text cannot be read;
 * -ENOMEM: no memory, or no room for the execution area near the text.
 * The kernel log names the cause of -EPERM, -EEXIST, -EILSEQ, -EINVAL and -EIO.
 */
int register_uprobe(struct uprobe *u);

/**
 * uprobe_check() - whether a place can be probed
 * @u: @u->path or @u->file, @u->offset, @u->expect; the rest is not looked at
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
 * unregister_uprobe() - take a probe away
 * @u: the probe
 *
 * When this returns no handler of @u is running and none will be called, and
 * the text holds its original bytes unless another probe is at that place.
 * Does nothing for a probe that is not registered.
 *
 * Context: may sleep; not from a probe handler.
 */
void unregister_uprobe(struct uprobe *u);

/**
 * register_uretprobe() - put a return probe in place
 * @rp: the probe
 *
 * Context: may sleep; not from a probe handler.
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
 * Context: may sleep; not from a probe handler.
 */
void unregister_uretprobe(struct uretprobe *rp);

/**
 * uprobe_counts() - hits and misses of a probe
 * @u: the probe, registered or not; &uretprobe.u for a return probe
 *
 * Counts over all registrations of this structure since it was zeroed; exact
 * once unregistered, otherwise as of some moment during the call.  The caller
 * makes sure that @u is not being registered or unregistered meanwhile.
 *
 * Context: any.
 * Return: the totals.
 */
struct uprobe_counts uprobe_counts(const struct uprobe *u);

#endif /* _UPROBES_UPROBES_H */
