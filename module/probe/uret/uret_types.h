/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures of calls.  calls.h says how they are found, uretprobe.h what they are for.
 */
#ifndef _UPROBES_URET_TYPES_H
#define _UPROBES_URET_TYPES_H

#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <uprobes/uprobes.h>

struct consumer;

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
 * struct call_bucket - calls with the same hash
 * @lock: protects the bucket; innermost, taken with interrupts off, in traps, too
 * @moved: the contents are in the next table; never cleared
 * @live: instances in use; those of one call are next to each other, the newest first
 * @spare: instances that are not in use
 */
struct call_bucket {
	raw_spinlock_t lock;
	bool moved;
	struct uret_instance *live;
	struct uret_instance *spare;
};

/**
 * struct call_table - the table in one of its sizes
 * @rcu: frees it after look-ups
 * @next: the larger table that its contents move to, or NULL
 * @factor: factor of the hash; odd, and random because programs choose the keys
 * @bits: logarithm of the number of buckets
 * @shift: right shift that turns a product into the number of a bucket
 * @buckets: the buckets
 */
struct call_table {
	struct rcu_head rcu;	/* kvfree_rcu() wants it near the start */
	struct call_table *next;
	u64 factor;
	u32 bits;
	u32 shift;
	struct call_bucket buckets[];
};

#endif /* _UPROBES_URET_TYPES_H */
