/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on user-space instructions, for kernel modules.
 *
 * A client fills in a struct uprobe (or a struct uretprobe) and registers it.  From then on, every
 * thread that reaches the probed instruction calls the client's handler before that instruction
 * executes.  The handler of a struct uretprobe is called when the probed function returns.  The
 * probed program needs no preparation.
 *
 * A probe has one of two scopes:
 *
 *  - one process: @pid and @vaddr are set, @path, @file and @inode are NULL. The probe covers all
 *    threads of the process, present and future.  Children that the process forks run unprobed
 *    and unharmed.  With %UPROBE_INHERIT, they are probed as well.
 *  - one file: @path, @file or @inode is set, with @offset.  The probe covers every process that
 *    maps this part of the file as code, present and future, by whatever path the process knows
 *    the file.
 *
 * Lifetime: the structure belongs to the uprobes module from a successful register_*() until the
 * matching unregister_*() has returned.  During that time it must stay at its address.  Only @kdata
 * shows whether the probe is registered.  A probe on one process also ends by itself when the
 * process execs or exits; @kdata is then NULL again.  A probe that has ended may be unregistered;
 * this does nothing.
 *
 * In a probe handler, the functions that register or unregister a probe defer the work: they return
 * at once, a worker does the work, and then calls @registration_callback.  (The functions that
 * register many probes at once fail with -EDEADLK there.) A client without a callback calls
 * unregister_*() outside of any handler.  That call returns when all deferred work has been done or
 * undone, and the callback has returned.  Two rules follow:
 *
 *  - Do not call unregister_*() with a lock held that the callback takes.  The same holds for
 *    register_*(), which waits for the callback if it fails.
 *  - Two callbacks must not unregister each other's probes.
 */
#ifndef _UPROBES_UPROBES_H
#define _UPROBES_UPROBES_H

#include <linux/ptrace.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <uprobes/blocks.h>
#include <uprobes/values.h>

struct file;
struct inode;
struct mm_struct;
struct task_struct;
struct uretprobe;

/**
 * define UPROBE_ATOMIC - run the handler in the trap
 *
 * The handler is called from the breakpoint exception, with interrupts off.  It must not sleep and
 * must not fault.  It reaches user memory with copy_from_user_nofault().  Such a handler costs a
 * fraction of one that runs in task context.  Without this flag, handlers run in task context.
 * So do, with interrupts off, those of more than 64 entry probes, and of the 65th return on.
 */
#define UPROBE_ATOMIC		0x0001

/**
 * define UPROBE_DISABLED - register the probe, but do not enable it yet
 *
 * The place is checked and reserved.  The breakpoint is inserted by enable_uprobe().
 */
#define UPROBE_DISABLED		0x0002

/**
 * define UPROBE_INHERIT - probe the children of the probed process, too
 *
 * For probes on one process.  Without this flag, children that the process forks run unprobed.
 * With it, the probe ends by itself when the last of the processes has gone.
 */
#define UPROBE_INHERIT		0x0004

/**
 * define UPROBE_COUNT - only count the hits
 *
 * The probe has no handler: uprobe_counts() returns the number of hits.  This costs less than any
 * handler.  Not for return probes.  Implies %UPROBE_ATOMIC.
 */
#define UPROBE_COUNT		0x0008

/**
 * define UPROBE_CONDITIONS - maximum of @nr_conditions in struct uprobe
 */
#define UPROBE_CONDITIONS	4

/**
 * enum uprobe_compare - how a register is compared with a value
 * @UPROBE_EQ: it is equal
 * @UPROBE_NE: it is not equal
 * @UPROBE_LT: it is less
 * @UPROBE_LE: it is less or equal
 * @UPROBE_GT: it is greater
 * @UPROBE_GE: it is greater or equal
 * @UPROBE_BITS: both have a bit in common
 */
enum uprobe_compare {
	UPROBE_EQ, UPROBE_NE, UPROBE_LT, UPROBE_LE, UPROBE_GT, UPROBE_GE, UPROBE_BITS,
};

