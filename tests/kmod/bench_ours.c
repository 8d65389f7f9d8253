// SPDX-License-Identifier: GPL-2.0
/*
 * Register probes of uprobes.ko with empty handlers, for the benchmark; see bench.h.
 */
#include <linux/slab.h>

#include <uprobes/uprobes.h>

#include "bench.h"

static struct uretprobe *probes;
static void **list;
static unsigned int count;
static bool returns;
static char path[104];

/* The condition of "filter": the first argument is 1. */
static const struct uprobe_condition is_one = {
	.reg = UPROBE_REG(di),
	.compare = UPROBE_EQ,
	.value = 1,
};

static void on_entry(struct uprobe *u, struct pt_regs *regs)
{
}

static void on_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
}

static void bench_forget(void)
{
	kvfree(probes);
	kvfree(list);
	probes = NULL;
	list = NULL;
	count = 0;
	bench_lists = 0;
}

static void bench_describe(const struct bench_job *job)
{
	unsigned int i;

	returns = !strcmp(job->kind, "return-atomic");
	strscpy(path, job->path, sizeof(path));
	for (i = 0; i < count; i++) {
		struct uretprobe *rp = &probes[i];

		rp->handler = on_return;
		rp->u.handler = on_entry;
		if (strcmp(job->kind, "entry-sleepable"))
			rp->u.flags = UPROBE_ATOMIC;
		if (!strcmp(job->kind, "count")) {
			rp->u.flags = UPROBE_COUNT;
			rp->u.handler = NULL;
		}
		if (!strcmp(job->kind, "filter")) {
			rp->u.conditions = &is_one;
			rp->u.nr_conditions = 1;
		}
		if (job->pid) {
			rp->u.pid = job->pid;
			rp->u.vaddr = job->start + i * job->stride;
		} else {
			rp->u.path = path;
			rp->u.offset = job->start + i * job->stride;
		}
		list[i] = returns ? (void *)rp : (void *)&rp->u;
	}
}

static int bench_attach(const struct bench_job *job, u64 *took)
{
	int ret;

	if (count)
		return -EBUSY;
	probes = kvcalloc(job->count, sizeof(*probes), GFP_KERNEL);
	list = kvcalloc(job->count, sizeof(*list), GFP_KERNEL);
	if (!probes || !list) {
		bench_forget();
		return -ENOMEM;
	}
	count = job->count;
	bench_lists = count * (sizeof(*probes) + sizeof(*list));
	bench_describe(job);
	*took = ktime_get_ns();
	if (returns)
		ret = register_uretprobes((struct uretprobe **)list, count);
	else
		ret = register_uprobes((struct uprobe **)list, count);
	*took = ktime_get_ns() - *took;
	if (ret)
		bench_forget();
	return ret;
}

static void bench_detach(u64 *took)
{
	*took = ktime_get_ns();
	if (returns)
		unregister_uretprobes((struct uretprobe **)list, count);
	else
		unregister_uprobes((struct uprobe **)list, count);
	*took = ktime_get_ns() - *took;
	bench_forget();
}

static struct uprobe again;

static int bench_attach_again(u64 *took)
{
	int ret;

	if (!count)
		return -ENOENT;
	again = (struct uprobe) {
		.path = path,
		.offset = probes[0].u.offset,
		.handler = on_entry,
		.flags = UPROBE_ATOMIC,
	};
	*took = ktime_get_ns();
	ret = register_uprobe(&again);
	*took = ktime_get_ns() - *took;
	return ret;
}

static void bench_detach_again(u64 *took)
{
	*took = ktime_get_ns();
	unregister_uprobe(&again);
	*took = ktime_get_ns() - *took;
}

MODULE_DESCRIPTION("Benchmark client of uprobes.ko");
