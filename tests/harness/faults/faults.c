// SPDX-License-Identifier: GPL-2.0
/* Commit one of the faults that a debug kernel must find; the parameter "fault" selects it. */
#include <linux/completion.h>
#include <linux/debugobjects.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *fault = "none";
module_param(fault, charp, 0444);

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(two);
static DEFINE_SPINLOCK(sleeps_on_rt);
static DEFINE_RAW_SPINLOCK(raw);

/* Volatile, so that the compiler neither drops the accesses nor warns about them. */
static void *volatile held;

static void leak(void)
{
	held = kmalloc(100, GFP_KERNEL);
	held = NULL;
}

static void use_after_free(void)
{
	held = kzalloc(100, GFP_KERNEL);
	kfree(held);
	*(volatile int *)held = 1;
}

static void sleep_in_atomic(void)
{
	rcu_read_lock();
	preempt_disable();
	msleep(20);
	preempt_enable();
	rcu_read_unlock();
}

static void lock_order(void)
{
	mutex_lock(&one);
	mutex_lock(&two);
	mutex_unlock(&two);
	mutex_unlock(&one);
	mutex_lock(&two);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&two);
}

static void lock_nesting(void)
{
	raw_spin_lock(&raw);
	spin_lock(&sleeps_on_rt);
	spin_unlock(&sleeps_on_rt);
	raw_spin_unlock(&raw);
}

static void rcu_without_lock(void)
{
	static void __rcu *pointer;

	held = rcu_dereference(pointer);
}

static void list_twice(void)
{
	static LIST_HEAD(list);
	static struct list_head entry;

	list_add(&entry, &list);
	list_add(&entry, &list);
}

static void timer_done(struct timer_list *timer)
{
}

static void free_active(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	timer_setup(timer, timer_done, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void warn(void)
{
	WARN(1, "a fault of this module");
}

/* Wait for ever: the kernel panics when it finds the hung task. */
static void hang(void)
{
	DECLARE_COMPLETION_ONSTACK(never);

	wait_for_completion(&never);
}

/* Spin for less time than RCU's stall timeout, so that the soft lockup is found first. */
static void spin(void)
{
	unsigned long end = jiffies + 90 * HZ;

	preempt_disable();
	while (time_before(jiffies, end))
		cpu_relax();
	preempt_enable();
}

static void pin(void)
{
	__module_get(THIS_MODULE);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "leak", leak },
	{ "use_after_free", use_after_free },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "lock_order", lock_order },
	{ "lock_nesting", lock_nesting },
	{ "rcu_without_lock", rcu_without_lock },
	{ "list_twice", list_twice },
	{ "free_active", free_active },
	{ "warn", warn },
	{ "hang", hang },
	{ "spin", spin },
	{ "pin", pin },
};

static int __init faults_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(fault, faults[i].name))
			faults[i].commit();
	return 0;
}

static void __exit faults_exit(void)
{
}

module_init(faults_init);
module_exit(faults_exit);

MODULE_DESCRIPTION("Faults for a debug kernel to find");
MODULE_LICENSE("GPL");
