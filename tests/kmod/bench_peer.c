// SPDX-License-Identifier: GPL-2.0
/*
 * The counterpart of bench_ours.c for the kernel's uprobes.  It registers their cheapest
 * consumer, one with an empty handler, one by one, as their interface requires.
 */
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include "bench.h"
#include "peer.h"

static struct peer *probes;
static unsigned int count;
static struct path file;

static int on_entry(PEER_ARGS(struct uprobe_consumer *uc, struct pt_regs *regs))
{
	return 0;
}

static int on_return(PEER_ARGS(struct uprobe_consumer *uc, unsigned long func,
			       struct pt_regs *regs))
{
	return 0;
}

static int bench_attach(const struct bench_job *job, u64 *took)
{
	unsigned int i;
	int ret;

	if (count)
		return -EBUSY;
	/* The kernel's uprobes cannot probe a single process. */
	if (job->pid)
		return -EOPNOTSUPP;
	ret = kern_path(job->path, LOOKUP_FOLLOW, &file);
	if (ret)
		return ret;
	probes = kvcalloc(job->count, sizeof(*probes), GFP_KERNEL);
	if (!probes) {
		path_put(&file);
		return -ENOMEM;
	}
	bench_lists = job->count * sizeof(*probes);
	for (i = 0; i < job->count; i++) {
		if (strcmp(job->kind, "return-atomic"))
			probes[i].uc.handler = on_entry;
		else
			probes[i].uc.ret_handler = on_return;
		probes[i].inode = d_real_inode(file.dentry);
		probes[i].offset = job->start + i * job->stride;
	}
	*took = ktime_get_ns();
	for (i = 0; !ret && i < job->count; i++)
		ret = peer_register(&probes[i]);
	*took = ktime_get_ns() - *took;
	count = ret ? i - 1 : i;
	if (ret) {
		u64 unused;

		bench_detach(&unused);
	}
	return ret;
}

static void bench_detach(u64 *took)
{
	unsigned int i;

	if (!probes)
		return;
	*took = ktime_get_ns();
	for (i = 0; i < count; i++)
		peer_unregister(&probes[i]);
	peer_unregister_sync();
	*took = ktime_get_ns() - *took;
	kvfree(probes);
	probes = NULL;
	count = 0;
	bench_lists = 0;
	path_put(&file);
}

static struct peer again;

static int bench_attach_again(u64 *took)
{
	int ret;

	if (!count)
		return -ENOENT;
	again = (struct peer) {
		.uc.handler = on_entry,
		.inode = probes[0].inode,
		.offset = probes[0].offset,
	};
	*took = ktime_get_ns();
	ret = peer_register(&again);
	*took = ktime_get_ns() - *took;
	return ret;
}

static void bench_detach_again(u64 *took)
{
	*took = ktime_get_ns();
	peer_unregister(&again);
	peer_unregister_sync();
	*took = ktime_get_ns() - *took;
}

MODULE_DESCRIPTION("Benchmark client of the kernel's own uprobes");
