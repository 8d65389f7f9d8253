// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes: a task enters a function.
 */
#include <linux/mm.h>
#include <linux/percpu-refcount.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uretprobe.h"
#include "arch.h"
#include "calls.h"
#include "calls_walk.h"
#include "return_word.h"
#include "user_stack.h"
#include "core/calls_types.h"
#include "core/consumer.h"
#include "core/filter.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/task.h"
#include "core/task_handler.h"

/**
 * uretprobe_missed() - count a call that cannot be followed as missed
 * @set: consumers of the function's first instruction
 * @regs: user registers
 *
 * Context: any; the caller keeps @set.
 */
void uretprobe_missed(const struct consumer_set *set, const struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (set->consumers[i]->type == CONSUMER_RETURN &&
		    consumer_wants(set->consumers[i], regs))
			consumer_missed(set->consumers[i]);
	}
}

/* Take a spare instance from the bucket of @sp.  If there is none, and it may sleep, allocate. */
static struct uret_instance *instance_get(struct calls *calls, unsigned long sp,
					  size_t data_size, bool may_sleep)
{
	struct uret_instance *inst;
	struct call_bucket *bucket;
	unsigned long flags;

	local_irq_save(flags);
	bucket = calls_lock(calls, sp);
	inst = instance_take(bucket, data_size);
	calls_unlock(bucket);
	local_irq_restore(flags);
	if (!inst && may_sleep)
		inst = calls_alloc(calls, data_size);
	return inst;
}

/*
 * Get an instance for each return consumer that wants the call, the newest last.  Return false
 * without memory.
 */
static bool instances_get(struct calls *calls, const struct consumer_set *set,
			  const struct pt_regs *regs, struct uret_instance **fresh, bool may_sleep)
{
	unsigned long sp = regs->sp;
	struct uret_instance **tail = fresh, *inst;
	unsigned int i;

	*fresh = NULL;
	for (i = 0; i < set->nr; i++) {
		struct consumer *c = set->consumers[i];

		if (c->type != CONSUMER_RETURN || !consumer_wants(c, regs) ||
		    !percpu_ref_tryget_live(&c->calls))
			continue;
		inst = instance_get(calls, sp, c->data_size, may_sleep);
		if (!inst) {
			percpu_ref_put(&c->calls);
			return false;
		}
		inst->consumer = c;
		inst->ri.sp = sp;
		inst->next = NULL;
		*tail = inst;
		tail = &inst->next;
	}
	return true;
}

/*
 * Ask the entry handler, if there is one, whether to follow the call.  If the handler cannot be
 * called any more, do not follow the call: the probe may be enabled again before the call returns.
 */
static bool instance_wanted(struct uret_instance *inst, struct pt_regs *regs)
{
	struct consumer *c = inst->consumer;
	unsigned long flags;
	bool wanted = true;

	if (c->atomic) {
		/* Atomic handlers run as in the trap.  This may be the trap or task context. */
		local_irq_save(flags);
		wanted = READ_ONCE(c->run.live) && (!inst->ri.rp->entry_handler ||
						    !inst->ri.rp->entry_handler(&inst->ri, regs));
		task_handler_asked();
		local_irq_restore(flags);
	} else if (c->in_task) {
		wanted = consumer_active_get(c);
		if (wanted) {
			wanted = !inst->ri.rp->entry_handler(&inst->ri, regs);
			consumer_active_put(c);
		}
	}
	return wanted;
}

/* Fill in the fields that all instances of a call have in common. */
static __always_inline void instance_fill(struct uret_instance *inst, const struct site *site,
					  unsigned long trampoline, unsigned long real,
					  unsigned int word)
{
	inst->trampoline = trampoline;
	inst->owner = current->pid;
	inst->word = word;
	inst->asked = false;
	inst->shared = false;
	inst->restored = false;
	inst->ri.rp = container_of(inst->consumer->u, struct uretprobe, u);
	inst->ri.ret_addr = real;
	inst->ri.func = site->key.addr;
}

/* Fill in the instances of a call, and drop those of consumers that do not follow it. */
static void instances_fill(struct uret_instance **fresh, struct uret_instance **dropped,
			   const struct site *site, unsigned long trampoline, unsigned long real,
			   struct pt_regs *regs, bool shared)
{
	struct uret_instance **link = fresh, *inst;