/**
 * struct uprobe_condition - a condition on a general register
 * @value: the value to compare with, a number of @size bytes
 * @reg: the register, by its offset in struct pt_regs: see UPROBE_REG()
 * @size: how many of its lower bytes are compared: 1, 2, 4 or 8; 0 means 8
 * @is_signed: the bytes are a signed number, so @value is sign-extended; otherwise it is
 *	zero-extended
 * @compare: how they are compared
 *
 * For example, the second argument of a function, an int, is negative:
 * { .reg = UPROBE_REG(si), .size = 4, .is_signed = true, .compare = UPROBE_LT, .value = 0 }
 */
struct uprobe_condition {
	u64 value;
	u16 reg;
	u8 size;
	bool is_signed;
	enum uprobe_compare compare;
};

/**
 * UPROBE_REG() - a register for struct uprobe_condition
 * @name: its name in struct pt_regs
 */
#define UPROBE_REG(name)	offsetof(struct pt_regs, name)

/**
 * UPROBE_READS() - a register for @ring_reads in struct uprobe
 * @name: its name in struct pt_regs
 */
#define UPROBE_READS(name)	(1U << (offsetof(struct pt_regs, name) / sizeof(long)))

/**
 * define UPROBE_LOADS - maximum of @nr_ring_loads in struct uprobe
 */
#define UPROBE_LOADS		4

/**
 * define UPROBE_LOAD_STEPS - maximum of @steps in struct uprobe_load
 */
#define UPROBE_LOAD_STEPS	3

/**
 * struct uprobe_load - bytes in memory that a ring handler reads
 * @offset: what is added to the address in each step
 * @reg: the register with the first address, by its offset in struct pt_regs: see UPROBE_REG()
 * @word: the first address is the word of the stack at 8 * @reg above the stack pointer; @reg is
 *	below 16
 * @steps: number of steps, at least 1; each one but the last reads the address of the next one
 * @size: number of bytes: 1, 2, 4 or 8; of a string, 8, 16, and so on, up to 64
 * @string: they are a string that ends within them; a hit with a longer one traps
 *
 * All strings of a probe are 64 bytes together at most.
 */
struct uprobe_load {
	s32 offset[UPROBE_LOAD_STEPS];
	u16 reg;
	bool word;
	u8 steps;
	u8 size;
	bool string;
};

/**
 * enum uprobe_type - what a registration callback is about
 * @UPTY_UPROBE: a struct uprobe
 * @UPTY_URETPROBE: a struct uretprobe
 */
enum uprobe_type {
	UPTY_UPROBE, UPTY_URETPROBE,
};

