// SPDX-License-Identifier: GPL-2.0
/*
 * Return addresses on the stacks of a process: what they stand for, and how they are put back
 * for a thread that is going to read its stack.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "unhijack.h"
#include "arch.h"
#include "calls.h"
#include "uretprobe.h"
#include "core/calls_types.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/slots.h"
#include "core/ssol_area.h"

/*
 * So often a place is looked at whose page is there each time that it is asked for. Others take
 * pages away, but not as often in a row; a shadow stack never takes the exchange.
 */
#define RESTORE_TRIES	100U

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

/*
 * Put the return address of a call of the current task's address space back, if the
 * trampoline's is there; @was becomes what was there.  Another thread may own the stack, so the
 * exchange is atomic; the place is aligned.  False if the page is absent, or shared with a
 * forked process.
 */
static bool stack_restore(const struct uret_instance *inst, unsigned long *was)
{
	bool there;

	pagefault_disable();
	there = word_swap(inst->ri.sp, inst->trampoline, inst->ri.ret_addr, inst->word, was);
	pagefault_enable();
	return there;
}

/*
 * The return address of a call has been put back: it is followed no more, and counts as missed
 * if it is @under_way.  The instance stays: a thread may have taken the trampoline's address off
 * its stack just before, and still arrive there.  Context: the bucket locked.
 */
static void set_restored(struct uret_instance *inst, bool under_way)
{
	if (under_way && READ_ONCE(inst->consumer->run.live))
		consumer_missed(inst->consumer);
	inst->restored = true;
	inst->restored_at = jiffies;
}

/**
 * struct unwound - the calls that a thread may be going to walk through
 * @start: the part of its stack that is in use
 * @end: first address behind that
 * @owner: the thread
 * @all: it may be those of other threads as well
 */
struct unwound {
	unsigned long start;
	unsigned long end;
	pid_t owner;
	bool all;
};

static bool is_unwound(const struct unwound *u, const struct uret_instance *inst)
{
	return !inst->restored && (u->all || inst->owner == u->owner ||
				   (inst->ri.sp >= u->start && inst->ri.sp < u->end));
}

/*
 * Put back what a bucket has of that, without sleeping.  Return: the place of a call whose page
 * is absent, or 0; that at @gone cannot be faulted in.  Context: the bucket locked.
 */
static unsigned long bucket_restored(struct call_bucket *bucket, const struct unwound *u,
				     unsigned long gone)
{
	struct uret_instance *inst;
	unsigned long absent = 0, was;

	for (inst = bucket->live; inst; inst = inst->next) {
		bool there;

		if (!is_unwound(u, inst))
			continue;
		there = stack_restore(inst, &was);
		if (!there && inst->ri.sp != gone)
			absent = inst->ri.sp;
		else	/* Otherwise the call was left long ago.  Several may share the place. */
			set_restored(inst, there && (was == inst->trampoline ||
						     was == inst->ri.ret_addr));
	}
	return absent;
}

/* Put back all calls in a trap; false where that takes a context that can sleep. */
static bool restore_in_trap(struct calls *calls)
{
	const struct unwound u = { .all = true };
	pid_t sole = READ_ONCE(calls->sole);
	struct call_bucket *bucket;
	unsigned long absent = 0;
	u64 pos = 0, step;

	if (sole == CALLS_NOBODY)
		return true;
	/* What is another thread's need not be put back; and there may be too many for a trap. */
	if (sole != current->pid || calls_buckets(calls) > 1UL << CALLS_MIN_BITS ||
	    atomic_read(&calls->nr) > 1 << CALLS_MIN_BITS)
		return false;
	do {
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			absent = bucket_restored(bucket, &u, 0);
			calls_unlock(bucket);
		}
		pos += step;
	} while (pos && !absent);
	return !absent;
}

/* Gets the page of a place; false if it cannot be had. */
static bool page_bring(unsigned long at)
{
	/* Without a store: another thread may use the place since. */
	return !fault_in_safe_writeable((char __user *)at, 1);
}