	while ((inst = *link)) {
		instance_fill(inst, site, trampoline, real, arch_word_size(regs));
		inst->shared = shared;
		memset(inst->ri.data, 0, inst->consumer->data_size);
		if (instance_wanted(inst, regs)) {
			link = &inst->next;
			continue;
		}
		*link = inst->next;
		inst->next = *dropped;
		*dropped = inst;
	}
}

static enum word_kind word_look(struct probed_mm *pmm, unsigned long word,
				const struct pt_regs *regs, bool may_sleep)
{
	if (return_word_known(&pmm->uret.words, word))
		return WORD_RETURN;
	if (!may_sleep)
		return return_word_look(pmm, word);
	return return_word_is(pmm, word, regs) ? WORD_RETURN : WORD_DATA;
}

/* The word at the stack pointer when a function is entered, and what is known of it. */
struct entry_word {
	unsigned long sp;
	unsigned long trampoline;
	unsigned long real;
	unsigned int size;
	bool chained;
};

/*
 * Find out what the word is.  A word is chained if it holds the trampoline's address already: a
 * return-probed function has jumped to this one.  The call of that function has the real return
 * address.
 */
static enum word_kind entry_word_look(struct entry_word *word, struct probed_mm *pmm,
				      const struct pt_regs *regs, bool may_sleep)
{
	if (!stack_read(&word->real, word->sp, word->size, may_sleep))
		return WORD_UNCLEAR;
	word->chained = word->real == word->trampoline;
	if (!word->chained)
		return word_look(pmm, word->real, regs, may_sleep);
	return calls_real(&pmm->uret.calls, word->sp, &word->real) ? WORD_RETURN : WORD_DATA;
}

/*
 * Insert the instances of a call into the table.  Instances that are not needed become spare ones.
 * Return false if the call cannot be followed.
 */
static bool instances_link(struct calls *calls, struct uret_instance *fresh,
			   const struct entry_word *word, const struct site *site,
			   struct pt_regs *regs, bool shared, bool may_sleep)
{
	struct uret_instance *rest = NULL, **end;
	int linked = 0;

	instances_fill(&fresh, &rest, site, word->trampoline, word->real, regs, shared);
	if (fresh)
		linked = calls_link(calls, &fresh, word->sp, word->chained);
	for (end = &rest; *end; end = &(*end)->next)
		;
	*end = fresh;
	/*
	 * If nothing is linked, restore the word.  If that fails (a fork shares the page by now),
	 * keep one instance that knows the return address.
	 */
	if (linked <= 0 && !word->chained &&
	    !stack_write(word->sp, word->real, word->size, may_sleep)) {
		fresh = rest;
		rest = rest->next;
		calls_link_restored(calls, fresh);
	}
	instances_recycle(calls, rest);
	return linked >= 0;
}

/* Insert a call into the table.  Return false, with nothing done, if that takes task context. */
static bool call_prepare(struct utask *utask, const struct site *site,
			 const struct consumer_set *set, struct pt_regs *regs, bool may_sleep)
{
	struct entry_word word = {
		.sp = regs->sp,
		.trampoline = READ_ONCE(site->pmm->uret.trampoline),
		.size = arch_word_size(regs),
	};
	struct calls *calls = &site->pmm->uret.calls;
	struct uret_instance *fresh = NULL;
	enum word_kind kind;

	if (!uretprobe_can_follow(regs))
		goto missed;
	if (!unwinder_known(site->pmm) && !may_sleep)
		return false;
	if (may_sleep)
		calls_make_room(calls, set->nr_return);
	kind = entry_word_look(&word, site->pmm, regs, may_sleep);
	if (kind == WORD_UNCLEAR)
		goto again;
	if (kind == WORD_DATA)
		goto missed;

	/* Drop a stale call first: after the exchange, its key would look valid. */
	if (!word.chained)
		calls_drop(calls, word.sp);
	if (!instances_get(calls, set, regs, &fresh, may_sleep) ||
	    (!word.chained && fresh &&
	     !stack_write(word.sp, word.trampoline, word.size, may_sleep))) {
		instances_recycle(calls, fresh);
		goto again;
	}
	if (!fresh || instances_link(calls, fresh, &word, site, regs,
				     regs == &utask->hit.shared_regs, may_sleep))
		return true;
	goto missed;

again:
	if (!may_sleep)
		return false;
missed:
	uretprobe_missed(set, regs);
	return true;
}

/*
 * Exchange the return address for the trampoline's address.  If the page is absent or cannot be
 * written, or the word is not a known return address, do nothing and return false.
 */
