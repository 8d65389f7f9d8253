// SPDX-License-Identifier: GPL-2.0
/*
 * Return addresses on the stacks of tasks: which are still the trampoline's,
 * what they stand for, and how they are put back.
 */
#include "image.h"
#include "instance.h"
#include "retprobe.h"
#include "roaming.h"
#include "stack.h"
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
 * Return: false when there is no more to see here.
 */
static bool walk_pause(const struct roaming *was)
{
	preempt_enable();
	cond_resched();
	preempt_disable();
	return roaming_own() == was;
}

/*
 * Drops the instances whose place on the stack holds something else by now:
 * the call was left by longjmp() or the like; or where there is no stack any more,
 * as a page that cannot even be faulted in says.
 *
 * Context: may sleep; the current task, as the stack is its own.
 */
void instances_prune(struct utask *utask, const struct roaming *roaming)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned long word;
	unsigned int i;
	bool known;

	preempt_disable();
	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry_safe(inst, next, &utask->instances[i], in_task) {
			known = stack_read(&word, inst->ri.sp, inst->word, false);
			if (!known) {
				preempt_enable();
				known = stack_read(&word, inst->ri.sp, inst->word, true);
				preempt_disable();
				if (roaming_own() != roaming)
					goto out;
				/* Nobody but the task itself changes the list otherwise. */
				next = inst->in_task.next;
			}
			if (known && word == inst->trampoline)
				continue;
			instance_unlink(utask, inst);
			instance_spare(utask, inst);
		}
		if (!walk_pause(roaming))
			goto out;
	}
out:
	preempt_enable();
	utask->prune_at = max_t(unsigned int, RETPROBE_PRUNE_MIN, 2 * utask->nr_instances);
}

/* Whether stale instances are to be looked for, which takes task context.  Context: any. */
bool retprobe_crowded(const struct utask *utask, const struct image *image)
{
	const struct roaming *roaming = READ_ONCE(image->roaming);

	return utask_crowded(utask) || (roaming && roaming_crowded(roaming));
}

/* Puts the return address of an instance back; @word is what was in its place. */
static bool word_put_back(const struct uret_instance *inst, unsigned long *word, bool may_sleep)
{
	/* Several calls may share a place on the stack. */
	return stack_read(word, inst->ri.sp, inst->word, may_sleep) &&
	       (*word != inst->trampoline ||
		stack_write(inst->ri.sp, inst->ri.ret_addr, inst->word, may_sleep));
}

/* For what is the task's own; false when it takes a context that can sleep. */
static bool put_back_own(struct utask *utask, const struct roaming *roaming, bool may_sleep)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	bool known, done = true;
	unsigned long word;
	unsigned int i;

	preempt_disable();
	for (i = 0; done && i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry_safe(inst, next, &utask->instances[i], in_task) {
			known = word_put_back(inst, &word, false);
			if (!known && !may_sleep) {
				done = false;
				break;
			}
			if (!known) {
				preempt_enable();
				known = word_put_back(inst, &word, true);
				preempt_disable();
				/* All of them are kept elsewhere since. */
				if (roaming_own() != roaming)
					goto out;
				next = inst->in_task.next;
			}
			/* Otherwise the call was left long ago. */
			if (READ_ONCE(inst->consumer->live) &&
			    (word == inst->trampoline || word == inst->ri.ret_addr))
				consumer_missed(inst->consumer);
			instance_unlink(utask, inst);
			instance_spare(utask, inst);
		}
	}
out:
	preempt_enable();
	return done;
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
	struct roaming *roaming = roaming_own();

	if (utask && !put_back_own(utask, roaming, may_sleep))
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
	struct uret_instance *inst = NULL;
	struct image *image;
	struct site *site;

	if (!task->mm)
		return pc;
	rcu_read_lock();
	image = image_lookup(task->mm);
	if (image && pc == READ_ONCE(image->trampoline)) {
		if (utask)
			inst = instance_at(utask, sp) ?: instance_at(utask, sp - sizeof(long)) ?:
				instance_at(utask, sp - sizeof(u32));
		if (inst)
			pc = inst->ri.ret_addr;
		else if (READ_ONCE(image->roaming) &&
			 !roaming_real(image->roaming, sp, &pc) &&
			 !roaming_real(image->roaming, sp - sizeof(long), &pc))
			roaming_real(image->roaming, sp - sizeof(u32), &pc);
	} else if (image) {
		site = site_of_slot(image, pc);
		if (site)
			pc = ssol_original_ip(&site->plan, site->key.addr, site->slot,
					      pc);
	}
	rcu_read_unlock();
	return pc;
}

/* Whether @pc is what the stack holds for the call @ri.  Context: any. */
bool retprobe_is_trampoline(const struct uretprobe_instance *ri, unsigned long pc)
{
	return container_of(ri, struct uret_instance, ri)->trampoline == pc;
}
