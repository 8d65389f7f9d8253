/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference counters: 16-bit words in a program's data that say how many look
 * at one of its probe points (the semaphores of USDT probes).
 *
 * A counter is incremented once for each consumer that names it, in each
 * private writable mapping of it in a process where the consumer is attached.
 * What has been incremented is listed, so that it is decremented once.  The
 * mapping may go (the mmu notifier marks the counter lost), or be replaced.
 */
#ifndef _UPROBES_REF_CTR_H
#define _UPROBES_REF_CTR_H

#include <linux/list.h>
#include <linux/types.h>

struct consumer;
struct image;
struct inode;
struct mm_struct;

/**
 * struct ref_ctr - an incremented reference counter
 * @image: whose
 * @consumer: for whom, with a reference
 * @inode: the file that is mapped there, only to be compared
 * @addr: where it is
 * @lost: it was unmapped; under image::tree_lock
 * @in_image: in image::ref_ctrs, under image::lock and image::tree_lock
 * @in_consumer: in consumer::ref_ctrs, under consumer::lock
 */
struct ref_ctr {
	struct image *image;
	struct consumer *consumer;
	const struct inode *inode;
	unsigned long addr;
	bool lost;
	struct list_head in_image;
	struct list_head in_consumer;
};

int ref_ctrs_apply(struct image *image, struct consumer *c, const struct inode *inode);
void ref_ctrs_drop(struct consumer *c);
void ref_ctrs_forget(struct image *image);
void ref_ctrs_lost(struct image *image, unsigned long start, unsigned long end);
int ref_ctrs_inherit(struct image *child, struct image *parent);
void ref_ctrs_disinherit(struct image *child, struct image *parent, struct mm_struct *mm);

#endif /* _UPROBES_REF_CTR_H */
