// SPDX-License-Identifier: GPL-2.0
/*
 * Threads in pads, and at instructions that a jump covers.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "pad_trap.h"
#include "arch.h"
#include "jump_make.h"
#include "timing.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"

/* If threads execute covered instructions that often, see whether the jump saves as many traps. */
#define MAX_TRAPS	4096U

/*
 * Check whether a jump has saved more traps than it has caused, since the last time.  If its pad
 * only traps, that is not known.
 */
static bool jump_pays(struct jump *jump)
{
	u64 before = jump->hits;

	WRITE_ONCE(jump->hits, jump_hits(jump));
	return jump->hits - before > MAX_TRAPS;
}

/**
 * jump_note_trap() - note a trap that a jump has caused
 * @jump: the jump
 * @why: enum barred: a thread has executed what it covers, or its pad could not load from memory
 *
 * If these are too many, a worker erases the jump.
 *
 * Context: interrupts off; RCU read side.
 */
void jump_note_trap(struct jump *jump, unsigned int why)
{
	struct site *site = jump->site;
	/* Traps on several CPUs may count as one. */
	unsigned int traps = READ_ONCE(jump->traps) + 1;

	WRITE_ONCE(jump->traps, traps % MAX_TRAPS);
	if (traps < MAX_TRAPS || READ_ONCE(site->barred) || jump_pays(jump))
		return;
	site_bar(site, why);
	pmm_queue(site->pmm, &site->pmm->jumps.work);
}

/*
 * Go on in the pad, or at @addr, if the jump has been erased since the byte was executed.  A byte
 * that is undefined has been executed before: see below.
 */
static bool covered_trap(struct site *site, struct pt_regs *regs, unsigned long addr,
			 bool undefined)
{
	struct jump *jump = site_jump(site);
	/* All jumps of a site cover the same instructions. */
	const struct pun *pun = jump ? &jump->pad.pun : &site->jumps->pad.pun;
	bool unlocked;
	u8 byte;
	int nr;

	nr = pun_insn_at(pun, addr - site->key.addr, &unlocked);
	if (nr < 0)
		return false;
	if (jump && READ_ONCE(site->state) == SITE_ARMED) {
		regs->ip = jump->at + jump->parts.copies[nr] + unlocked;
		jump_note_trap(jump, BARRED_COVERED);
		return true;
	}
	/*
	 * Its erasure has waited for this processor, so an undefined instruction is the program's
	 * own.  If it were executed again, it would trap for ever.
	 */
	if (undefined && !jump)
		return false;
	/* If the page is being moved, or has been reclaimed, executing the text faults it in. */
	if (!copy_from_user_nofault(&byte, (const void __user *)addr, 1) && pun_traps(byte))
		return false;
	regs->ip = addr;
	return true;
}

static bool trap_at(struct pt_regs *regs, unsigned long addr, bool undefined)
{
	struct site *site;
	unsigned int back;

	for (back = 1; back < PUN_LEN; back++) {
		site = site_find(current->mm, addr - back);
		/* Pairs with jump_make(). */
		if (site && smp_load_acquire(&site->jumps) &&
		    covered_trap(site, regs, addr, undefined))
			return true;
	}
	return false;
}

/**
 * jump_trap() - handle a breakpoint at an instruction that a jump covers
 * @regs: user registers, of 64-bit code
 * @addr: address of the breakpoint
 *
 * Context: the trap; RCU read side.
 * Return: false if the breakpoint is not one of ours.
 */
bool jump_trap(struct pt_regs *regs, unsigned long addr)
{
	return trap_at(regs, addr, false);
}

/* The same for a byte that is undefined.  Context: the trap; RCU read side. */
bool jump_undefined(struct pt_regs *regs)
{
	return trap_at(regs, regs->ip, true);
}

/**
 * pad_counted() - check whether a hit may be counted, and its instruction is not executed yet
 * @jump: the jump
 * @regs: user registers, ip in its pad
 *
 * A hit that has not passed the filter is not counted, but may be at the same address.
 *
 * Context: any.
 */
bool pad_counted(const struct jump *jump, const struct pt_regs *regs)
{
	struct pad_state state;

	return pad_unwind(&jump->pad, jump->at, regs->ip, regs->flags, &state) && state.counted;
}

/**
 * pad_leave() - correct the registers of a task that is anywhere in the pad of a jump
 * @jump: the jump
 * @regs: user registers, changed to those of the program
 *
 * If the pad has not completed a hit that it has counted, do that.
 *
 * Context: any.
 * Return: as arch_pad_leave().
 */
bool pad_leave(const struct jump *jump, struct pt_regs *regs)
{
	struct pad_debt debt;
	bool counted = arch_pad_leave(&jump->pad, jump->at, regs, &debt);

	timing_pay(jump, &debt, regs->sp);
	return counted;
}

/* Translate an address in a pad to an address in the text.  Context: any. */
unsigned long pad_original_ip(const struct jump *jump, unsigned long ip)
{
	struct pad_state state;

	/* The address does not depend on the flags. */
	return pad_unwind(&jump->pad, jump->at, ip, 0, &state) ? state.ip : ip;
}

/**
 * pad_compare() - compare a pad with the code that was written to it
 * @jump: its jump
 * @len: how many bytes of it are compared, jump::len or less
 *
 * Context: any.
 * Return: 0 if it is the same; 1 if it differs; -EFAULT if it is not in memory.
 */
int pad_compare(const struct jump *jump, int len)
{
	struct pad_layout parts;
	u8 want[PAD_MAX], is[64];
	int at, n;

	if (pad_emit(&jump->pad, jump->at, want, &parts) != jump->len || len > jump->len)
		return 1;
	for (at = 0; at < len; at += n) {
		n = min_t(int, len - at, sizeof(is));
		if (copy_from_user_nofault(is, (const void __user *)jump->at + at, n))
			return -EFAULT;
		if (memcmp(is, want + at, n))
			return 1;
	}
	return 0;
}
