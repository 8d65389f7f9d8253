/* SPDX-License-Identifier: GPL-2.0 */
/* What the loads of a pad give. */
#ifndef UPROBES_TEST_PADS_LOADS_H
#define UPROBES_TEST_PADS_LOADS_H

#include "machine.h"
#include "pad.h"

/**
 * enum pads_loaded - what becomes of the loads of a record
 * @PADS_LOADED: the record has what they load
 * @PADS_FAULTS: one of them faults
 * @PADS_ENDLESS: a string has no end
 * @PADS_UNKNOWN: they may load what the pad itself writes
 */
enum pads_loaded { PADS_LOADED, PADS_FAULTS, PADS_ENDLESS, PADS_UNKNOWN };

/**
 * pads_load() - find out what a pad loads from the memory as it is now
 * @pad: the pad
 * @layout: the memory
 * @regs: the registers of the program
 * @value: returns a register or word
 * @words: set to what the record gets; words behind the end of a string are not set
 */
enum pads_loaded pads_load(const struct pad *pad, const struct layout *layout,
			   const struct user_regs_struct *regs, u64 (*value)(int reg), u64 *words);

/*
 * Check whether a word that a pad reads is on another page than those that the pad pushes. @sp: the
 * stack pointer
 */
bool pads_cross(const struct pad *pad, u64 sp);

/* Compare what a record has with what its pad was to load. */
bool pads_same_loads(const struct pad_recording *r, const u64 *is, const u64 *words);

/* If a thread has faulted at a load, have it go on in the tail of its pad. */
void pads_load_fault(struct stop *stop, u64 at, const struct pad_layout *parts);

#endif /* UPROBES_TEST_PADS_LOADS_H */
