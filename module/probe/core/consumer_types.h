/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures of consumers, and of the files that they probe.  consumer.h has the order of the
 * locks.
 */
#ifndef _UPROBES_CONSUMER_TYPES_H
#define _UPROBES_CONSUMER_TYPES_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/percpu-refcount.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <uprobes/uprobes.h>

#include "arch.h"

struct file;
struct inode;
struct probed_mm;
struct site;
struct stats_block;

/**
 * struct filter - the conditions of a consumer
 * @pad: the conditions, in the form that pads have
 * @rcu: frees it after readers
 */
struct filter {
	struct pad_filter pad;
	struct rcu_head rcu;
};

/**
 * enum consumer_type - what kind of probe a consumer is
 * @CONSUMER_ENTRY: of a struct uprobe
 * @CONSUMER_RETURN: of a struct uretprobe
 */
enum consumer_type {
	CONSUMER_ENTRY,
	CONSUMER_RETURN,
};

/**
 * struct consumer_stats - counters of a consumer, one per CPU
 * @hits: handler calls
 * @missed: handler calls that could not be made
 */
struct consumer_stats {
	u64 hits;
	u64 missed;
};

/**
 * enum dispatch - how a hit calls the consumers of a site
 * @DISPATCH_MANY: look at each consumer; the general case
 * @DISPATCH_ATOMIC: the only consumer is an entry consumer, and its handler runs in the trap
 * @DISPATCH_RING: likewise, and it has a ring handler
 * @DISPATCH_COUNT: the only consumer is an entry consumer that only counts
 * @DISPATCH_FILTER: the only consumer has conditions
 * @DISPATCH_TASK: the only consumer is an entry consumer, and its handler runs in task context
 * @DISPATCH_RETURN: the only consumer is a return consumer with neither an entry handler nor data
 */
enum dispatch {
	DISPATCH_MANY,
	DISPATCH_ATOMIC,
	DISPATCH_RING,
	DISPATCH_COUNT,
	DISPATCH_FILTER,
	DISPATCH_TASK,
	DISPATCH_RETURN,
};

/*
 * The largest number of consumers of a site that a trap calls.  If there are more, it leaves all of
 * them to task context.
 */
#define TRAP_CONSUMERS	64U

/**
 * struct consumer_set - the consumers of a site, as the trap sees them
 * @refs: one for all sites, and one for each hit with handlers in task context; not used in
 *	consumer::solo, where consumer::refs counts these references
 * @sites: number of sites that have the set; and one for consumer::places.set.  Not used in
 *	consumer::solo
 * @solo: the set is consumer::solo
 * @rcu: drops the reference of the sites after traps in flight
 * @dispatch: how a hit calls the consumers; other than %DISPATCH_MANY only in consumer::solo, and
 *	only while that consumer is live
 * @trapless: all consumers only count, or have a ring handler
 * @nr: number of all consumers
 * @nr_atomic: number of entry consumers that are handled in the trap
 * @nr_sleepable: number of entry consumers that are handled in task context
 * @nr_return: number of return consumers
 * @nr_return_in_task: number of return consumers that are handled in task context
 * @retry_on_nomem: without memory for the utask, the task executes the breakpoint again: one of the
 *	consumers has consumer::retry_on_nomem set, or the set is crowded
 * @consumers: in the order of registration; the set holds a reference to each
 *
 * After a set is published, only @dispatch and @sites may change.  For any other change, a new set
 * replaces it.  The sites of several processes may share a set.
 */
struct consumer_set {
	refcount_t refs;
	refcount_t sites;
	struct rcu_head rcu;
	enum dispatch dispatch;
	u32 nr;
	u32 nr_atomic;
	u32 nr_sleepable;
	u32 nr_return;
	u32 nr_return_in_task;
	bool solo;
	bool trapless;
	bool retry_on_nomem;
	struct consumer *consumers[];
};

/* Check whether a trap leaves all consumers of a set to task context.  Context: any. */
static inline bool consumer_set_crowded(const struct consumer_set *set)
{
	return set->nr > TRAP_CONSUMERS;
}

