/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UPROBES_TEST_PADS_MAKE_H
#define UPROBES_TEST_PADS_MAKE_H

#include <sys/user.h>

#include "pad.h"
#include "sections.h"

/**
 * struct pads_memory - what pads write to
 * @counter: address of a counter
 * @apart: address of the counters of processors, under a mask of 1; 0 if the processor has no rdpid
 * @values: address of a histogram
 * @values_apart: address of those of PADS_COPIES processors; 0 if the processor has no rdpid
 * @heads: address of the heads of rings; 0 if no pad can record
 * @keyed: address of two pages of histograms: of the last key, and of all others
 * @keys: the table of keys, which has the same address in the thread
 * @data: address of DATA_SIZE bytes to load from
 * @loads: the loads of a pad
 * @way: where the key of the pad is: the number of a way; or a number of enum pads_key
 */
struct pads_memory {
	u64 counter;
	u64 apart;
	u64 values;
	u64 values_apart;
	u64 heads;
	u64 keyed;
	struct pad_key_set *keys;
	u64 data;
	struct pad_load loads[PAD_LOADS];
	unsigned int way;
};

/* What a pad does with the value of a key that the table lacks. */
enum pads_key { PADS_KEY_OTHER = PAD_KEY_WAYS, PADS_KEY_UNKNOWN };

/* Check for instructions that have no native state to compare with. */
bool pads_cannot_compare(const struct pun *pun, const u8 *text, u64 addr);

/* Try instructions here and there, @n in all. */
void pads_sample(const struct code_section *section, unsigned long n,
		 void (*try)(const u8 *text, size_t len));

/* Check whether rdpid works, whatever a hypervisor says. @code: address of the text. */
bool pads_have_rdpid(u64 code);

/* Make conditions at random. Every second one holds. Return whether all do. */
bool pads_filter_make(struct pad_filter *filter, struct user_regs_struct *regs);

/*
 * Choose what a pad does behind its conditions.  @regs: the registers that it will have: the pointers
 * of some loads lead to memory.
 */
void pads_action_make(struct pad *pad, const struct pad_filter *filter, struct pads_memory *memory,
		      struct user_regs_struct *regs);

/* Map the table of keys, before the thread starts. Return false if that fails. */
bool pads_keys_map(struct pads_memory *memory);

/* Fill the set of a key with others, and put the key where pads_memory::way says. */
void pads_keys_set(const struct pads_memory *memory, u64 key, struct pad_values *values);

/*
 * Get what an operand is. @value: gets a register of the program, or a word; @loaded: what the pad
 * loads.
 */
u64 pads_operand(const struct pad_operand *operand, u64 (*value)(int reg), const u64 *loaded);

/* Compare registers, but for flags that a pad may change. */
bool pads_same_registers(const struct pad *pad, const struct user_regs_struct *a,
			 const struct user_regs_struct *b);

/*
 * Check whether rdtscp gives the number of processor 0, on which this thread runs.  Some virtual
 * machines show the number of the host's processor.
 */
bool pads_can_record(void);

/* Execute each byte of pun_byte() in code, with others behind it that might be its operand. */
bool pads_bytes_trap(u64 code);

/**
 * pads_leave() - convert registers to those of the program, as arch_pad_leave() does
 * @pad: the pad
 * @at: its address
 * @regs: the registers
 * @stack: what is at the stack pointer
 * @state: set to the state
 * @debt: set to what the hit lacks
 *
 * Return: false if the thread is not in the pad.
 */
bool pads_leave(const struct pad *pad, u64 at, struct user_regs_struct *regs, const u64 *stack,
		struct pad_state *state, struct pad_debt *debt);

/* Say what is wrong with a histogram that had only extremes before it got a value; NULL: nothing. */
const char *pads_values_wrong(const struct pad_values *v, u64 value, u64 least, u64 largest);

/* The bucket of a value: that of its leading bit, and of the three bits behind it. */
unsigned int pads_bucket_of(u64 value);

#endif /* UPROBES_TEST_PADS_MAKE_H */
