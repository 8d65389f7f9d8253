/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: return instances and the trampoline.
 *
 * When a return-probed function is entered, its return address on the stack is
 * exchanged for the address of the trampoline, a breakpoint at the start of
 * an SSOL area, and an instance remembers the real one.  Instances are found by
 * where on the stack the return address lies, not by order, so a task may
 * switch between stacks; when it goes on with a stack of another task, see
 * roaming.h.  Those that are never returned to (longjmp) are
 * recognised by their place on the stack holding something else, or being
 * entered anew.
 */
#ifndef _UPROBES_RETPROBE_H
#define _UPROBES_RETPROBE_H

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/timex.h>

#include <uprobes/uprobes.h>

struct consumer;
struct consumer_set;
struct image;
struct mm_struct;
struct reserve;
struct site;
struct utask;

/*
 * Fewer instances are not searched for stale ones.  Where the most that are kept are reached and
 * no half of them was stale the last time, they are searched again when this time has passed.
 */
#define RETPROBE_PRUNE_MIN	64
#define RETPROBE_PRUNE_INTERVAL	HZ

/*
 * So many instances of a task, and of a process where they roam, are kept at a time; other
 * calls are missed.  Any program can leave calls behind on its stack without end.
 */
#define RETPROBE_TASK_MAX	65536
#define RETPROBE_PROCESS_MAX	262144

/* How many instances there are to be when they are searched, where this many are left of @max. */
static inline unsigned int retprobe_prune_at(unsigned int nr, unsigned int max)
{
	return nr > max / 2 ? max : max_t(unsigned int, RETPROBE_PRUNE_MIN, 2 * nr);
}

/* The same of when, in jiffies. */
static inline unsigned long retprobe_prune_after(unsigned int nr, unsigned int max)
{
	return nr > max / 2 ? jiffies + RETPROBE_PRUNE_INTERVAL : jiffies;
}

/* Instances of a task are hashed by their place on the stack. */
#define RETPROBE_BITS		6

/**
 * struct uret_instance - one consumer's share in one call
 * @in_task: in a bucket of utask::instances, newest first, or in a list of
 *	instances that are being copied, called or kept for further use
 * @consumer: whose; pinned through consumer::calls
 * @trampoline: what the stack holds instead of the return address
 * @word: size of that, in bytes
 * @again: the atomic handler has asked for task context
 * @shared: somebody else's breakpoint is at the function, too; for a return probe of the
 *	kernel's, the return address may be that of its trampoline
 * @put_back: the return address has been put back; in roaming::put_back, or claimed
 *	or copied from there
 * @put_back_at: when, in jiffies
 * @entered: when the function was, in cycles of the processor; looked at only where
 *	two threads have entered calls at one place
 * @ri: what the handler gets; the consumer's data behind it
 */
struct uret_instance {
	struct hlist_node in_task;
	struct consumer *consumer;
	unsigned long trampoline;
	u8 word;
	bool again;
	bool shared;
	bool put_back;
	u32 put_back_at;
	cycles_t entered;
	struct uretprobe_instance ri;
};

struct reserve *retprobe_reserve(size_t data_size);
bool retprobe_crowded(const struct utask *utask, const struct image *image);
void retprobe_missed(const struct consumer_set *set);
unsigned long retprobe_real_pc(struct task_struct *task, unsigned long pc, unsigned long sp);
bool retprobe_real(struct utask *utask, const struct image *image, unsigned long sp,
		   unsigned long *ret_addr);
bool retprobe_is_trampoline(const struct uretprobe_instance *ri, unsigned long pc);

int retprobe_init(void);
void retprobe_exit(void);

bool retprobe_enter(const struct site *site, struct consumer *c, struct pt_regs *regs);
bool retprobe_prepare(struct utask *utask, const struct site *site,
		      const struct consumer_set *set, struct pt_regs *regs);
void retprobe_prepare_sleepable(struct utask *utask, const struct site *site,
				const struct consumer_set *set, struct pt_regs *regs);
struct uret_instance *retprobe_returned(struct utask *utask, unsigned long trampoline,
					const struct pt_regs *regs, bool nearest);
void retprobe_lift(struct utask *utask, const struct image *image, const struct pt_regs *regs,
		   bool shared);
bool retprobe_trap(struct site *trampoline, struct pt_regs *regs);
void retprobe_run_sleepable(struct utask *utask, struct pt_regs *regs);

bool retprobe_put_back(bool may_sleep);
void retprobe_forget(struct utask *utask);
void retprobe_free(struct utask *utask);
int retprobe_copy(const struct utask *utask, const struct image *image,
		  struct hlist_head *copies);
void retprobe_adopt(struct hlist_head *copies, struct utask *utask);
void retprobe_adopt_files(struct hlist_head *copies, struct utask *utask,
			  struct mm_struct *mm);
void retprobe_restore(struct hlist_head *copies, struct mm_struct *mm);
void retprobe_discard(struct hlist_head *copies);

#endif /* _UPROBES_RETPROBE_H */