/**
 * struct file_place - the place in a file that must be mapped at a site
 * @inode: the file, only to be compared; NULL if any file may be mapped
 * @offset: position in the file
 */
struct file_place {
	const struct inode *inode;
	loff_t offset;
};

/**
 * struct pad_count - the hits of one consumer at one site that a pad has counted
 * @in_consumer: node in consumer::places.pads
 * @next: link in jump::counts
 * @consumer: the consumer
 * @word: the counter of the pad, jump::word; NULL if it has a histogram
 * @cpus: jump::cpus
 * @values: the histogram of the pad, jump::values; NULL if it counts
 * @base: its value when the consumer began to count there
 * @since: that time, in nanoseconds
 * @rcu: frees it after readers
 */
struct pad_count {
	struct list_head in_consumer;
	struct pad_count *next;
	struct consumer *consumer;
	const u64 *word;
	const struct cpu_counters *cpus;
	struct pad_values *values;
	u64 base;
	u64 since;
	struct rcu_head rcu;
};

/**
 * struct attached - the consumers of a site (attached.h)
 * @word: the only consumer; or the first one of a list, and %ATTACHED_LIST; or 0
 */
struct attached {
	unsigned long word;
};

/**
 * struct attachment - one consumer at one site, if the site has had several, or its places vary
 * @consumer: the consumer
 * @site: the site
 * @next: link in site::attached, under probed_mm::lock
 * @index: its place in consumer::places.list, under consumer::places.lock
 */
struct attachment {
	struct consumer *consumer;
	struct site *site;
	struct attachment *next;
	u32 index;
};

/**
 * struct attachment_at - an attachment of a consumer whose places vary
 * @a: the attachment
 * @place: the place in a file that must be mapped at the site
 */
struct attachment_at {
	struct attachment a;
	struct file_place place;
};

/**
 * struct consumer_blocks - part of a consumer: its counters
 * @counts: the counters, per CPU
 * @block: the block that @counts is part of
 *
 * core/counts.c writes it.
 */
struct consumer_blocks {
	struct consumer_stats __percpu *counts;
	struct stats_block *block;
};

/**
 * struct consumer_run - part of a consumer: whether handlers are called
 * @live: enabled, and not being unregistered; changed with the consumer claimed, read under RCU,
 *	and under probed_mm::lock when sets are made
 * @sleeps: handlers may be called in task context; constant
 * @active: counts running sleepable handlers; used if @sleeps is set; killed while @live is not
 *	set
 * @idle: completed when @active has dropped to zero
 *
 * core/consumer.c writes it.
 */
struct consumer_run {
	bool live;
	bool sleeps;
	struct percpu_ref active;
	struct completion idle;
};

/**
 * struct consumer_reg - part of a consumer: the registration
 * @claimed: a thread is registering, unregistering, enabling or disabling it; under kdata_mutex
 *	(register.c)
 * @gone: it is unregistered; changed with the consumer claimed
 * @watches_maps: hook_ops::watch_maps() has been called for it; used with the consumer claimed
 *
 * api/register.c writes it; core/consumer.c sets @gone.
 */
struct consumer_reg {
	bool claimed;
	bool gone;
	bool watches_maps;
};

/* A probe with at most this number of sites needs no memory for a list of them. */
#define PLACES_FEW		2

/**
 * struct consumer_places - part of a consumer: where it is attached
 * @lock: protects the rest of consumer::places, and the fields of consumer::bound that name this
 *	lock
 * @list: its sites, in any order: a struct site if it is the only consumer there, or else a struct
 *	attachment, and %ATTACHED_LIST.  Not charged to a program: its sites take eight times as
 *	much at least, and when they go, the list shrinks
 * @few: memory for @list as long as that is enough
 * @nr: number of sites
 * @room: number of sites that @list has room for
 * @set: the set that was made last with this consumer as the last one, for the sites of other
 *	processes; or NULL.  No program is charged for it
 * @ref_ctrs: reference counters that it has incremented
 * @pads: hits that pads have counted; changed under totals_lock (counts.c), read under RCU
 * @dying: it must not get further attachments
 *
 * core/consumer.c initializes it, and sets @set and @dying; attach/attachment.c, attach/ref_ctr.c
 * and core/counts.c write their lists.
 */