/**
 * struct uprobe - a probe on one user-space instruction
 * @pid: the process to probe: any of its thread ids, as the caller's pid namespace numbers them.
 *	Ignored if the probe is on a file.
 * @vaddr: address of the instruction in that process
 * @handler: called in the context of the task that has reached the instruction, before the
 *	instruction executes.  @regs is the task's user state, with the ip at the instruction.
 *	Changes to @regs take effect.  If the handler changes the ip, the probed instruction is
 *	not executed.  The handler may sleep unless %UPROBE_ATOMIC is set.  If another owner (a
 *	debugger, the kernel's uprobes) has a breakpoint at the same place, changes that a
 *	handler in task context makes to @regs have no effect.  At one place, handlers are
 *	called in the order of registration, atomic handlers first.  With %UPROBE_COUNT, NULL.
 * @kdata: reserved for the uprobes module.  NULL before the first registration and whenever the
 *	probe is not registered.
 * @registration_callback: optional; called when a deferred registration (@reg is 1) or
 *	unregistration (@reg is 0) is done, with its result.  May sleep.  @u is &uretprobe.u if
 *	@type is %UPTY_URETPROBE.  If several handlers have requested an unregistration, the
 *	callback is called once.  It is called even if another call, or the end of the process, has
 *	unregistered the probe first.  After the callback for an unregistration, or for a failed
 *	registration, has returned, the module does not access the structure, unless the
 *	registration has failed with -EBUSY.
 * @task_handler: optional, with %UPROBE_ATOMIC: called in task context, where it may sleep, for
 *	hits for which @handler has called uprobe_again()
 * @ring_handler: optional, with %UPROBE_ATOMIC, not for return probes: called instead of @handler
 *	for hits that the program has written to a ring, without a trap.  It is called after the
 *	hit, at the latest when the task is switched out.  Hits of a processor keep their order.
 *	The current task is the one that has reached the instruction, at the time that
 *	uprobe_ring_time() returns.  @regs has only the ip and the registers of @ring_reads; changes
 *	to @regs have no effect.  Interrupts are off.  Locks of the scheduler may be held, so the
 *	handler must not wake up a task, print, or call uprobe_again().  It may interrupt a handler
 *	in task context.
 * @ring_reads: the registers that @ring_handler reads: UPROBE_READS() of each.  If the ring
 *	handlers of a place read more than six registers and words, or more than four probes are
 *	there, its hits trap.
 * @ring_words: the words of the stack that @ring_handler reads: bit n for the word at 8 * n above
 *	the stack pointer; see uprobe_ring_word()
 * @ring_loads: the bytes in memory that @ring_handler reads; see uprobe_ring_load().  A page that
 *	is absent is brought in.  If the program may not read them, the hit traps.  If ring
 *	handlers of a place read different ones, its hits trap.  Needed only during registration.
 * @nr_ring_loads: number of @ring_loads, at most UPROBE_LOADS
 * @histogram: optional, with @ring_handler: if no other probe is there, code in the program may
 *	add a value to a histogram instead of calling any handler; see uprobe_histogram()
 * @timer: optional, with @ring_handler: if no other probe is there, code in the program may time
 *	the calls of a function instead of calling any handler; see uprobe_times().  A call for
 *	whose beginning a handler is called is known to the client alone.  A handler at a return
 *	asks uprobe_call_time() for the time of the call that ends.
 * @timer_below: with @timer, how many bytes the stack pointer is below that at the entry
 * @sink: optional, with @ring_handler: takes hits in blocks instead, if it can
 * @sink_id: with @sink, the number of the probe in blocks
 * @flags: UPROBE_*, or 0
 * @path: file to probe in every process that maps it; NULL for a probe on one process.  For a
 *	kernel thread, the path is looked up as for the init process.  Needed only during
 *	registration.
 * @file: the same, for callers that have the file open for reading.  Needed only during
 *	registration.
 * @inode: the same, for callers that have neither a path nor an open file.  The caller keeps the
 *	file system mounted while the probe is registered.  The file system must be on a disk or
 *	in memory: files of other file systems (FUSE, network file systems) can be read only
 *	while they are open.  At most one of @path, @file and @inode is set.
 * @offset: position of the instruction in the file, in bytes
 * @filter: optional, for a probe on a file: returns whether to probe a process.  Called for each
 *	mapping of the file, with the process's address space in use; possibly more than once
 *	for a mapping.  May sleep; must not take the mmap lock for writing.
 * @ref_ctr_offset: position in the file of a 16-bit reference counter (the semaphore of a USDT
 *	probe), an even number; or 0.  The counter is incremented in every probed process for as
 *	long as the process is probed: in each private writable mapping that contains it,
 *	including later mappings.  For a probe on one process, the file is the one that is
 *	mapped at @vaddr.  That file stays in use until shortly after the probe's end.
 * @expect: optional; the instruction bytes that the caller has analysed.  Registration fails with
 *	-EILSEQ if the file or the process holds other bytes.  Needed only during registration.
 * @expect_len: number of bytes at @expect, at most 15
 * @nr_conditions: number of @conditions, at most UPROBE_CONDITIONS
 * @conditions: optional: conditions on the registers before the instruction executes.  For a hit
 *	that fails one of them, no handler is called, and nothing is counted.  A call of a
 *	return-probed function that fails one is not followed.  Such hits cost next to nothing where
 *	code in the program can check the conditions without a trap.  Needed only during
 *	registration; see set_uprobe_conditions().
 *
 * Fields that the client does not use must be zero.
 */