/* Go through all buckets.  Context: may sleep. */
static void restore_all(struct calls *calls, const struct unwound *u)
{
	unsigned long absent, gone = 0, last = 0;
	struct call_bucket *bucket;
	unsigned int tries = 0;
	u64 pos = 0, step;

	do {
		absent = 0;
		local_irq_disable();
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			absent = bucket_restored(bucket, u, gone);
			calls_unlock(bucket);
		}
		local_irq_enable();
		cond_resched();
		if (!absent) {
			pos += step;
			continue;
		}
		/* Other threads can take pages away again and again. */
		tries = absent == last ? tries + 1 : 1;
		last = absent;
		gone = tries == RESTORE_TRIES || !page_bring(absent) ? absent : 0;
	} while ((pos || absent) && !fatal_signal_pending(current));
}

/* The same for one call.  Context: may sleep. */
static void restored_at(struct calls *calls, unsigned long at)
{
	const struct unwound u = { .start = at, .end = at + 1 };
	struct call_bucket *bucket;
	unsigned long absent, gone = 0;
	unsigned int tries = 0;

	do {
		local_irq_disable();
		bucket = calls_lock(calls, at);
		absent = bucket_restored(bucket, &u, gone);
		calls_unlock(bucket);
		local_irq_enable();
		if (absent)
			gone = ++tries == RESTORE_TRIES || !page_bring(at) ? at : 0;
	} while (absent && !fatal_signal_pending(current));
}

/* So much of a stack is read at once, in bytes. */
#define PIECE	512

/*
 * Go by the words of the stack: those of calls hold the trampoline's address.  The address space
 * may have had several trampolines, each in an area.  Context: may sleep.
 */
static void restore_words(struct probed_mm *pmm, const struct unwound *u, unsigned int size)
{
	union {
		u64 w64[PIECE / sizeof(u64)];
		u32 w32[PIECE / sizeof(u32)];
	} words;
	unsigned long at, word, low = ULONG_MAX, high = 0;
	unsigned int i, n;

	for (i = 0; i < READ_ONCE(pmm->areas.nr); i++) {
		low = min(low, ssol_area_trampoline(pmm->areas.list[i]));
		high = max(high, ssol_area_trampoline(pmm->areas.list[i]));
	}
	for (at = ALIGN(u->start, size); at < u->end; at += n) {
		/* Pieces do not cross the ends of pages. */
		n = min(PIECE - (at & (PIECE - 1)), u->end - at);
		if (copy_from_user(&words, (void __user *)at, n))
			return;
		for (i = 0; i < n / size; i++) {
			word = size == sizeof(u64) ? words.w64[i] : words.w32[i];
			if (word >= low && word <= high)
				restored_at(&pmm->uret.calls, at + i * size);
		}
		cond_resched();
	}
}

/*
 * Fill in which part of its stack the current task uses.  True if it is on the stack that it began
 * with: it has not come there from another one.  C libraries keep what the thread pointer points
 * to at the end of a thread's stack, but for the first thread.
 */
static bool stack_used(struct unwound *u)
{
	unsigned long there = thread_group_leader(current) ? current->mm->start_stack :
		arch_thread_pointer();
	const struct vm_area_struct *vma;
	bool base = false;

	u->end = u->start;
	if (mmap_read_lock_killable(current->mm))
		return false;
	vma = find_vma(current->mm, u->start);
	if (vma && vma->vm_start <= u->start) {
		u->end = vma->vm_end;
		base = there >= u->start && there < u->end;
	}
	mmap_read_unlock(current->mm);
	/* That may lie within the first one. */
	return base && !on_sig_stack(u->start);
}

/*
 * On its first stack, the calls that a thread may walk through lie between its stack pointer and
 * the end.  On another one, they may also be calls of its own elsewhere: an alternate signal
 * stack, or a segment of a stack that grows by segments.  Context: may sleep.
 */
