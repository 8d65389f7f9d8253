/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pad that is being written, and the state of the program at each of its instructions.
 */
#ifndef UPROBES_ARCH_X86_PAD_OUT_H
#define UPROBES_ARCH_X86_PAD_OUT_H

#include "pad_types.h"
#include "ssol_emit.h"

/* The registers that a record is made with, by their numbers in ModRM */
#define REG_AX		0
#define REG_CX		1
#define REG_DX		2
#define REG_SP		4

/* Opcodes */
#define ADD		0x03
#define OR		0x0b
#define AND		0x23
#define MOV_LOAD	0x8b
#define MOV_STORE	0x89
#define LEA		0x8d
#define JMP_SHORT	0xeb
#define JB		0x82
#define JAE		0x83
#define JE		0x84
#define JNE		0x85
#define JS		0x88
#define JAE_SHORT	0x73
#define JE_SHORT	0x74
#define JBE_SHORT	0x76

/* mul has this opcode, and this number in the place of a register. */
#define MUL		0xf7
#define MUL_OF		4

/**
 * enum work_counted - whether the hit is counted
 * @NOT_COUNTED: it is not
 * @COUNTED: it is
 * @COUNTED_IF_ZF: it is if ZF is set: between the instruction that counts, and the jump of the
 *	hits that it has not counted
 */
enum work_counted {
	NOT_COUNTED,
	COUNTED,
	COUNTED_IF_ZF,
};

/**
 * struct work_state - the state outside the copies, where the program's ip is that of the hit
 * @sp: see struct pad_state, as the others
 * @flags: likewise
 * @words: how many words are on the stack: rax, the flags if they are saved, rcx, rdx, and the
 *	value that a histogram is to get
 * @counted: enum work_counted
 * @owes: see struct pad_state; of hits that are counted
 */
struct work_state {
	s16 sp;
	u8 flags;
	u8 words;
	u8 counted;
	u8 owes;
};

/**
 * struct work_mark - an instruction before the copies, or in the tail, with another state than the
 * one before it
 * @at: its offset
 * @state: the state of a thread that is about to execute it, or one of those up to the next mark
 */
struct work_mark {
	u16 at;
	struct work_state state;
};

/* To save, with all pushes; the end of a call; to restore three times, and the trap */
#define WORK_MARKS	(7 + 6 + 3 * 8)

/*
 * The jumps to the tail: of a record, two, and one for each string; with a histogram, for a word,
 * an unknown key, the sign and two races; at the end of a call, for another key, a time in the
 * future, and three races
 */
#define FULLS		(2 + PAD_LOADS)

/*
 * The values of the conditions; at the end of a call, twice its number, and three others; of a
 * histogram of the processor, twice its address, and two to find the slot again; of histograms for
 * keys, only five
 */
#define WIDE_VALUES	(PAD_CONDITIONS + 9)

/* How often they are used: three times for each word of a string. */
#define WIDE_USES	(WIDE_VALUES + 3 * PAD_STRING_WORDS)

/**
 * struct pad_out - a pad that is being emitted
 * @out: the code
 * @state: the state at its end, outside the copies
 * @nr_marks: number of @marks
 * @nr_rejects: number of @rejects
 * @nr_fulls: number of @fulls
 * @nr_wide: number of @wide
 * @nr_values: number of @values
 * @marks: the instructions before the copies, and those of the tail, that change the state
 * @rejects: offsets behind the jumps of hits that fail a condition
 * @fulls: offsets behind the jumps to the tail
 * @begun: the state in which these jumps are taken
 * @wide: offsets behind the distances to values that are no immediates
 * @value: the numbers of these values
 * @values: the values, each once
 */
struct pad_out {
	struct ssol_out out;
	struct work_state state;
	u8 nr_marks;
	u8 nr_rejects;
	u8 nr_fulls;
	u8 nr_wide;
	u8 nr_values;
	struct work_mark marks[WORK_MARKS];
	u16 rejects[PAD_CONDITIONS];
	u16 fulls[FULLS];
	struct work_state begun;
	u16 wide[WIDE_USES];
	u8 value[WIDE_USES];
	u64 values[WIDE_VALUES];
};

/* Append an instruction that is not of the copies. */
void pad_put(struct pad_out *o, const u8 *bytes, size_t len);

/* The last instruction ends with the distance to a value that is no immediate. */
void pad_add_wide(struct pad_out *o, u64 value);

/* Append an instruction on a register and a value that is no immediate. */
void pad_put_wide(struct pad_out *o, u8 opcode, unsigned int reg, u64 value);

/* Append a short jump forward. Return the offset behind it. */
unsigned int pad_put_short(struct pad_out *o, u8 opcode);

/* Have a short jump lead to the end of the code. */
void pad_land_short(struct pad_out *o, unsigned int behind);

/* Append a jump to the tail, where the hit traps. */
void pad_put_full(struct pad_out *o, u8 opcode);

/* Append what pushes a register. */
void pad_put_push(struct pad_out *o, unsigned int reg);

/* Append what pops a register. */
void pad_put_pop(struct pad_out *o, unsigned int reg);

/* Restore what is on the stack, and the flags. */
void pad_put_restore(struct pad_out *o, const struct pad *pad);

/* Restore, and trap. */
void pad_put_trap(struct pad_out *o, const struct pad *pad, struct pad_layout *layout);

#endif /* UPROBES_ARCH_X86_PAD_OUT_H */