struct uprobe {
	pid_t pid;
	unsigned long vaddr;
	void (*handler)(struct uprobe *u, struct pt_regs *regs);
	void *kdata;
	void (*registration_callback)(struct uprobe *u, int reg, enum uprobe_type type,
				      int result);
	void (*task_handler)(struct uprobe *u, struct pt_regs *regs);
	void (*ring_handler)(struct uprobe *u, struct pt_regs *regs);
	u32 ring_reads;
	u16 ring_words;
	u8 nr_ring_loads;
	const struct uprobe_load *ring_loads;
	struct uprobe_histogram *histogram;
	struct uprobe_timer *timer;
	u16 timer_below;
	u16 sink_id;
	struct uprobe_sink *sink;
	unsigned int flags;
	const char *path;
	struct file *file;
	struct inode *inode;
	loff_t offset;
	bool (*filter)(struct uprobe *u, struct mm_struct *mm);
	loff_t ref_ctr_offset;
	const u8 *expect;
	u8 expect_len;
	u8 nr_conditions;
	const struct uprobe_condition *conditions;

	/* private: totals of earlier registrations; requests of handlers, to be done by a worker */
	u64 __hits;
	u64 __missed;
	struct work_struct __work;
	unsigned long __asked;
};

/**
 * struct uretprobe_instance - one call of a return-probed function
 * @rp: the probe
 * @ret_addr: address that the function returns to.  This is the real address, even while the
 *	stack holds the address of the return trampoline.
 * @sp: stack pointer at the function's entry, the address of the word with the return address
 * @func: address of the probed instruction, which is the function's entry
 * @data: @rp->data_size bytes for the client, zero at the entry
 */
struct uretprobe_instance {
	struct uretprobe *rp;
	unsigned long ret_addr;
	unsigned long sp;
	unsigned long func;
	char data[] __aligned(8);
};

/**
 * define URETPROBE_DATA_MAX - maximum of @data_size in struct uretprobe, in bytes
 */
#define URETPROBE_DATA_MAX	4096

/**
 * struct uretprobe - a probe on the return of a function
 * @u: place of the function's first instruction.  @u.handler and @u.task_handler are not used.
 *	The other fields have the same meaning as in a struct uprobe.
 * @handler: called when the function has returned.  @regs is the task's user state right after
 *	the return, with the ip at @ri->ret_addr.  If several probes are on one function, their
 *	handlers run newest first.  May sleep unless %UPROBE_ATOMIC is set in @u.flags.
 * @entry_handler: optional; called when the function is entered, before any of its instructions
 *	executes, in the same context as @handler.  It may store data for @handler in @ri->data.  If
 *	this handler returns anything but 0, the call is not followed: @handler is not called, and
 *	nothing is counted.  It must not change the ip or the stack pointer.
 * @task_handler: optional, with %UPROBE_ATOMIC: called in task context, where it may sleep, for
 *	returns for which @handler has called uprobe_again()
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
 * struct uprobe_counts - hits and misses of a probe
 * @hits: number of handler calls; with %UPROBE_COUNT, number of hits that meet the conditions
 * @missed: number of handler calls that were due but could not be made.  For a probe on a file,
 *	also the number of times that memory for inserting it into a process ran out.
 */
struct uprobe_counts {
	u64 hits;
	u64 missed;
};

