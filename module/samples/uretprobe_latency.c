// SPDX-License-Identifier: GPL-2.0
/*
 * Measure how long calls of a function take, in every process that maps the file:
 *
 *	insmod uretprobe_latency.ko path=/lib/x86_64-linux-gnu/libc.so.6 offset=0xd5550
 *	cat /sys/module/uretprobe_latency/parameters/histogram
 *
 * Each line has a time in nanoseconds and a number of calls.  These calls took at least
 * that time, and less than twice that time.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <uprobes/uprobes.h>

#define BUCKETS	40

static atomic64_t buckets[BUCKETS];

/* Data that is kept for each call until it returns. */
struct call {
	u64 entered;
};

static int on_entry(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->entered = ktime_get_ns();
	return 0;
}

static void on_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *call = (const struct call *)ri->data;
	u64 took = ktime_get_ns() - call->entered;

	atomic64_inc(&buckets[min(took ? ilog2(took) : 0, BUCKETS - 1)]);
}

static struct uretprobe probe = {
	.u.flags = UPROBE_ATOMIC,
	.handler = on_return,
	.entry_handler = on_entry,
	.data_size = sizeof(struct call),
};

static char *path;
module_param(path, charp, 0444);
MODULE_PARM_DESC(path, "the file");
module_param_named(offset, probe.u.offset, ullong, 0444);
MODULE_PARM_DESC(offset, "where in it the function begins");

static int histogram_get(char *buffer, const struct kernel_param *kp)
{
	int i, n = 0;

	for (i = 0; i < BUCKETS; i++) {
		s64 calls = atomic64_read(&buckets[i]);

		if (calls)
			n += sysfs_emit_at(buffer, n, "%llu %lld\n", 1ULL << i, calls);
	}
	return n;
}

static const struct kernel_param_ops histogram_ops = { .get = histogram_get };

module_param_cb(histogram, &histogram_ops, NULL, 0444);
MODULE_PARM_DESC(histogram, "nanoseconds and calls");

static int __init latency_init(void)
{
	probe.u.path = path;
	return register_uretprobe(&probe);
}

static void __exit latency_exit(void)
{
	struct uprobe_counts counts;

	unregister_uretprobe(&probe);
	counts = uprobe_counts(&probe.u);
	pr_info("%llu calls, %llu that could not be followed\n", counts.hits, counts.missed);
}

module_init(latency_init);
module_exit(latency_exit);

MODULE_DESCRIPTION("A histogram of how long calls of a function take");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
