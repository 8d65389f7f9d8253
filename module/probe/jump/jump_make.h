/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decide whether a site can have a jump, and make it.
 */
#ifndef _UPROBES_JUMP_MAKE_H
#define _UPROBES_JUMP_MAKE_H

#include <linux/minmax.h>
#include <linux/mm.h>

#include "core/jump_types.h"
#include "core/site.h"
#include "text/read.h"

/**
 * enum barred - why a site must not have a jump
 * @BARRED_NOT: it may have one
 * @BARRED_PAGE: the jump would cross the end of a page
 * @BARRED_UNREADABLE: the text cannot be read
 * @BARRED_NEIGHBOUR: another site is, or was, under the jump
 * @BARRED_SHADOW: a covered call would not match a shadow stack
 * @BARRED_CPU: the processor cannot save the flags in 64-bit mode
 * @BARRED_GO: there is no stack to save the flags on
 * @BARRED_FILTER: a saving pad cannot have the filter
 * @BARRED_CHANGES: the site has had too many jumps
 * @BARRED_ROOM: there is no room for the pad
 * @BARRED_RECORDS: too many places of the process record
 * @BARRED_COVERED: threads often execute covered instructions
 * @BARRED_RESUMED: only a trap can tell whether a hit has been counted before
 * @BARRED_LONG: the pad would be too long
 * @BARRED_FAULTED: its pad has met memory that the program cannot use
 * @BARRED_PUN: plus enum pun_refusal
 */
enum barred {
	BARRED_NOT,
	BARRED_PAGE,
	BARRED_UNREADABLE,
	BARRED_NEIGHBOUR,
	BARRED_SHADOW,
	BARRED_CPU,
	BARRED_GO,
	BARRED_FILTER,
	BARRED_CHANGES,
	BARRED_ROOM,
	BARRED_RECORDS,
	BARRED_COVERED,
	BARRED_RESUMED,
	BARRED_LONG,
	BARRED_FAULTED,
	BARRED_PUN,
};

/**
 * struct pad_work - what a pad does
 * @filter: the conditions of all consumers
 * @does: what it does with hits that pass
 * @apart: it counts in a counter of the processor
 * @reads: what it records, a bit for each number of pad_recording::regs
 * @nr_loads: number of @loads
 * @loads: the bytes in memory that it records or adds; belongs to a consumer
 * @histogram: the value that it adds, without the address
 * @from_entry: distance from the entry of the function whose calls it times
 * @below: how many bytes the stack pointer is below that at the entry
 */
struct pad_work {
	struct pad_filter filter;
	enum pad_step_kind does;
	bool apart;
	u32 reads;
	u8 nr_loads;
	const struct pad_load *loads;
	struct pad_histogram histogram;
	s64 from_entry;
	u16 below;
};

/**
 * struct jump_maker - makes several jumps, fastest in ascending order
 * @pmm: the probed mm, in use
 * @text: reads the text; to be ended before text is written
 * @file: the file that was looked at last, with a reference; or NULL
 * @go: that is a program in Go
 */
struct jump_maker {
	struct probed_mm *pmm;
	struct text_reader text;
	struct file *file;
	bool go;
};

/* How much text a jump depends on: what it covers, and whether the flags are of use. */
#define JUMP_TEXT	96U

/* Get how much of it is in the page of an address. */
static inline unsigned int jump_text_len(unsigned long addr)
{
	return min_t(unsigned int, JUMP_TEXT, PAGE_SIZE - offset_in_page(addr));
}

bool jump_text_clean(struct site *site, u8 *text, unsigned int len);
u64 jump_text_hash(const u8 *text, unsigned int len);
const char *site_barred(const struct site *site);
bool site_awaits_fault(const struct site *site);
const char *site_trap_reason(const struct site *site);
void site_bar(struct site *site, enum barred why);
bool site_pad_work(const struct site *site, struct pad_work *work);
bool jump_does(const struct jump *jump, const struct pad_work *work);
void jump_maker_end(struct jump_maker *maker);
struct jump *jump_make(struct jump_maker *maker, struct site *site, const struct pad_work *work);

#endif /* _UPROBES_JUMP_MAKE_H */