struct consumer_places {
	spinlock_t lock;
	unsigned long *list;
	unsigned long few[PLACES_FEW];
	unsigned int nr;
	unsigned int room;
	struct consumer_set *set;
	struct list_head ref_ctrs;
	struct list_head pads;
	bool dying;
};

/**
 * struct consumer_bound - part of a consumer: the binding to the one process that it was
 *	registered for
 * @target_mm: probed mm of that process, with a reference; NULL if the consumer probes a file, or
 *	is not bound yet; used with the consumer claimed
 * @node: node in probed_mm::attached.bound of @target_mm, under its probed_mm::lock
 * @orphaned: that process is gone; under consumer::places.lock
 * @ending: @end has been queued; under consumer::places.lock
 * @end: unregisters the consumer when that process is gone
 *
 * attach/attach.c writes it; core/consumer.c queues the end.
 */
struct consumer_bound {
	struct probed_mm *target_mm;
	struct list_head node;
	bool orphaned;
	bool ending;
	struct work_struct end;
};

/**
 * struct consumer_file - part of a consumer: the file that it probes
 * @probed: that file; NULL if it probes a process
 * @place: the place in a file that must be mapped at its sites; set before it is attached, then
 *	constant.  If it probes a process, and no child inherits it, any file may be mapped there
 * @varies: its places vary: each attachment has its own, and @place is not used; constant
 * @ref_ctr_offset: position of the reference counter in the file, or 0
 * @counted: file with the reference counter of a probe on one process, with a reference; set
 *	before the consumer is attached
 * @node: node in probe_file::consumers, protected by probe_file::sem
 *
 * core/consumer.c and core/probe_file.c write it; api/register.c sets @counted, and @place of a
 * probe on one process.
 */
struct consumer_file {
	struct probe_file *probed;
	struct file_place place;
	bool varies;
	loff_t ref_ctr_offset;
	struct file *counted;
	struct list_head node;
};

/**
 * struct consumer_refusals - part of a consumer: the places that it is not attached to
 * @nr: their number
 * @why: the first reason, or NULL
 *
 * core/refusal.c writes it, and frees @why.
 */
struct consumer_refusals {
	atomic_t nr;
	char *why;
};

/**
 * struct consumer_insn - part of a consumer: the instruction
 * @expect: bytes that must be at the probed address
 * @expect_len: number of bytes in @expect
 * @plan: plan of the instruction as it is in the file, with a reference; NULL if the consumer
 *	probes a process; constant
 *
 * core/consumer.c writes it; api/register.c sets @plan.
 */
struct consumer_insn {
	u8 expect[UINSN_MAX_LEN];
	u8 expect_len;
	const struct ssol_plan *plan;
};

/**
 * enum timing_kind - what a consumer has to do with the times of calls
 * @TIMING_NOT: nothing
 * @TIMING_BEGIN: it is at the entry of a timed function
 * @TIMING_END: it is at a return instruction
 */
enum timing_kind {
	TIMING_NOT,
	TIMING_BEGIN,
	TIMING_END,
};

/**
 * struct consumer_pads - part of a consumer: what pads record, add and time for it
 * @reads: what the ring handler reads, a bit for each number of pad_recording::regs; constant
 * @nr_loads: number of @loads; constant
 * @loads: the bytes in memory that the ring handler reads, or NULL; constant
 * @histogram: the value that pads may add, without the address; its size is 0 if there is none;
 *	constant
 * @keys_id: uprobe_keys::__id of its keys; 0 if there are none; constant
 * @from_entry: distance from the entry of a timed function; constant
 * @below: how many bytes the stack pointer is below that at the entry; constant
 * @values: the values that pads have added at sites that it has left, for each key if it has keys;
 *	NULL if it has no histogram, and no pad has timed its calls; under values_mutex (counts.c)
 *
 * core/consumer.c writes it; core/counts.c has @values.
 */
struct consumer_pads {
	u32 reads;
	u8 nr_loads;
	struct pad_load *loads;
	struct pad_histogram histogram;
	u64 keys_id;
	s64 from_entry;
	u16 below;
	struct uprobe_values *values;
};

