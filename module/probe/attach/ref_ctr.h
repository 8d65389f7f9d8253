/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference counters: 16-bit words in a program's data that count the observers of one of its probe
 * points (the semaphores of USDT probes).
 *
 * A counter is incremented once for each consumer that names it, in each private writable mapping
 * of the counter in a process where the consumer is attached.  Each increment is listed, so that it
 * is undone once.
 *
 * The mapping may be unmapped (the mmu notifier marks the counter gone), replaced, or moved.  If it
 * is moved, the word moves along.  The word is decremented at its new address, and then incremented
 * as in any new mapping.
 *
 * All changes of a counter are numbered, to find out whether a forked child has a copy of an
 * increment.  A counter stays listed until no fork in flight needs it.
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
 * struct ref_ctr - a reference counter that is incremented, or was incremented before
 * @pmm: its probed mm
 * @consumer: the consumer that it is incremented for, with a reference; NULL in
 *	probed_mm::counters.gone
 * @inode: the file that is mapped there, only to be compared
 * @addr: its address
 * @moves: mremap() is moving it, and ref_ctrs_moved() has not handled it yet; set under
 *	probed_mm::sites.lock, before @gone
 * @since: probed_mm::counters.changes when it was incremented
 * @gone: probed_mm::counters.changes when it was unmapped or decremented, 0 before that; under
 *	probed_mm::sites.lock
 * @in_pmm: node in probed_mm::counters.live, under probed_mm::lock and probed_mm::sites.lock, or in
 *	probed_mm::counters.gone
 * @in_consumer: node in consumer::places.ref_ctrs, under consumer::places.lock
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