static __always_inline bool word_exchange(const struct return_words *words, unsigned long addr,
					  unsigned long to, unsigned long *from)
{
	unsigned long __user *word = (unsigned long __user *)addr;
	unsigned long old;

	if (unlikely(!user_access_begin(word, sizeof(*word))))
		return false;
	unsafe_get_user(old, word, fault);
	/* The trampoline's address is not a known one: see entry_word_look(). */
	if (unlikely(!return_word_known(words, old)))
		goto fault;
	unsafe_put_user(to, word, fault);
	user_access_end();
	*from = old;
	return true;
fault:
	user_access_end();
	return false;
}

/**
 * uretprobe_enter() - insert a call into the table of calls, on the fast path
 * @site: the function's first instruction, in 64-bit code
 * @c: its only consumer, which has neither an entry handler nor data
 * @regs: user registers, ip still behind the breakpoint
 *
 * On the fast path, the bucket has a spare instance, there is no call at the same stack address,
 * and the word is a known return address.
 *
 * Context: the trap.
 * Return: true if the hit has been handled; false, with nothing done, if one of these fails.
 */
bool uretprobe_enter(const struct site *site, struct consumer *c, struct pt_regs *regs)
{
	struct probed_mm *pmm = site->pmm;
	unsigned long trampoline = READ_ONCE(pmm->uret.trampoline);
	struct calls *calls = &pmm->uret.calls;
	unsigned long sp = regs->sp, real;
	struct uret_instance *inst, *other;
	struct call_bucket *bucket;
	unsigned int n = 0;
	bool exchanged;

	if (unlikely(arch_stepped(regs->flags) || !IS_ALIGNED(sp, sizeof(long)) ||
		     arch_stack_fixed() || !unwinder_known(pmm)))
		return false;
	bucket = calls_lock(calls, sp);
	inst = bucket->spare;
	if (unlikely(!inst))
		goto unusual;
	for (other = bucket->live; unlikely(other); other = other->next) {
		if (other->ri.sp == sp || ++n == CALLS_BUCKET_MAX)
			goto unusual;
	}
	if (unlikely(!percpu_ref_tryget_live_rcu(&c->calls)))
		goto unusual;
	pagefault_disable();
	exchanged = word_exchange(&pmm->uret.words, sp, trampoline, &real);
	pagefault_enable();
	if (unlikely(!exchanged)) {
		calls_unlock(bucket);
		consumer_call_put(c);
		return false;
	}
	bucket->spare = inst->next;
	inst->next = bucket->live;
	inst->consumer = c;
	inst->ri.sp = sp;
	instance_fill(inst, site, trampoline, real, sizeof(long));
	bucket->live = inst;
	calls_enter(calls);
	calls_unlock(bucket);
	regs->ip = site->resume;
	return true;

unusual:
	calls_unlock(bucket);
	return false;
}

/**
 * uretprobe_learn() - examine the return address, if it is not known yet
 * @site: as for uretprobe_enter(), which has returned false
 * @regs: user registers
 *
 * Context: the trap.
 * Return: true if it is known now, and was not before.
 */
bool uretprobe_learn(const struct site *site, const struct pt_regs *regs)
{
	unsigned long word;

	return stack_read(&word, regs->sp, sizeof(word), false) &&
	       word != READ_ONCE(site->pmm->uret.trampoline) &&
	       !return_word_known(&site->pmm->uret.words, word) &&
	       return_word_look(site->pmm, word) == WORD_RETURN;
}

/**
 * uretprobe_prepare() - insert the call that is being entered into the table of calls
 * @utask: utask of the current task
 * @site: the function's first instruction
 * @set: consumers of @site
 * @regs: user registers; sp is the address of the return address
 *
 * Context: the trap.
 * Return: false, with nothing done, if a context that can sleep is needed.
 */
bool uretprobe_prepare(struct utask *utask, const struct site *site,
		       const struct consumer_set *set, struct pt_regs *regs)
{
	return call_prepare(utask, site, set, regs, false);
}

/**
 * uretprobe_prepare_sleepable() - do the same as uretprobe_prepare() in task context
 * @utask: utask of the current task
 * @site: the function's first instruction
 * @set: consumers of @site; the caller holds a reference
 * @regs: user registers
 *
 * A call that cannot be followed even here counts as missed.  The caller has looked for the
 * program's unwinders.
 *
 * Context: may sleep.
 */
void uretprobe_prepare_sleepable(struct utask *utask, const struct site *site,
				 const struct consumer_set *set, struct pt_regs *regs)
{
	call_prepare(utask, site, set, regs, true);
}
