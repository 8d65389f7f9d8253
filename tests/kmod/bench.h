/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common part of the two clients of the benchmark, that of uprobes.ko and that of the kernel's
 * uprobes.  Both have the same parameters:
 *
 *	echo "entry-atomic /tmp/hits 0 0x1040 16 1" >/sys/module/bench_ours/parameters/attach
 *	cat /sys/module/bench_ours/parameters/took
 *	echo 1 >/sys/module/bench_ours/parameters/again
 *	echo 0 >/sys/module/bench_ours/parameters/again
 *	echo >/sys/module/bench_ours/parameters/detach
 *
 * "attach" takes the kind of the probes, a path, a process (0 for all processes that map the file),
 * the place of the first probe (its offset in the file, or its address in the process), the
 * distance between two probes, and their number.  "again" registers one more probe at the place of
 * the first one, or unregisters it.  "took" is the time that the last attaching or detaching took,
 * in nanoseconds.  It does not include allocating the client's own descriptions of the probes;
 * "lists" is their size in bytes.
 */
#ifndef _UPROBES_TESTS_BENCH_H
#define _UPROBES_TESTS_BENCH_H

#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>

/**
 * struct bench_job - the probes to attach
 * @kind: entry-atomic, entry-sleepable or return-atomic; of ours also count and filter
 * @path: the file
 * @pid: the process, or 0
 * @start: offset or address of the first probe
 * @stride: distance between two probes in bytes
 * @count: number of probes
 */
struct bench_job {
	char kind[24];
	char path[104];
	int pid;
	long start;
	long stride;
	unsigned int count;
};

/* Each client defines these.  They set @took to the time of registering or unregistering. */
static int bench_attach(const struct bench_job *job, u64 *took);
static void bench_detach(u64 *took);
static int bench_attach_again(u64 *took);
static void bench_detach_again(u64 *took);

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

/* Whether the one more probe is registered. */
static bool bench_twice;

static int bench_again_set(const char *line, const struct kernel_param *kp)
{
	int ret = -EBUSY;

	mutex_lock(&bench_mutex);
	if (bench_twice && *line == '0') {
		bench_detach_again(&bench_took);
		bench_twice = false;
		ret = 0;
	} else if (!bench_twice && *line == '1') {
		ret = bench_attach_again(&bench_took);
		bench_twice = !ret;
	}
	mutex_unlock(&bench_mutex);
	return ret;
}

static const struct kernel_param_ops bench_again_ops = { .set = bench_again_set };
static const struct kernel_param_ops bench_attach_ops = { .set = bench_attach_set };
static const struct kernel_param_ops bench_detach_ops = { .set = bench_detach_set };

module_param_cb(attach, &bench_attach_ops, NULL, 0200);
MODULE_PARM_DESC(attach, "put probes in place");
module_param_cb(detach, &bench_detach_ops, NULL, 0200);
MODULE_PARM_DESC(detach, "take them away");
module_param_cb(again, &bench_again_ops, NULL, 0200);
MODULE_PARM_DESC(again, "put one more probe at the first place (1), or take it away (0)");
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

	if (bench_twice)
		bench_detach_again(&took);
	bench_detach(&took);
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");

#endif /* _UPROBES_TESTS_BENCH_H */