/**
 * register_uprobe() - register a probe
 * @u: the probe
 *
 * For a probe on one process, the breakpoint is in place when this function returns 0.  For a
 * probe on a file, the breakpoint is then in place in every process that maps the file at that
 * time.  Processes that map the file later get the breakpoint before they can execute the
 * mapping.
 *
 * Context: may sleep, or a probe handler.
 * Return: 0, or
 * -EINVAL: @u has no handler (or has one, with %UPROBE_COUNT), or its fields contradict each
 *	other or have invalid values (unknown flags, an odd or outlying reference counter, a filter
 *	without a file, data_size above URETPROBE_DATA_MAX, a condition that has no meaning); the
 *	process has no address space; the address is not executable code that can be probed; the
 *	offset lies outside of the file; or the file is not a regular file, lies in a file system
 *	from which nothing can be executed (sysfs, proc), or cannot be read by its inode alone;
 * -ESRCH: no such process;
 * -ENOENT, -EACCES, ...: @path cannot be looked up or opened;
 * -EBADF: @file is not open for reading;
 * -EBUSY: @u is registered already; or another probe is at this place, and the instruction
 *	there has changed since;
 * -EEXIST: a breakpoint of the program itself is there; or a breakpoint of another owner is
 *	there, in text that no file holds; or the kernel's own uprobes have replaced a nop there by
 *	a call;
 * -EPERM: the instruction cannot be probed; or the function cannot be return-probed, because
 *	it looks at its return address, or is Go or OCaml code;
 * -EILSEQ: the bytes there are not an instruction, or differ from @u->expect;
 * -EIO: the text cannot be read, or the execution area cannot be written;
 * -ENOMEM: no memory, or no room near the text for the execution area;
 * -EOPNOTSUPP: the kernel's kprobes are switched off; or the module cannot see the kernel's calls
 *	of a function that it hooks.  The log names the function;
 * -EINTR: the caller is being killed, and not all places have been probed;
 * -EINPROGRESS: called from a probe handler; a worker registers the probe.
 * The classic -ENOSYS, for a module that is being unloaded, does not occur: callers of this
 * function hold the module.
 * The kernel log names the cause of -EPERM, -EEXIST, -EILSEQ, -EINVAL and -EIO.
 */
int register_uprobe(struct uprobe *u);

/**
 * uprobe_check() - check whether a place can be probed
 * @u: @u->path, @u->file or @u->inode, @u->offset, @u->ref_ctr_offset, @u->expect
 *	with its length; the other fields are ignored
 *
 * Performs the checks of a registration on the file and on the instruction in it.  Changes nothing.
 *
 * Context: may sleep.
 * Return: as register_uprobe() for this reason; the kernel log names the cause as it would there.
 */
int uprobe_check(const struct uprobe *u);

/**
 * uretprobe_check() - check whether a function can be return-probed
 * @rp: as for uprobe_check(), in @rp->u
 *
 * Performs the checks of uprobe_check(), and checks whether the function works with an exchanged
 * return address.
 *
 * Context: may sleep.
 * Return: as register_uretprobe() for this reason; the kernel log names the cause as there.
 */
int uretprobe_check(const struct uretprobe *rp);

/**
 * unregister_uprobe() - unregister a probe
 * @u: the probe
 *
 * When this function returns, no handler of @u is running, and none will be called.  The text
 * holds its original bytes, unless another probe is at that place.  If the probe is not
 * registered, this function does nothing.
 *
 * In a probe handler, this function returns at once.  All of the above then holds when
 * @u->registration_callback is called, or after another call outside of any handler.
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uprobe(struct uprobe *u);

/**
 * unmap_uprobe() - unregister a probe whose mapping is gone
 * @u: the probe
 *
 * Identical to unregister_uprobe(), which restores text only where it finds its own breakpoint.
 *
 * Context: may sleep, or a probe handler.
 */
void unmap_uprobe(struct uprobe *u);

/**
 * register_uretprobe() - register a return probe
 * @rp: the probe
 *
 * Context: may sleep, or a probe handler.
 * Return: as register_uprobe().
 */
int register_uretprobe(struct uretprobe *rp);

/**
 * unregister_uretprobe() - unregister a return probe
 * @rp: the probe
 *
 * As unregister_uprobe().  Calls in flight return to their callers, without a handler call.
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uretprobe(struct uretprobe *rp);

/**
 * unmap_uretprobe() - unregister a return probe whose mapping is gone
 * @rp: the probe
 *
 * As unmap_uprobe().
 *
 * Context: may sleep, or a probe handler.
 */
void unmap_uretprobe(struct uretprobe *rp);

/**
 * register_uprobes() - register many probes
 * @us: the probes
 * @n: how many
 *
 * Registers all probes or none.  This is much cheaper than one call for each probe: processes are
 * searched once, and each page of text is written once.
 *
 * Context: may sleep; not from a probe handler.
 * Return: 0; the error of the first probe that has one, as register_uprobe(); -EDEADLK from a
 * probe handler.
 */
int register_uprobes(struct uprobe **us, unsigned int n);

