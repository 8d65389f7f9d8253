/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference counters: 16-bit words in a program's data that say how many look
 * at one of its probe points (the semaphores of USDT probes).
 *
 * A counter is incremented once for each consumer that names it, in each
 * private writable mapping of it in a process where the consumer is attached.
 * What has been incremented is listed, so that it is decremented once.  The
 * mapping may go (the mmu notifier marks the counter gone), be replaced, or move: the word
 * goes with it, is decremented there, and then counted as in any new mapping.
 * All that becomes of a counter is numbered, so that it can be told what a
 * forked child has got a copy of, and listed until no fork under way needs that.
 */
#ifndef _UPROBES_REF_CTR_H
#define _UPROBES_REF_CTR_H

#include <linux/list.h>
#include <linux/types.h>

struct consumer;
struct copy_mark;
struct probed_mm;
struct inode;
struct mm_struct;

/**
 * struct ref_ctr - an incremented reference counter, or one that has been
 * @pmm: whose
 * @consumer: for whom, with a reference; NULL in probed_mm::counters.gone
 * @inode: the file that is mapped there, only to be compared
 * @addr: where it is
 * @moves: mremap() takes it elsewhere, and ref_ctrs_moved() has not seen to it there; set
 *	under probed_mm::sites.lock, before @gone
 * @since: probed_mm::counters.changes when it was incremented
 * @gone: probed_mm::counters.changes when it was unmapped or decremented, 0 before; under
 *	probed_mm::sites.lock
 * @in_pmm: in probed_mm::counters.live, under probed_mm::lock and probed_mm::sites.lock, or in
 *	probed_mm::counters.gone
 * @in_consumer: in consumer::places.ref_ctrs, under consumer::places.lock
 */
struct ref_ctr {
	struct probed_mm *pmm;
	struct consumer *consumer;
	const struct inode *inode;
	unsigned long addr;
	bool moves;
	u64 since;
	u64 gone;
	struct list_head in_pmm;
	struct list_head in_consumer;
};

int ref_ctrs_apply(struct probed_mm *pmm, struct consumer *c, const struct inode *inode);
void ref_ctrs_mapped(struct mm_struct *mm);
void ref_ctrs_drop(struct consumer *c);
void ref_ctrs_detach(struct probed_mm *pmm);
void ref_ctrs_free(struct probed_mm *pmm);
bool ref_ctrs_lost(struct probed_mm *pmm, unsigned long start, unsigned long end,
		   unsigned long from, unsigned long to);
void ref_ctrs_moved(struct probed_mm *pmm, unsigned long from, unsigned long to, long by);
void ref_ctrs_fork_restore(struct probed_mm *parent, struct mm_struct *mm,
			   const struct copy_mark *copied);

#endif /* _UPROBES_REF_CTR_H */
