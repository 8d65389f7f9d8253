/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is wanted: consumers, and for those that probe a file, the files.
 *
 * A consumer is the module's side of one registered struct uprobe or
 * uretprobe.  It is attached to sites (image.h): to one site when it probes a
 * process, to one in each mapping of its file when it probes a file.
 *
 * Lock order, outermost first (consumer::reg.claimed comes before all of them):
 *
 *	probe_file::sem		the consumers of one file
 *	pmm_list_mutex	(image.c) which address spaces have an image; held for the
 *				list alone, as what is below waits for programs
 *	probed_mm::lock		the sites of one address space
 *	mmap lock of that address space
 *	ssol_area::lock		the slots of one area
 *	consumer::places.lock		(spinlock) where a consumer is attached
 *	probed_mm::sites.lock	(spinlock) the tree of sites; also taken by the
 *				mmu notifier under the mmap lock
 *
 * mmput() is never called with any of them held, as it may end the address
 * space.  The trap takes none of them: it finds sites and consumers by RCU.
 */
#ifndef _UPROBES_CONSUMER_H
#define _UPROBES_CONSUMER_H

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
struct probed_mm;
struct inode;
struct probe_file;
struct site;
struct stats_block;

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
 * enum dispatch - what a hit has to do for the consumers of a site
 * @DISPATCH_MANY: see to each of them
 * @DISPATCH_ATOMIC: the only one is an entry consumer whose handler runs in the trap
 * @DISPATCH_TASK: the only one is an entry consumer whose handler runs in task context
 * @DISPATCH_RETURN: the only one is a return consumer that does not see the entry and
 *	has no data
 */
enum dispatch {
	DISPATCH_MANY,
	DISPATCH_ATOMIC,
	DISPATCH_TASK,
	DISPATCH_RETURN,
};

/**
 * struct consumer_set - the consumers of one site, as the trap sees them
 * @refs: the site, and each hit that runs sleepable handlers; of consumer::solo
 *	those are references of the consumer
 * @solo: it is consumer::solo
 * @rcu: for the trap
 * @dispatch: what a hit has to do; more is known than %DISPATCH_MANY only in consumer::solo,
 *	and while that consumer is live
 * @nr: consumers in all
 * @nr_atomic: entry consumers whose handler runs in the trap
 * @nr_sleepable: entry consumers whose handler runs in task context
 * @nr_return: return consumers
 * @nr_return_in_task: those of them that see the entry in task context
 * @retry_on_nomem: one of them is consumer::retry_on_nomem
 * @consumers: in the order of registration; the set holds a reference of each
 *
 * But for @dispatch it never changes once published; a new set takes its place.
 */
struct consumer_set {
	refcount_t refs;
	struct rcu_head rcu;
	enum dispatch dispatch;
	u32 nr;
	u32 nr_atomic;
	u32 nr_sleepable;
	u32 nr_return;
	u32 nr_return_in_task;
	bool solo;
	bool retry_on_nomem;
	struct consumer *consumers[];
};

/**
 * struct file_place - which file a site must lie in
 * @inode: the file, only to be compared; NULL when any will do
 * @offset: position in it
 */
struct file_place {
	const struct inode *inode;
	loff_t offset;
};

/**
 * struct attachment - one consumer at one site
 * @consumer: who; NULL when this is site::first and not in use
 * @site: where
 * @where: the file that has to be mapped there
 * @round: the last consumers_visit() that has been here, under consumer::places.lock
 * @in_consumer: in consumer::places.attachments, under consumer::places.lock
 * @in_site: in site::attachments, under probed_mm::lock
 */
struct attachment {
	struct consumer *consumer;
	struct site *site;
	struct file_place where;
	unsigned int round;
	struct list_head in_consumer;
	struct list_head in_site;
};

/**
 * struct consumer - the module's side of a registered probe
 * @u: the client's structure; only to be followed where @run.live holds (atomic
 *	handlers, under RCU), with @run.active held (handlers that may sleep), or
 *	claimed with @reg.gone not set
 * @type: what @u is, or lies in
 * @atomic: handlers run in the trap
 * @atomic_entry: @atomic and an entry consumer; constant
 * @in_every_process: it probes a file, or is that on unwinders; constant
 * @retry_on_nomem: that on unwinders, whose task handler is called whenever it asks for that:
 *	until there is memory, the task executes the breakpoint again; constant
 * @inherits: children of the probed process are probed, too; constant
 * @in_task: what a hit has to do needs task context; constant
 * @run: whether handlers are called
 * @run.live: enabled, and not being unregistered; changed by who has claimed it, read under
 *	RCU, and under probed_mm::lock when sets are made
 * @run.sleeps: handlers may be called in task context; constant
 * @run.active: running sleepable handlers, where @run.sleeps; killed while not @run.live
 * @run.idle: completed when @run.active has come to zero
 * @stats: its counters
 * @stats.counts: the counters, per CPU
 * @stats.block: what they are part of
 * @data_size: of a return instance; constant
 * @calls: of a return consumer: return instances that name it; killed at unregistration,
 *	holds a reference of @refs until then
 * @refs: holds the memory: the registration, each consumer set, @calls, and
 *	who has looked it up
 * @reg: the registration
 * @reg.claimed: somebody registers, unregisters, enables or disables it; under
 *	kdata_mutex (register.c)
 * @reg.gone: it is unregistered; changed by who has claimed it
 * @reg.watches_maps: it has to know of new mappings; of who has claimed it
 * @places: where it is attached
 * @places.lock: protects the rest of @places, and what of @bound says so
 * @places.attachments: its attachments
 * @places.ref_ctrs: reference counters that it has incremented
 * @places.dying: no further attachments
 * @bound: to the one process that it was registered for
 * @bound.target_mm: that process, with a reference; NULL when it probes a file, or nothing yet;
 *	of who has claimed it
 * @bound.node: in probed_mm::attached.bound, under that one's lock
 * @bound.orphaned: that process is gone; under @places.lock
 * @bound.ending: @bound.end has been queued; under @places.lock
 * @bound.end: unregisters it when that process is gone
 * @file: the file that it probes
 * @file.probed: that file, or NULL
 * @file.offset: where in it
 * @file.ref_ctr_offset: reference counter in the file, or 0
 * @file.counted: of a probe on one process with such a counter: the file, with a reference; set
 *	before it is attached
 * @file.node: in probe_file::consumers, protected by probe_file::sem
 * @insn: the instruction
 * @insn.expect: bytes that must be found there
 * @insn.expect_len: how many
 * @insn.plan: what it has been analysed to in a file, or NULL; constant
 * @free: frees the memory a grace period after the last reference
 * @solo: set of the sites that have no other consumer; constant but for how it is dispatched
 */
