/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What a read of a session returns after "binary 1" was written to it: units, one behind the other.
 * uprobes(4) describes them.
 */
#ifndef _UPROBES_UNITS_H
#define _UPROBES_UNITS_H

#include <linux/types.h>

/* Kinds of units. */
#define UPROBES_UNIT_TEXT	1	/* the lines of a record, and NULs up to a multiple of 8 */
#define UPROBES_UNIT_EVENT	2	/* likewise: ID NAME ARG:VALUE:TYPE... */
#define UPROBES_UNIT_BLOCK	3	/* a struct uprobes_unit_block */

/* The largest block.  A read needs room for one. */
#define UPROBES_UNIT_MAX	4096

/**
 * struct uprobes_unit - the head of a unit
 * @size: number of bytes of the unit with its head, a multiple of 8
 * @kind: UPROBES_UNIT_*
 * @cpu: the processor
 * @time: of the (first) hit, in nanoseconds
 * @lost: number of events that this processor has lost before; 0 for other units than blocks
 */
struct uprobes_unit {
	__u32 size;
	__u16 kind;
	__u16 cpu;
	__u64 time;
	__u64 lost;
};

/**
 * struct uprobes_unit_block - hits of a thread, in their order
 * @unit: the head
 * @comm: name of the thread, as it is in lines
 * @tgid: id of its process
 * @pid: its own id
 * @flags: as in the format of events: common_flags
 * @depth: common_preempt_count
 * @unused: 0
 * @ticks: a value of the time stamp counter
 * @now: the same moment, in nanoseconds
 * @oldest: no hit is older
 * @mult: n ticks are n * @mult >> @shift nanoseconds
 * @shift: see @mult
 * @words: the hits, up to the end of the unit.  Each has the time stamp counter << 8 | number of
 *	values; the ID of its event << 48 | address; the values
 */
struct uprobes_unit_block {
	struct uprobes_unit unit;
	char comm[64];
	__s32 tgid;
	__s32 pid;
	__u8 flags;
	__u8 depth;
	__u8 unused[6];
	__u64 ticks;
	__u64 now;
	__u64 oldest;
	__u32 mult;
	__u32 shift;
	__u64 words[];
};

#endif /* _UPROBES_UNITS_H */
