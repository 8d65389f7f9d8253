/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: return instances and the trampoline.
 *
 * When a return-probed function is entered, the module exchanges the return address on the stack
 * for the address of the trampoline.  The trampoline is a breakpoint at the start of an SSOL area.
 * A return instance keeps the real return address.
 *
 * Instances are looked up by the stack address of the return address (calls.h).  So a thread may
 * switch between stacks, and another thread may continue on them.  If a call never returns
 * (longjmp()), its instances are stale.  They are recognized if their stack word holds another
 * value, or if another call is entered at their stack address.
 */
#ifndef _UPROBES_URETPROBE_H
#define _UPROBES_URETPROBE_H

#include <linux/llist.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include <uprobes/uprobes.h>

#include "arch.h"

struct calls;
struct consumer;
struct consumer_set;
struct probed_mm;
struct mm_struct;
struct site;
struct utask;

/**
 * struct uret_instance - one consumer's share in one call
 * @next: link in the list of a bucket, or in a list of instances that are being copied or called
 * @consumer: the consumer; pinned through consumer::calls, while the instance is in use
 * @trampoline: the address that the stack holds instead of the return address
 * @owner: thread id of the thread that has entered the call
 * @restored_at: time when the return address was restored, in jiffies
 * @discarded: in the first instance of a list of copies to be freed: the link between such lists
 * @room: bytes that are available for data
 * @word: size of the return address, in bytes
 * @asked: the atomic handler has asked for its task handler
 * @shared: the breakpoint at the function has another owner, too; if that is a return probe of the
 *	kernel, the return address may be the address of the kernel's trampoline
 * @restored: the return address has been restored; no handler is called any more
 * @ri: the argument of the handler, with the consumer's data behind it
 *
 * While an instance is in the table of calls, the lock of its bucket protects it.  Outside the
 * table, it belongs to the task that has removed it.
 */
struct uret_instance {
	struct uret_instance *next;
	struct consumer *consumer;
	union {
		struct {
			unsigned long trampoline;
			pid_t owner;
			u32 restored_at;
		};
		struct llist_node discarded;
	};
	u16 room;
	u8 word;
	bool asked;
	bool shared;
	bool restored;
	struct uretprobe_instance ri;
};

/**
 * uretprobe_can_follow() - check whether a call can be followed at all
 * @regs: user registers at the entry of the function
 *
 * A return address is restored in one exchange, for which its word must be aligned.  A user
 * shadow stack does not take the exchange.
 *
 * Context: any; the current task.
 */
static inline bool uretprobe_can_follow(const struct pt_regs *regs)
{
	return IS_ALIGNED(regs->sp, arch_word_size(regs)) && !arch_stack_fixed();
}

void uretprobe_missed(const struct consumer_set *set, const struct pt_regs *regs);

bool uretprobe_enter(const struct site *site, struct consumer *c, struct pt_regs *regs);
bool uretprobe_learn(const struct site *site, const struct pt_regs *regs);
bool uretprobe_prepare(struct utask *utask, const struct site *site,
		       const struct consumer_set *set, struct pt_regs *regs);
void uretprobe_prepare_sleepable(struct utask *utask, const struct site *site,
				 const struct consumer_set *set, struct pt_regs *regs);

#endif /* _UPROBES_URETPROBE_H */
