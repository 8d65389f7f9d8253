/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: return instances and the trampoline.
 *
 * When a return-probed function is entered, its return address on the stack is
 * exchanged for the address of the trampoline, a breakpoint at the start of
 * an SSOL area, and an instance remembers the real one.  Instances are found by
 * where on the stack the return address lies (calls.h), so a thread may
 * switch between stacks, and another one may go on with them.  Those that are never returned to
 * (longjmp) are recognised by their place on the stack holding something else, or being
 * entered anew.
 */
#ifndef _UPROBES_URETPROBE_H
#define _UPROBES_URETPROBE_H

#include <linux/llist.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include <uprobes/uprobes.h>

struct calls;
struct consumer;
struct consumer_set;
struct probed_mm;
struct mm_struct;
struct site;
struct utask;

/**
 * struct uret_instance - one consumer's share in one call
 * @next: in the list of a bucket, or in one of instances that are being copied or called
 * @consumer: whose; pinned through consumer::calls, while the instance is in use
 * @trampoline: what the stack holds instead of the return address
 * @owner: id of the thread that has entered the call
 * @restored_at: when the return address was put back, in jiffies
 * @discarded: of the first in a list of copies that are to be freed
 * @room: bytes that there are for data
 * @word: size of the return address, in bytes
 * @again: the atomic handler has asked for task context
 * @shared: somebody else's breakpoint is at the function, too; for a return probe of the
 *	kernel's, the return address may be that of its trampoline
 * @restored: the return address has been put back; no handler is called any more
 * @ri: what the handler gets; the consumer's data behind it
 *
 * While it is in the table of calls, it is under its bucket's lock; otherwise it is the task's
 * that has taken it out.
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
	bool again;
	bool shared;
	bool restored;
	struct uretprobe_instance ri;
};

void uretprobe_missed(const struct consumer_set *set);

bool uretprobe_enter(const struct site *site, struct consumer *c, struct pt_regs *regs);
bool uretprobe_learn(const struct site *site, const struct pt_regs *regs);
bool uretprobe_prepare(struct utask *utask, const struct site *site,
		       const struct consumer_set *set, struct pt_regs *regs);
void uretprobe_prepare_sleepable(struct utask *utask, const struct site *site,
				 const struct consumer_set *set, struct pt_regs *regs);

#endif /* _UPROBES_URETPROBE_H */
