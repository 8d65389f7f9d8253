// SPDX-License-Identifier: GPL-2.0
/*
 * Return addresses on the stacks of tasks: which are still the trampoline's,
 * what they stand for, and how they are put back.
 */
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "image.h"
#include "instance.h"
#include "retprobe.h"
#include "roaming.h"
#include "stack.h"
#include "stray.h"
#include "task.h"

/* The calls of the current task's process, when they are kept in one place; or NULL. */
static struct roaming *roaming_own(void)
{
	struct roaming *roaming = NULL;
	struct image *image;

	rcu_read_lock();
	image = image_lookup(current->mm);
	if (image)
		roaming = READ_ONCE(image->roaming);
	rcu_read_unlock();
	return roaming;
}

/*
 * A walk through the instances of the current task, with preemption off.  Where
 * that must be on for a while, roaming_begin() may take them away.
 *
 * @was: utask::calls_moved when the walk began
 *
 * Return: false when there is no more to see here.
 */
static bool walk_pause(const struct utask *utask, unsigned int was)
{
	preempt_enable();
	cond_resched();
	preempt_disable();
	return READ_ONCE(utask->calls_moved) == was;
}

/*
 * Gets the page that an instance of such a walk is about, for writing where that is to
 * be.  Nothing is stored: the program may have something else there by now, which is
 * what fault_in_writeable() would write a byte of.
 *
 * @there: whether another look is worth while; that one can fail as well, as another
 * thread's fork takes pages away again.
 *
 * Return: as walk_pause().
 */
static bool walk_touch(const struct utask *utask, const struct uret_instance *inst,
		       unsigned int was, bool writes, bool *there)
{
	char __user *at = (char __user *)inst->ri.sp;
	unsigned int size = inst->word;

	preempt_enable();
	*there = !fatal_signal_pending(current) &&
		 !(writes ? fault_in_safe_writeable(at, size) : fault_in_readable(at, size));
	preempt_disable();
	return READ_ONCE(utask->calls_moved) == was;
}

/*
 * Drops the instances whose place on the stack holds something else by now:
 * the call was left by longjmp() or the like; or where there is no stack any more,
 * as a page that cannot even be faulted in says.
 *
 * Context: may sleep; the current task, as the stack is its own.
 */
void instances_prune(struct utask *utask)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned int i, moved;
	unsigned long word;
	bool known, there;

	preempt_disable();
	moved = READ_ONCE(utask->calls_moved);
	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry_safe(inst, next, &utask->instances[i], in_task) {
			there = true;
			do {
				known = stack_read(&word, inst->ri.sp, inst->word, false);
				if (!known && !walk_touch(utask, inst, moved, false, &there))
					goto out;
			} while (!known && there);
			/* Nobody but the task itself changes the list otherwise. */
			next = inst->in_task.next;
			if (known && word == inst->trampoline)
				continue;
			instance_unlink(utask, inst);
			instance_spare(utask, inst);
		}
		if (!walk_pause(utask, moved))
			goto out;
	}
out:
	preempt_enable();
	utask->prune_at = retprobe_prune_at(utask->nr_instances, RETPROBE_TASK_MAX);
	utask->prune_after = retprobe_prune_after(utask->nr_instances, RETPROBE_TASK_MAX);
}

/* Whether stale instances are to be looked for, which takes task context.  Context: any. */
bool retprobe_crowded(const struct utask *utask, const struct image *image)
{
	const struct roaming *roaming = READ_ONCE(image->roaming);

	return utask_crowded(utask) || (roaming && roaming_crowded(roaming));
}

/* The word at @sp becomes @to if it is @from; @was is what it was.  False without a page. */
static bool word_swap(unsigned long sp, unsigned long from, unsigned long to,
		      unsigned int size, unsigned long *was)
{
	u64 __user *at64 = (u64 __user *)sp;
	u32 __user *at32 = (u32 __user *)sp;
	u64 old64 = from;
	u32 old32 = from;

	if (!user_access_begin(at64, size))
		return false;
	if (size == sizeof(u64)) {
		unsafe_try_cmpxchg_user(at64, &old64, (u64)to, fault);
		*was = old64;
	} else {
		unsafe_try_cmpxchg_user(at32, &old32, (u32)to, fault);
		*was = old32;
	}
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

/**
 * stack_put_back() - put the return address of a call back, if the trampoline's is there
 * @inst: the call, of the current task's address space
 * @was: what was there
 *
 * Another thread may own the stack, so the exchange is atomic; the place is aligned.
 *
 * Context: any.
 * Return: false where the page is not there, or is shared with a forked process.
 */
bool stack_put_back(const struct uret_instance *inst, unsigned long *was)
{
	bool there;

	pagefault_disable();
	there = word_swap(inst->ri.sp, inst->trampoline, inst->ri.ret_addr, inst->word, was);
	pagefault_enable();
	return there;
}

/* How far a walk through the task's own calls has come. */
enum walked { WALKED_ALL, WALKED_TO_ABSENT, WALKED_UNTIL_MOVED };

static enum walked put_back_walk(struct utask *utask, bool may_sleep)
{
	enum walked walked = WALKED_UNTIL_MOVED;
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned int i, moved, tries;
	bool known, there;
	unsigned long word;

	preempt_disable();
	moved = READ_ONCE(utask->calls_moved);
	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry_safe(inst, next, &utask->instances[i], in_task) {
			there = may_sleep;
			tries = 0;
			do {
				known = stack_put_back(inst, &word);
				if (!known && there &&
				    !walk_touch(utask, inst, moved, true, &there))
					goto out;
			} while (!known && there && ++tries < PUT_BACK_TRIES);
			if (!known && !may_sleep) {
				walked = WALKED_TO_ABSENT;
				goto out;
			}
			next = inst->in_task.next;
			/* Otherwise the call was left long ago.  Several may share the place. */
			if (known && READ_ONCE(inst->consumer->live) &&
			    (word == inst->trampoline || word == inst->ri.ret_addr))
				consumer_missed(inst->consumer);
			instance_unlink(utask, inst);
			instance_spare(utask, inst);
		}
		if (may_sleep && !walk_pause(utask, moved))
			goto out;
	}
	walked = WALKED_ALL;
out:
	preempt_enable();
	return walked;
}

