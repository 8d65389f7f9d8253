/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One interface to the kernel's uprobes of all versions, for the benchmark.  uprobes.ko does not
 * use it.  All version conditionals of the benchmark are here.
 */
#ifndef _UPROBES_TESTS_PEER_H
#define _UPROBES_TESTS_PEER_H

#include <linux/err.h>
#include <linux/uprobes.h>
#include <linux/version.h>

/**
 * struct peer - a probe of the kernel's uprobes
 * @uc: its consumer
 * @inode: the file
 * @offset: offset of the probe in the file
 * @uprobe: the kernel's uprobe, if uprobe_register() returns it
 */
struct peer {
	struct uprobe_consumer uc;
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
};

/* Commit da09a9e0c3ea ("uprobe: Add data pointer to consumer handlers", 6.13). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define PEER_ARGS(...)	__VA_ARGS__, __u64 *data
#else
#define PEER_ARGS(...)	__VA_ARGS__
#endif

/*
 * Commit 3c83a9ad0295 ("uprobes: make uprobe_register() return struct uprobe *")
 * and commit 04b01625da13 ("perf/uprobe: split uprobe_unregister()"), both 6.12.
 */
static inline int peer_register(struct peer *p)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	p->uprobe = uprobe_register(p->inode, p->offset, 0, &p->uc);
	return PTR_ERR_OR_ZERO(p->uprobe);
#else
	return uprobe_register(p->inode, p->offset, &p->uc);
#endif
}

/* Unregister one probe.  After the last one, call peer_unregister_sync() once. */
static inline void peer_unregister(struct peer *p)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_nosync(p->uprobe, &p->uc);
#else
	uprobe_unregister(p->inode, p->offset, &p->uc);
#endif
}

static inline void peer_unregister_sync(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_sync();
#endif
}

#endif /* _UPROBES_TESTS_PEER_H */
