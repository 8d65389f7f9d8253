// SPDX-License-Identifier: GPL-2.0
/*
 * A client that times the calls of a function:
 *
 *	insmod uprobe_times.ko path=FILE offset=N ends=N,... belows=N,...
 *
 * The ends are return instructions, or instructions in front of these, where the stack pointer is
 * so many bytes below that at the entry.
 *
 * Parameters: "registered" can be written; "times" has the number of calls of the handler at the
 * entry, of the handlers at return instructions for calls that the module knew, and for others; the
 * number of times, their sum, the least and the largest; and how many calls were left.  "traps" has
 * the reasons why hits of the probes trap.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <uprobes/uprobes.h>

#define ENDS	16

static char *path;
module_param(path, charp, 0400);

static ulong offset;
module_param(offset, ulong, 0400);

static ulong ends[ENDS];
static int nr_ends;
module_param_array(ends, ulong, &nr_ends, 0400);

static int belows[ENDS];
static int nr_belows;
module_param_array(belows, int, &nr_belows, 0400);

static atomic64_t begun, known, unknown;

static struct uprobe_timer timer;

static void on_begin(struct uprobe *u, struct pt_regs *regs)
{
	atomic64_inc(&begun);
}

static void on_end(struct uprobe *u, struct pt_regs *regs)
{
	u64 took;

	if (uprobe_call_time(&took)) {
		uprobe_time_add(&timer, took);
		atomic64_inc(&known);
	} else {
		atomic64_inc(&unknown);
	}
}

/* The last one is at the entry. */
static struct uprobe probes[ENDS + 1];
static struct uprobe *all[ENDS + 1];

static int registered_set(const char *text, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(text, &on);

	if (ret)
		return ret;
	if (on)
		return register_uprobes(all, nr_ends + 1);
	unregister_uprobes(all, nr_ends + 1);
	return 0;
}

static const struct kernel_param_ops registered_ops = { .set = registered_set };

module_param_cb(registered, &registered_ops, NULL, 0200);

static int times_get(char *buf, const struct kernel_param *kp)
{
	struct uprobe_values *values = kmalloc(sizeof(*values), GFP_KERNEL);
	u64 left, n = 0;
	int i, len;

	if (!values)
		return -ENOMEM;
	left = uprobe_times(&timer, all, nr_ends, values);
	for (i = 0; i < UPROBE_BUCKETS; i++)
		n += values->buckets[i];
	len = scnprintf(buf, PAGE_SIZE, "%llu %llu %llu %llu %llu %llu %llu %llu\n",
			(u64)atomic64_read(&begun), (u64)atomic64_read(&known),
			(u64)atomic64_read(&unknown), n, values->sum, values->least,
			values->largest, left);
	kfree(values);
	return len;
}

static const struct kernel_param_ops times_ops = { .get = times_get };

module_param_cb(times, &times_ops, NULL, 0400);

static int traps_get(char *buf, const struct kernel_param *kp)
{
	struct uprobe_place place;
	int i, len = 0;

	for (i = 0; i <= nr_ends; i++) {
		if (uprobe_places(all[i], &place, 1) && place.trap)
			len += scnprintf(buf + len, PAGE_SIZE - len, "%llx: %s\n",
					 probes[i].offset, place.trap);
	}
	return len;
}

static const struct kernel_param_ops traps_ops = { .get = traps_get };

module_param_cb(traps, &traps_ops, NULL, 0400);

static int __init times_init(void)
{
	int i;

	for (i = 0; i <= nr_ends; i++) {
		probes[i] = (struct uprobe) {
			.handler = i < nr_ends ? on_end : on_begin,
			.ring_handler = i < nr_ends ? on_end : on_begin,
			.ring_reads = UPROBE_READS(sp),
			.timer = &timer,
			.timer_below = i < nr_ends ? belows[i] : 0,
			.flags = UPROBE_ATOMIC,
			.path = path,
			.offset = i < nr_ends ? ends[i] : offset,
		};
		all[i] = &probes[i];
	}
	timer.entry = &probes[nr_ends];
	return register_uprobes(all, nr_ends + 1);
}

static void __exit times_exit(void)
{
	unregister_uprobes(all, nr_ends + 1);
}

module_init(times_init);
module_exit(times_exit);
MODULE_DESCRIPTION("Time the calls of a function, for tests");
MODULE_LICENSE("GPL");