/* For what is the task's own; false when it takes a context that can sleep. */
static bool put_back_own(struct utask *utask, bool may_sleep)
{
	enum walked walked;

	/* What has become the task's own since then is here. */
	do
		walked = put_back_walk(utask, may_sleep);
	while (walked == WALKED_UNTIL_MOVED);
	return walked == WALKED_ALL;
}

/**
 * retprobe_put_back() - put the return addresses of a task's calls back
 * @may_sleep: whether the caller can
 *
 * The current task is going to read its stack.  The calls are followed no more,
 * and count as missed.
 *
 * Context: as @may_sleep says; the trap otherwise.
 * Return: false when it takes a context that can sleep; the rest is to be done
 * there.
 */
bool retprobe_put_back(bool may_sleep)
{
	struct utask *utask = utask_find(current);
	struct roaming *roaming;

	/* Too many for a trap. */
	if (!may_sleep && utask && utask->nr_instances > PUT_BACK_MANY)
		return false;
	if (utask && !put_back_own(utask, may_sleep))
		return false;
	if (!stray_look(may_sleep))
		return false;
	/* It may have become so just now. */
	roaming = roaming_own();
	return !roaming || roaming_put_back(roaming, may_sleep);
}

/**
 * retprobe_forget() - the task has another address space now
 * @utask: its state
 *
 * Context: the task itself; any.
 */
void retprobe_forget(struct utask *utask)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned int i;

	preempt_disable();
	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry_safe(inst, next, &utask->instances[i], in_task) {
			instance_unlink(utask, inst);
			instance_spare(utask, inst);
		}
	}
	preempt_enable();
}

/**
 * retprobe_real() - where a call returns to
 * @utask: state of the current task or of one that does not run; or NULL
 * @image: its address space
 * @sp: where the return address lies
 * @ret_addr: the real one
 *
 * Context: any.
 * Return: false where no call is known.
 */
bool retprobe_real(struct utask *utask, const struct image *image, unsigned long sp,
		   unsigned long *ret_addr)
{
	struct uret_instance *inst;
	struct roaming *roaming;

	/* It is in either of two places. */
	preempt_disable();
	inst = utask ? instance_at(utask, sp) : NULL;
	if (inst)
		*ret_addr = inst->ri.ret_addr;
	roaming = inst ? NULL : READ_ONCE(image->roaming);
	preempt_enable();
	return inst || (roaming && roaming_real(roaming, sp, ret_addr));
}

/**
 * retprobe_real_pc() - the program's address for one of this module's
 * @task: the current task, or one that does not run
 * @pc: an address
 * @sp: where on the stack it was found, or the stack pointer with @pc in the ip
 *
 * Context: any.
 * Return: the return address or the address of the instruction that @pc stands
 * for; @pc when it is neither the trampoline nor in a slot.
 */
unsigned long retprobe_real_pc(struct task_struct *task, unsigned long pc, unsigned long sp)
{
	struct utask *utask = utask_find(task);
	struct image *image;
	struct site *site;

	if (!task->mm)
		return pc;
	rcu_read_lock();
	image = image_lookup(task->mm);
	if (image && pc == READ_ONCE(image->trampoline)) {
		if (!retprobe_real(utask, image, sp, &pc) &&
		    !retprobe_real(utask, image, sp - sizeof(long), &pc))
			retprobe_real(utask, image, sp - sizeof(u32), &pc);
	} else if (image) {
		site = site_of_slot(image, pc);
		if (site)
			pc = site_original_ip(site, pc);
	}
	rcu_read_unlock();
	return pc;
}

/* Whether @pc is what the stack holds for the call @ri.  Context: any. */
bool retprobe_is_trampoline(const struct uretprobe_instance *ri, unsigned long pc)
{
	return container_of(ri, struct uret_instance, ri)->trampoline == pc;
}