/**
 * unregister_uprobes() - unregister many probes
 * @us: the probes
 * @n: how many
 *
 * As unregister_uprobe() for each.
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uprobes(struct uprobe **us, unsigned int n);

/**
 * register_uretprobes() - register many return probes
 * @rps: the probes
 * @n: how many
 *
 * Registers all probes or none, as register_uprobes().
 *
 * Context: may sleep; not from a probe handler.
 * Return: as register_uprobes().
 */
int register_uretprobes(struct uretprobe **rps, unsigned int n);

/**
 * unregister_uretprobes() - unregister many return probes
 * @rps: the probes
 * @n: how many
 *
 * As unregister_uretprobe() for each.
 *
 * Context: may sleep, or a probe handler.
 */
void unregister_uretprobes(struct uretprobe **rps, unsigned int n);

/**
 * enable_uprobe() - enable a registered probe
 * @u: the probe, registered; &uretprobe.u for a return probe
 *
 * If the probe is enabled already, this function does nothing.
 *
 * Context: may sleep; not from a probe handler.
 * Return: 0, or
 * -EINVAL: @u is not registered;
 * -EDEADLK: called from a probe handler;
 * -ENOMEM: no memory;
 * -EEXIST: @u is on one process, and another instruction is there now, or a breakpoint with which
 *	register_uprobe() would fail.
 * If the breakpoint of a probe on one process cannot be written, that error is returned.
 * After an error, @u is disabled as before.
 */
int enable_uprobe(struct uprobe *u);

/**
 * disable_uprobe() - disable a probe that stays registered
 * @u: the probe, registered; &uretprobe.u for a return probe
 *
 * When this function returns 0, no handler of @u is running, and none will be called until the
 * probe is enabled.  The text holds its original bytes, unless another probe is at that place.
 *
 * Context: may sleep; not from a probe handler.
 * Return: 0; -EINVAL if @u is not registered, -EDEADLK from a probe handler.
 */
int disable_uprobe(struct uprobe *u);

/**
 * set_uprobe_conditions() - replace the conditions of a registered probe
 * @u: the probe, registered; &uretprobe.u for a return probe
 * @conditions: the new conditions
 * @n: how many, at most UPROBE_CONDITIONS; 0 for none
 *
 * No hit is lost meanwhile.  A hit that begins after this function has returned 0 is subject to
 * the new conditions alone.
 *
 * Context: may sleep; not from a probe handler.
 * Return: 0, or
 * -EINVAL: @u is not registered, or a condition has no meaning; the log says what is wrong;
 * -EDEADLK: called from a probe handler;
 * -ENOMEM: no memory.
 * After an error, the conditions are as before.
 */
int set_uprobe_conditions(struct uprobe *u, const struct uprobe_condition *conditions,
			  unsigned int n);

/**
 * struct uprobe_place - a probed instruction in a process
 * @pid: the process, as the caller's pid namespace numbers it; 0 if it has no number there, or if
 *	the kernel is built without CONFIG_MEMCG
 * @vaddr: address of the instruction
 * @trap: NULL if hits are counted, or checked against the conditions, without a trap.  Otherwise,
 *	the reason why each hit traps, as a clause.
 */
struct uprobe_place {
	pid_t pid;
	unsigned long vaddr;
	const char *trap;
};

/**
 * uprobe_places() - list the places of a probe, and whether hits trap there
 * @u: the probe; &uretprobe.u for a return probe
 * @places: array to be filled
 * @n: its size; may be 0
 *
 * If the probe is not registered, or in a probe handler, the list is empty.
 *
 * Context: may sleep.
 * Return: the number of places, of which the first @n are in @places.
 */
unsigned int uprobe_places(struct uprobe *u, struct uprobe_place *places, unsigned int n);

/**
 * uprobe_refusals() - count the places in processes that a probe was left out of
 * @u: the probe, registered; &uretprobe.u for a return probe
 * @why: filled with the first reason, as in the log; "" if none is known
 * @size: size of @why
 *
 * Context: any.
 */
unsigned int uprobe_refusals(const struct uprobe *u, char *why, size_t size);