struct consumer {
	struct uprobe *u;
	enum consumer_type type;
	bool atomic;
	bool atomic_entry;
	bool in_every_process;
	bool retry_on_nomem;
	bool inherits;
	bool in_task;
	struct {
		struct consumer_stats __percpu *counts;
		struct stats_block *block;
	} stats;
	struct {
		bool live;
		bool sleeps;
		struct percpu_ref active;
		struct completion idle;
	} run;
	size_t data_size;
	struct percpu_ref calls;
	refcount_t refs;
	struct {
		bool claimed;
		bool gone;
		bool watches_maps;
	} reg;
	struct {
		spinlock_t lock;
		struct list_head attachments;
		struct list_head ref_ctrs;
		bool dying;
	} places;
	struct {
		struct probed_mm *target_mm;
		struct list_head node;
		bool orphaned;
		bool ending;
		struct work_struct end;
	} bound;
	struct {
		struct probe_file *probed;
		loff_t offset;
		loff_t ref_ctr_offset;
		struct file *counted;
		struct list_head node;
	} file;
	struct {
		u8 expect[UINSN_MAX_LEN];
		u8 expect_len;
		struct ssol_plan *plan;
	} insn;
	struct rcu_head free;
	/* Last, with room for one. */
	struct consumer_set solo;
};

/* What a hit reads, but for @solo. */
static_assert(offsetofend(struct consumer, run.active) <= 64);

int probe_init(work_func_t end);
void probe_exit(void);

struct consumer *consumer_create(struct uprobe *u, enum consumer_type type);
void consumer_get(struct consumer *c);
void consumer_put(struct consumer *c);
void consumer_enable(struct consumer *c);
void consumer_disable(struct consumer *c);
void consumer_shut(struct consumer *c);
void consumer_wait(struct consumer *c);
void consumer_release(struct consumer *c);
void consumer_end_later(struct consumer *c);
bool consumer_active_get(struct consumer *c);

/* Whether it has reference counters in one process, not wherever its file is mapped. */
static inline bool consumer_counts_in_process(const struct consumer *c)
{
	return c->file.ref_ctr_offset && !c->in_every_process;
}

struct uprobe_counts probe_counts(const struct uprobe *u);

/*
 * A handler that may sleep has returned; undoes consumer_active_get().  Without
 * preemption is an RCU read side, which percpu_ref_put() would enter by a call.
 */
static inline void consumer_active_put(struct consumer *c)
{
	unsigned long __percpu *count;

	preempt_disable();
	if (likely(__ref_is_percpu(&c->run.active, &count)))
		this_cpu_dec(*count);
	else
		percpu_ref_put(&c->run.active);
	preempt_enable();
}

/**
 * consumer_call_put() - a return instance names the consumer no more
 * @c: the consumer
 *
 * Context: RCU read side, interrupts off.
 */
static inline void consumer_call_put(struct consumer *c)
{
	unsigned long __percpu *count;

	if (likely(__ref_is_percpu(&c->calls, &count)))
		this_cpu_dec(*count);
	else
		percpu_ref_put(&c->calls);
}

static inline void consumer_hit(struct consumer *c)
{
	this_cpu_inc(c->stats.counts->hits);
}

/* The hit has been counted, but could not be handled to its end. */
static inline void consumer_hit_missed(struct consumer *c)
{
	this_cpu_dec(c->stats.counts->hits);
	this_cpu_inc(c->stats.counts->missed);
}

static inline void consumer_missed(struct consumer *c)
{
	this_cpu_inc(c->stats.counts->missed);
}

struct consumer_set *consumer_set_alloc(unsigned int nr, gfp_t gfp);
void consumer_set_append(struct consumer_set *set, struct consumer *c);
struct consumer_set *consumer_set_solo(struct consumer *c);
bool consumer_set_get(struct consumer_set *set);
void consumer_set_put(struct consumer_set *set);

#endif /* _UPROBES_CONSUMER_H */
