/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the two clients of the benchmark have in common, ours and the one of
 * the kernel's own uprobes: the same words for the same work.
 *
 *	echo "entry-atomic /tmp/hits 0 0x1040 16 1" >/sys/module/bench_ours/parameters/attach
 *	cat /sys/module/bench_ours/parameters/took
 *	echo >/sys/module/bench_ours/parameters/detach
 *
 * "attach" takes what is wanted, a path, a process (0 for all that map the
 * file), where the first probe is (its offset in the file, or its address in
 * the process), the distance between two, and how many there are.  "took" is
 * how long the last attaching or detaching took, in nanoseconds, memory for the
 * descriptions of the probes aside, which is "lists", in bytes.
 */
#ifndef _UPROBES_TESTS_BENCH_H
#define _UPROBES_TESTS_BENCH_H

#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>

/**
 * struct bench_job - probes to be put in place
 * @kind: entry-atomic, entry-sleepable or return-atomic
 * @path: the file
 * @pid: the process, or 0
 * @start: where the first one is
 * @stride: bytes from one to the next
 * @count: how many
 */
struct bench_job {
	char kind[24];
	char path[104];
	int pid;
	long start;
	long stride;
	unsigned int count;
};

/* The client's own; @took is set to how long the probing itself took. */
static int bench_attach(const struct bench_job *job, u64 *took);
static void bench_detach(u64 *took);

static DEFINE_MUTEX(bench_mutex);
static unsigned long long bench_took, bench_lists;

static int bench_attach_set(const char *line, const struct kernel_param *kp)
{
	struct bench_job job;
	int ret;

	if (sscanf(line, "%23s %103s %i %li %li %u", job.kind, job.path, &job.pid, &job.start,
		   &job.stride, &job.count) != 6 || !job.count)
		return -EINVAL;
	mutex_lock(&bench_mutex);
	ret = bench_attach(&job, &bench_took);
	mutex_unlock(&bench_mutex);
	return ret;
}

static int bench_detach_set(const char *line, const struct kernel_param *kp)
{
	mutex_lock(&bench_mutex);
	bench_detach(&bench_took);
	mutex_unlock(&bench_mutex);
	return 0;
}

static const struct kernel_param_ops bench_attach_ops = { .set = bench_attach_set };
static const struct kernel_param_ops bench_detach_ops = { .set = bench_detach_set };

module_param_cb(attach, &bench_attach_ops, NULL, 0200);
MODULE_PARM_DESC(attach, "put probes in place");
module_param_cb(detach, &bench_detach_ops, NULL, 0200);
MODULE_PARM_DESC(detach, "take them away");
module_param_named(took, bench_took, ullong, 0400);
MODULE_PARM_DESC(took, "how long that took, in ns");
module_param_named(lists, bench_lists, ullong, 0400);
MODULE_PARM_DESC(lists, "bytes of the descriptions of probes that are in place");

static int __init bench_init(void)
{
	return 0;
}

static void __exit bench_exit(void)
{
	u64 took;

	bench_detach(&took);
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");

#endif /* _UPROBES_TESTS_BENCH_H */