/**
 * uprobes_allow_jumps() - allow or forbid handling hits without traps
 * @allowed: whether it is allowed, for all probes
 *
 * Same as a write to the module's parameter "jump".  If @allowed is false, all hits trap when this
 * function has returned.
 *
 * Context: may sleep; not from a probe handler.
 */
void uprobes_allow_jumps(bool allowed);

/**
 * uprobes_jumps_allowed() - check whether handling hits without traps is allowed
 *
 * Context: any.
 */
bool uprobes_jumps_allowed(void);

/**
 * uprobes_empty_rings() - handle all hits that programs have written to rings so far
 *
 * Context: may sleep; not from a probe handler.
 * Return: whether any program has rings.
 */
bool uprobes_empty_rings(void);

/**
 * uprobes_disable_rings() - disable rings, or undo this
 * @disable: true to disable rings once more; false to undo one earlier call
 *
 * While rings are disabled, all hits trap, and are handled as they happen.  When this function
 * returns, all earlier hits have been handled.
 *
 * Context: may sleep; not from a probe handler.
 */
void uprobes_disable_rings(bool disable);

/**
 * uprobe_ring_time() - get the time of the current hit, if it comes from a ring
 *
 * Context: a handler.
 * Return: the time, in nanoseconds of trace_clock_local(); 0 if the hit is happening now.
 */
u64 uprobe_ring_time(void);

/**
 * uprobe_ring_word() - get a word of the stack, as it was at a hit that comes from a ring
 * @n: the number of the word, which is in uprobe::ring_words
 *
 * Context: a ring handler.
 * Return: the word at 8 * @n above the stack pointer.
 */
u64 uprobe_ring_word(unsigned int n);

/**
 * uprobe_ring_load() - get bytes of memory, as they were at a hit that comes from a ring
 * @n: the number of one of uprobe::ring_loads
 *
 * The program can have forged them, so a string may lack its end.
 *
 * Context: a ring handler.
 * Return: 8 bytes, of which only those of a number that is shorter are of use; of a string, as many
 * bytes as uprobe_load::size says.
 */
const void *uprobe_ring_load(unsigned int n);

/**
 * uprobe_again() - request the task handler for this hit
 *
 * For an atomic handler that would have to sleep, for example because user memory is not present.
 * The task handler of the same probe is then called before the program continues.  The hit is
 * counted once.  If there is no memory for that call, the hit is counted as missed.
 *
 * Context: a handler with %UPROBE_ATOMIC.
 */
void uprobe_again(void);

/**
 * uprobe_get_pc() - translate an address of this module to the program's address
 * @ri: a call of the current task, or NULL if the caller has none
 * @pc: an address from the task's registers or stack
 * @sp: address of the stack word that holds @pc, or the stack pointer if @pc is the ip
 *
 * Context: the current task; any.
 * Return: the real return address if @pc is the return trampoline; the address of the
 * original instruction if @pc lies in a slot or in a pad, where a probed instruction executes out
 * of line; otherwise @pc.
 */
unsigned long uprobe_get_pc(struct uretprobe_instance *ri, unsigned long pc, unsigned long sp);

/**
 * uprobe_get_pc_task() - translate an address of another task
 * @task: a task that does not run, and will not run during the call
 * @pc: as for uprobe_get_pc()
 * @sp: as for uprobe_get_pc()
 *
 * Context: any.
 * Return: as uprobe_get_pc().
 */
unsigned long uprobe_get_pc_task(struct task_struct *task, unsigned long pc, unsigned long sp);

/**
 * uprobe_counts() - read the hits and misses of a probe
 * @u: the probe, registered or not; &uretprobe.u for a return probe
 *
 * The totals cover all registrations of this structure since it was zeroed.  They are exact once
 * the probe is unregistered; until then, hits during the call may or may not be included.  The
 * caller must not register or unregister @u during the call.  A registration may end by itself
 * during the call.
 *
 * Context: any.
 * Return: the totals.
 */
struct uprobe_counts uprobe_counts(const struct uprobe *u);

#endif /* _UPROBES_UPROBES_H */