/**
 * struct consumer - the module's side of a registered probe
 * @u: the client's structure; only to be dereferenced with @run.live set (atomic handlers, under
 *	RCU), with a reference on @run.active (handlers that may sleep), or with the consumer
 *	claimed and @reg.gone not set
 * @type: whether @u is a struct uprobe, or part of a struct uretprobe
 * @atomic: handlers run in the trap
 * @counts: it has no handler, and only counts; @atomic is set, too; constant
 * @rings: it has a ring handler; constant
 * @atomic_entry: @atomic and an entry consumer; constant
 * @filtered: it has conditions, or may have had some; set with the consumer claimed, never cleared
 * @in_every_process: it probes a file, or is the module's own consumer on unwinders (unwinder.c);
 *	constant
 * @retry_on_nomem: set for the consumer on unwinders: if its handler asks for the task handler and
 *	there is no memory, the task executes the breakpoint again until there is; constant
 * @inherits: forked children of the probed process get the probe, too; constant
 * @in_task: an entry consumer's handler, or a return consumer's entry handler, runs in task
 *	context; constant
 * @timing: enum timing_kind; constant
 * @keyed: it has a histogram for each key; constant
 * @run: whether handlers are called
 * @stats: its counters
 * @filter: its conditions, or NULL; replaced with the consumer claimed, read under RCU
 * @pads: what pads record, add and time for it
 * @data_size: bytes of client data in a return instance; constant
 * @calls: counts the return instances in use that name this return consumer; killed at
 *	unregistration; holds a reference of @refs until it has dropped to zero
 * @refs: keeps the memory; held by the registration, attachments, reference counters, consumer
 *	sets, @calls, a queued @bound.end, and by threads that have looked the consumer up
 * @reg: the registration
 * @places: where it is attached
 * @bound: the binding to the one process that it was registered for
 * @file: the file that it probes
 * @refused: the places that it is not attached to
 * @insn: the instruction
 * @free: frees the memory a grace period after the last reference is dropped
 * @solo: consumer set of the sites that have no other live consumer; only its dispatch changes
 */
struct consumer {
	struct uprobe *u;
	enum consumer_type type;
	bool atomic;
	bool counts;
	bool rings;
	bool atomic_entry;
	bool filtered;
	bool in_every_process;
	bool retry_on_nomem;
	bool inherits;
	bool in_task;
	u8 timing;
	bool keyed;
	struct consumer_blocks stats;
	struct consumer_run run;
	struct filter __rcu *filter;
	struct consumer_pads pads;
	size_t data_size;
	struct percpu_ref calls;
	refcount_t refs;
	struct consumer_reg reg;
	struct consumer_places places;
	struct consumer_bound bound;
	struct consumer_file file;
	struct consumer_refusals refused;
	struct consumer_insn insn;
	struct rcu_head free;
	/* Last: the allocation has room for one pointer in solo.consumers. */
	struct consumer_set solo;
};

/*
 * All fields that a hit of an entry probe reads, except @solo, are in one cache line.  Return
 * probes also read @calls and @data_size.  A hit whose task handler is asked for uses @refs.
 */
static_assert(offsetofend(struct consumer, run.active) <= 64);

/**
 * struct probe_file - a file that is probed in all processes
 * @node: in the table of files, keyed by @inode
 * @inode: the file as processes map it, with a reference
 * @file: open file description, which keeps the file system mounted; NULL if the client keeps
 *	it mounted
 * @refs: one for each consumer, and one for each user that has looked it up
 * @sem: protects @consumers
 * @consumers: consumers to attach in each mapping of the file
 * @nr_ref_ctrs: number of consumers with a reference counter
 * @rcu: frees it after look-ups in flight
 */
struct probe_file {
	struct rhash_head node;
	struct inode *inode;
	struct file *file;
	refcount_t refs;
	struct rw_semaphore sem;
	struct list_head consumers;
	atomic_t nr_ref_ctrs;
	struct rcu_head rcu;
};

#endif /* _UPROBES_CONSUMER_TYPES_H */
