/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One probed address space: its sites, its SSOL areas, its life.
 *
 * An image comes into being with the first probe of an address space and goes
 * when the address space loses its last user (the mmu notifier's release), or
 * with the module.  It holds mm_count (through its mmu notifier), never
 * mm_users: it must not keep a process alive.
 *
 * Its sites are never freed before it is.  A site that nobody probes any more
 * stays as a record of where a breakpoint once was: a trap may be under way,
 * and a child may have been forked with the breakpoint in its text.  The slot
 * stays too and serves when the address is probed again.
 */
#ifndef _UPROBES_IMAGE_H
#define _UPROBES_IMAGE_H

#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>

#include "arch.h"
#include "text/breakpoint.h"
#include "events/foreign.h"
#include "uret/calls.h"
#include "probe.h"
#include "uret/retprobe_word.h"
#include "ssol_area.h"

struct copy_mark;

/**
 * enum site_kind - what a breakpoint stands for
 * @SITE_PROBE: a probed instruction
 * @SITE_TRAMPOLINE: where return-probed functions return to
 */
enum site_kind {
	SITE_PROBE,
	SITE_TRAMPOLINE,
};

/**
 * enum site_state - whether the breakpoint is in the text
 * @SITE_IDLE: it is not; a trap that still arrives is late, or not ours
 * @SITE_LOST: it was when the mapping went away
 * @SITE_ARMED: it is, or is about to be, or was a moment ago
 * @SITE_INHERITED: (during fork) it may be, by way of the parent
 */
enum site_state {
	SITE_IDLE,
	SITE_LOST,
	SITE_ARMED,
	SITE_INHERITED,
};

/**
 * struct site_key - what a trap knows
 * @mm: the address space
 * @addr: address of the breakpoint
 */
struct site_key {
	struct mm_struct *mm;
	unsigned long addr;
};

/**
 * struct site - one instrumented address of one address space
 * @next: in the table of sites (site_table.h); looked up under RCU
 * @key: where it is
 * @set: its consumers, NULL when there are none; replaced under image::lock,
 *	read under RCU
 * @resume: where the program goes on when it is not being stepped: the slot, or
 *	behind an instruction that does nothing; constant
 * @image: the address space; constant
 * @state: enum site_state; written under image::lock, or under image::tree_lock when the
 *	mapping goes, or as the kernel's uprobes leave (foreign.c); read by the trap
 * @odd: a hit needs a closer look: this is no probe, or 32-bit code, or a call
 *	that a shadow stack could mind, or @step; constant
 * @foreign: enum foreign: whose else the breakpoint is (foreign.c)
 * @glance: @state, @odd and @foreign; %SITE_ARMED when this is the usual case
 * @step: the slot holds a plain copy that is executed under TF; constant
 * @kind: enum site_kind; constant
 * @moves: the breakpoint was there when mremap() took the text away, which has not
 *	returned; set under image::tree_lock, cleared under image::lock
 * @idle_since: image::removals when the state last became idle
 * @slot_nr: which one of the image's slots it has, from 1 on; constant
 * @slot: address of the slot; 0 when it has none
 * @plan: the analysed instruction, with its bytes; constant
 * @in_tree: in image::sites by address, changed under image::tree_lock
 * @attachments: the consumers again; under image::lock
 * @first: one of them, for which no memory is to be found; most sites have no other
 * @older: in image::superseded, when the site is not in the tree
 *
 * What a hit reads comes first, in one cache line.
 */
struct site {
	struct site __rcu *next[2];
	struct site_key key;
	struct consumer_set __rcu *set;
	unsigned long resume;
	struct image *image;
	union {
		struct {
			u8 state;
			bool odd;
			u8 foreign;
		};
		u32 glance;
	};
	bool step;
	u8 kind;
	bool moves;
	u32 idle_since;
	u32 slot_nr;
	unsigned long slot;
	struct ssol_plan plan;
	struct list_head attachments;
	struct attachment first;
	union {
		struct rb_node in_tree;
		struct site *older;
	};
};

static_assert(offsetofend(struct site, step) <= 64);

#define IMAGE_MAX_AREAS		64

/**
 * enum watched - how far probing the unwinders of an address space has come
 * @WATCH_NONE: they are left alone
 * @WATCH_WANTED: there is a return probe, or will be; no call has been followed yet
 * @WATCH_SOUGHT: a task of the program looks for them, and whoever maps code does, too
 * @WATCH_DONE: those that have been found are probed
 */
enum watched {
	WATCH_NONE,
	WATCH_WANTED,
	WATCH_SOUGHT,
	WATCH_DONE,
};

/**
 * struct image - one probed address space
 * @node: in the table of images, keyed by @mm
 * @mm: the address space; held by @notifier
 * @refs: the table, and who found it there
 * @mode: what its code is
 * @lock: protects sites, sets and areas, and keeps breakpoint writes apart
 * @tree_lock: protects the shape of @sites, and what becomes of reference counters
 * @sites: by address; read under @lock or @tree_lock
 * @areas: its SSOL areas; added under @lock, read by anybody
 * @nr_areas: how many
 * @slots_written: how many slots it has; written under @lock
 * @nothing_nearer: an area was mapped for an instruction that refers to what it does not
 *	reach either: further such instructions are stepped; under @lock, never cleared
 * @removals: how often breakpoints have gone, from 1 on; under @lock
 * @residents: consumers registered for this process alone; under @lock
 * @ref_ctrs: incremented reference counters; listed under @lock and @tree_lock
 * @gone_ref_ctrs: those that are not any more, but forks under way may have copied; under
 *	@lock.  Freed when one more ends while no fork is under way, or with the image
 * @ref_changes: how often counters have changed, or been unmapped, from 1 on; changes
 *	under @tree_lock, with the mmap lock held, so that a fork copies all or nothing
 * @forks: children whose fork has been reported and that have not looked after
 *	themselves yet, and one while the address space lives; see image_let_go()
 * @nr_heirs: attachments that forked children get, too; under @lock
 * @nr_returns: attachments of return probes; under @lock
 * @nr_counters: attachments of probes on this process with a reference counter; under @lock
 * @watch_lock: read-held by who has its unwinders probed until his return probes, or
 *	calls, are there; who leaves them alone has it for writing (unwinder.c).
 *	Taken before @lock
 * @watched: how far probing its unwinders has come (unwinder.h)
 * @superseded: sites that the text has outlived, linked by site::older; under @lock.
 *	They have no attachments, but a registration under way may have some of them.
 *	In the end all sites, until they are freed with the image
 * @moving: tasks in mremap() of text that had breakpoints, which may be anywhere now
 * @copied_by: how far the last copy of probed text that was found is from that (copied.c);
 *	any thread writes it
 * @resumptions: signals have put tasks back to a breakpoint; never cleared
 * @handed: hits have been handed on to tracers; never cleared
 * @calls: calls of return-probed functions that are under way
 * @returns: words that are known to be return addresses
 * @trampoline: address of the return trampoline, 0 when it has none yet
 * @dead: the address space is going; set once
 * @notifier: tells of unmapping and of the end
 * @rearm: puts in breakpoints where another's has gone (foreign.c); holds a
 *	reference while it is queued
 * @reap: does in task context what the end requires
 * @in_list: in the list of images, under image_list_mutex
 * @free: frees it, after look-ups
 */
struct image {
	struct rhash_head node;
	struct mm_struct *mm;
	refcount_t refs;
	enum uinsn_mode mode;
	struct mutex lock;
	spinlock_t tree_lock;
	struct rb_root sites;
	struct ssol_area *areas[IMAGE_MAX_AREAS];
	unsigned int nr_areas;
	u32 slots_written;
	bool nothing_nearer;
	u32 removals;
	struct list_head residents;
	struct list_head ref_ctrs;
	struct list_head gone_ref_ctrs;
	u64 ref_changes;
	atomic_t forks;
	struct site *superseded;
	unsigned int nr_heirs;
	unsigned int nr_returns;
	unsigned int nr_counters;
	struct rw_semaphore watch_lock;	/* see above */
	enum watched watched;
	struct calls calls;
	struct return_words returns;
	unsigned long trampoline;
	atomic_t moving;
	unsigned long copied_by;
	bool resumptions;
	bool handed;
	bool dead;
	struct mmu_notifier notifier;
	struct work_struct rearm;
	struct work_struct reap;
	struct list_head in_list;
	struct rcu_work free;
};

int image_init(void);
void image_exit(void);

bool images_for_each(bool (*fn)(struct image *image, void *data), void *data);
struct image *image_get(struct mm_struct *mm);
struct image *image_find(struct mm_struct *mm);
struct image *image_lookup(struct mm_struct *mm);
void image_put(struct image *image);
void image_queue(struct image *image, struct work_struct *work);
void image_put_not_last(struct image *image);
void image_let_go(struct image *image);
struct ssol_area *image_area_at(const struct image *image, unsigned long addr);
void image_add_area(struct image *image, struct ssol_area *area);
struct site *image_first_site(struct image *image, unsigned long addr);
struct site *image_next_site(struct site *site);

int slot_add(struct site *site);
struct site *site_of_slot(const struct image *image, unsigned long addr);
unsigned long site_original_ip(const struct site *site, unsigned long ip);

/* The last number of a removal; from then on they are no longer told apart. */
#define REMOVALS_MAX		U32_MAX

/* The breakpoint of a site is in the text no more.  Context: image::lock held. */
static inline void site_set_idle(struct site *site)
{
	struct image *image = site->image;

	if (image->removals != REMOVALS_MAX)
		WRITE_ONCE(image->removals, image->removals + 1);
	site->idle_since = image->removals;
	WRITE_ONCE(site->state, SITE_IDLE);
}

#define SITE_STOCK		16

/**
 * struct site_stock - memory for sites that are about to be made
 * @wanted: so many more may be
 * @n: how many are there
 * @sites: these
 */
struct site_stock {
	unsigned int wanted;
	unsigned int n;
	void *sites[SITE_STOCK];
};

int sites_init(void);
void sites_exit(void);
struct site *site_alloc(struct image *image, unsigned long addr, enum site_kind kind,
			struct site_stock *stock);
void site_stock_end(struct site_stock *stock);
int site_add(struct site *site);
int site_add_between(struct site *site, struct site *prev, struct site *next);
void site_free(struct site *site);
void site_supersede(struct site *site);
void sites_forget(struct image *image);
void sites_free(struct image *image);

/**
 * struct site_walk - sites being made one after the other
 * @image: their image, whose lock is held all the time
 * @text: where text has been read
 * @stock: memory for them
 * @known: @next is valid; no other site has been added or superseded since
 * @addr: the last address, or behind it
 * @prev: the last site before @next, or NULL when it is not known
 * @next: the first site there or behind, or NULL
 * @no_memory: there was none for the last one
 * @made: the plan of an instruction that had to be analysed
 */
struct site_walk {
	struct image *image;
	struct text_reader text;
	struct site_stock stock;
	bool known;
	unsigned long addr;
	struct site *prev;
	struct site *next;
	bool no_memory;
	struct ssol_plan made;
};

struct site *site_prepare(struct site_walk *walk, unsigned long addr, struct consumer *c);
int image_use_trampoline(struct image *image, unsigned long addr);
int image_need_trampoline(struct image *image);

/**
 * struct attach_request - a consumer to be attached at an address
 * @consumer: who
 * @addr: address of the instruction
 * @where: the file that has to be mapped there
 * @site: private
 * @result: 0 or an error of register_uprobe()
 * @order: the place among the requests, for handlers at one site
 * @made: private
 */
struct attach_request {
	struct consumer *consumer;
	unsigned long addr;
	struct image_file where;
	struct site *site;
	int result;
	unsigned int order;
	bool made;
};

bool image_attach(struct image *image, struct attach_request *requests, unsigned int n);
void site_give_up(struct site *site);
void image_moved(struct image *image, unsigned long start, unsigned long end, long by);
void site_abandon(struct site *site);
void image_detach_one(struct image *image, struct consumer *c);
void image_reap(struct image *image);
void image_disarm(struct image *image);
void image_disarm_all(void);
void consumers_detach(struct consumer **cs, unsigned int n);
int consumer_resettle(struct consumer *c);
int consumers_settle_in(struct consumer **cs, unsigned int n, struct image *home);
void consumer_leave_home(struct consumer *c);

int image_inherit(struct image *child, struct image *parent, const struct copy_mark *copied);
void image_inherit_consumers(struct image *child, struct image *parent);
void image_disinherit(struct image *parent, struct mm_struct *mm, const struct copy_mark *copied);
void image_copy_begins(struct image *parent, unsigned long start);
void image_fork_begins(struct image *parent, struct utask *utask, struct copy_mark *copied);
void image_fork_ends(struct image *parent);
bool image_forks(struct image *image);

int mapping_apply(struct mm_struct *mm);
bool mapping_spreading(void);
void mapping_await(int change);
int mapping_apply_everywhere(struct consumer **cs, unsigned int n);

#endif /* _UPROBES_IMAGE_H */