static void restore_in_task(struct probed_mm *pmm)
{
	const struct pt_regs *regs = task_pt_regs(current);
	struct unwound u = { .start = regs->sp, .owner = current->pid };
	unsigned int size = arch_word_size(regs);

	if (stack_used(&u) && (u.end - u.start) / size < calls_buckets(&pmm->uret.calls)) {
		restore_words(pmm, &u, size);
		return;
	}
	/* What the signal has interrupted may be a coroutine with calls of any thread. */
	u.all = READ_ONCE(pmm->uret.calls.mixed) && on_sig_stack(regs->sp);
	restore_all(&pmm->uret.calls, &u);
}

/**
 * ret_addrs_restore() - put the return addresses of a thread's calls back
 * @may_sleep: whether the caller can
 *
 * The current task is going to read its stack.  The calls on it are followed no more, and count
 * as missed; so are other calls of the thread, which it may have entered on another stack.
 *
 * Context: as @may_sleep says; the trap otherwise.
 * Return: false when it takes a context that can sleep; the rest is to be done there.
 */
bool ret_addrs_restore(bool may_sleep)
{
	struct probed_mm *pmm;

	if (!may_sleep) {
		pmm = pmm_lookup(current->mm);
		return !pmm || !calls_there(&pmm->uret.calls) || restore_in_trap(&pmm->uret.calls);
	}
	pmm = pmm_find(current->mm);
	if (!pmm)
		return true;
	if (calls_there(&pmm->uret.calls))
		restore_in_task(pmm);
	pmm_put(pmm);
	return true;
}

/**
 * ret_addrs_lift() - a function was entered by a jump, and the kernel may have a return probe there
 * @pmm: the current task's address space
 * @regs: user registers at the entry
 * @shared: only calls of functions where the kernel may have one as well
 *
 * What lies on the stack then is our trampoline's address. The kernel goes by whether it is its
 * own, which it is again where the first function has a return probe of the kernel's, too, and
 * ours comes last: see hit_share(). The calls are followed no more, and count as missed.
 *
 * Context: the trap.
 */
void ret_addrs_lift(struct probed_mm *pmm, const struct pt_regs *regs, bool shared)
{
	struct uret_instance *inst;
	struct call_bucket *bucket;
	unsigned long was;

	if (!calls_there(&pmm->uret.calls))
		return;
	bucket = calls_lock(&pmm->uret.calls, regs->sp);
	inst = *bucket_find(bucket, regs->sp);
	if (inst && !inst->restored && inst->shared >= shared && stack_restore(inst, &was)) {
		for (; inst && inst->ri.sp == regs->sp; inst = inst->next)
			set_restored(inst, was == inst->trampoline);
	}
	calls_unlock(bucket);
}

/**
 * ret_addr_real() - the program's address for one of this module's
 * @task: the current task, or one that does not run
 * @pc: an address
 * @sp: where on the stack it was found, or the stack pointer with @pc in the ip
 *
 * Context: any.
 * Return: the return address or the address of the instruction that @pc stands
 * for; @pc when it is neither the trampoline nor in a slot.
 */
unsigned long ret_addr_real(struct task_struct *task, unsigned long pc, unsigned long sp)
{
	struct probed_mm *pmm;
	struct site *site;

	if (!task->mm)
		return pc;
	rcu_read_lock();
	pmm = pmm_lookup(task->mm);
	if (pmm && pc == READ_ONCE(pmm->uret.trampoline)) {
		if (!calls_real(&pmm->uret.calls, sp, &pc) &&
		    !calls_real(&pmm->uret.calls, sp - sizeof(long), &pc))
			calls_real(&pmm->uret.calls, sp - sizeof(u32), &pc);
	} else if (pmm) {
		site = site_of_slot(pmm, pc);
		if (site)
			pc = site_original_ip(site, pc);
	}
	rcu_read_unlock();
	return pc;
}

/* Whether @pc is what the stack holds for the call @ri.  Context: any. */
bool ret_addr_is_trampoline(const struct uretprobe_instance *ri, unsigned long pc)
{
	return container_of(ri, struct uret_instance, ri)->trampoline == pc;
}
