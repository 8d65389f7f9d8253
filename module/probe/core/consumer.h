/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Consumers, and the files that they probe.
 *
 * A consumer is the module's side of one registered struct uprobe or uretprobe.  It is attached
 * to sites (site.h).  If it probes a process, it is attached to one site in that process.  If it
 * probes a file, it is attached to one site in each mapping of the file.
 *
 * Lock order, outermost first (consumer::reg.claimed comes before all of them):
 *
 *	probe_file::sem		the consumers of one file
 *	pmm_list_mutex	(probed_mm.c) the list of probed mms; no lock below is taken
 *				while it is held, because their holders may wait for programs
 *	probed_mm::lock		the sites of one address space
 *	mmap lock of that address space
 *	visit_mutex	(visit.c) visits that are being planned; probed_mm::lock is not held
 *	consumer::places.lock		(spinlock) the attachments of a consumer; never nested
 *				with the next lock
 *	probed_mm::sites.lock	(spinlock) the tree of sites; also taken by the
 *				mmu notifier under the mmap lock
 *
 * mmput() may end the address space, so call it with no lock of this list held; the claim may be
 * held.  The trap takes none of these locks: it finds sites and consumers under RCU.
 */
#ifndef _UPROBES_CONSUMER_H
#define _UPROBES_CONSUMER_H

#include "consumer_types.h"

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

/* Check for a probe on one process that has a reference counter. */
static inline bool consumer_counts_in_process(const struct consumer *c)
{
	return c->file.ref_ctr_offset && !c->in_every_process;
}

void consumer_set_filter(struct consumer *c, struct filter *filter);

/*
 * Undo consumer_active_get(), after a handler that may sleep has returned.  Disabled preemption is
 * an RCU read side.  percpu_ref_put() alone would enter the read side by a function call.
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
 * consumer_call_put() - drop the reference of a return instance to its consumer
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

/* Turn a hit that was counted into a miss, because its handling could not be completed. */
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
void consumer_set_retire(struct consumer_set *set);
void consumer_set_offer(struct consumer *c, struct consumer_set *set);
struct consumer_set *consumer_set_offered(struct consumer *c);

#endif /* _UPROBES_CONSUMER_H */
