/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record that a hit leaves in the buffer:
 *
 *	struct tracer_record
 *	the arguments, at their offsets from tracer_args_offset()
 *	a bit per argument: set if it could not be read (a bad address)
 *	the bytes of strings
 *	the addresses of the user stack, with the option userstacktrace
 *	the time of the hit, if the record was written later
 *
 * Hits that come from a ring may be in a struct tracer_block together (buffer/buffer.h).
 *
 * From @entry on, the layout is the same as in tracefs, and the format file describes
 * it.  A string argument is a descriptor.  Its upper half is the string's length, its
 * lower half is the string's place, counted from @entry.  The length includes the NUL.
 * A string without a NUL was cut.
 */
#ifndef _TRACER_RECORD_H
#define _TRACER_RECORD_H

#include <linux/types.h>

#include "def.h"

#define TRACER_RECORD_MAX	32768	/* bytes of a record, without its stack */
#define TRACER_STACK_MAX	64	/* addresses of a stack, in a session */
#define TRACER_STACK_USUAL	8	/* likewise in the directory, as in tracefs */
#define TRACER_READ_MAX		(TRACER_RECORD_MAX + TRACER_STACK_MAX * 8)

/* Bits of struct tracer_entry.flags; the values are those of tracefs. */
#define TRACER_IRQS_OFF		0x01
#define TRACER_NEED_RESCHED	0x04

/**
 * struct tracer_entry - the fields that each event has
 * @type: id of the event
 * @flags: state of the CPU, TRACER_IRQS_OFF and so on
 * @preempt_count: depth of disabled preemption
 * @pid: id of the thread, in the tracer's pid namespace
 * @ip: the probed address; for a return, the address of the function
 */
struct tracer_entry {
	u16 type;
	u8 flags;
	u8 preempt_count;
	s32 pid;
	u64 ip;
};

/**
 * enum tracer_form - what a record in the buffer is
 * @TRACER_FORM_NOW: a struct tracer_record, written at its hit
 * @TRACER_FORM_LATE: the same, written later: its last 8 bytes are the time of the hit, and it is
 *	one fragment of the buffer
 * @TRACER_FORM_BLOCK: a struct tracer_block, one fragment
 * @TRACER_FORM_VALUES: taken out of a block: a struct tracer_record, and the values of the hit
 *	there
 */
enum tracer_form {
	TRACER_FORM_NOW,
	TRACER_FORM_LATE,
	TRACER_FORM_BLOCK,
	TRACER_FORM_VALUES,
};

/**
 * struct tracer_record - a record
 * @comm: the thread's name, NUL-terminated
 * @tgid: id of the process, in the same pid namespace as that of the thread
 * @nstack: addresses of the user stack, 8 bytes each, at the record's end
 * @form: enum tracer_form
 * @entry: the common fields; a return probe's u64 return address follows
 */
struct tracer_record {
	char comm[TRACER_COMM_LEN];
	s32 tgid;
	u16 nstack;
	u8 form;
	struct tracer_entry entry;
};

/**
 * struct tracer_seen - a record that was read from the buffer
 * @record: its bytes
 * @len: number of its bytes
 * @cpu: the CPU that wrote it
 * @ts: when, in nanoseconds
 * @lost: events that this CPU lost right before
 * @options: a bit per enum tracer_option
 */
struct tracer_seen {
	const struct tracer_record *record;
	size_t len;
	int cpu;
	u64 ts;
	u64 lost;
	unsigned long options;
};

/* Return the start of the arguments, counted from the entry. */
static inline unsigned int tracer_args_offset(const struct tracer_def *def)
{
	return sizeof(struct tracer_entry) +
	       (def->kind == TRACER_RETURN ? sizeof(u64) : 0);
}

/* Return the start of the bit map of unreadable arguments, counted from the entry. */
static inline unsigned int tracer_faults_offset(const struct tracer_def *def)
{
	return tracer_args_offset(def) + def->args_size;
}

/* Return the start of the strings, counted from the entry. */
static inline unsigned int tracer_strings_offset(const struct tracer_def *def)
{
	return tracer_faults_offset(def) + DIV_ROUND_UP(def->nargs, 8);
}

static inline u32 tracer_string_loc(u32 len, u32 offset)
{
	return len << 16 | offset;
}

#endif /* _TRACER_RECORD_H */
