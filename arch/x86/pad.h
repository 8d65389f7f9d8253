/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pads: the code that a jump in the place of an instruction leads to. A pad checks the conditions
 * of its filter, if it has one. If they hold, it counts the hit, or it traps, so that handlers are
 * called. Then it executes copies of the instructions that the jump covers, and jumps back behind
 * them.
 *
 * A thread can be stopped anywhere in a pad. pad_unwind() converts the address to the state that
 * the program would have without the probe.
 *
 *   bare     cmp value, register	if the flags that these change are of no more use
 *            jcc copies
 *            lock incq counter(%rip), or int3
 *   saving   lea -128(%rsp), %rsp	past the red zone (psABI, 3.2.2)
 *            push %rax
 *            lahf
 *            seto %al
 *            cmp value, register
 *            jcc restore
 *            lock incq counter(%rip)
 *   restore  add $127, %al		sets OF as it was
 *            sahf
 *            pop %rax
 *            lea 128(%rsp), %rsp
 *   copies   copies of the instructions
 *            jmp back
 *
 * A saving pad that traps has "restore" twice: the trap comes behind the first one, so that the
 * registers are those of the program. After the trap, the thread goes on at the copies. If nobody
 * handles the trap any more, "nop" replaces it, and the thread goes on there, too.
 *
 * All functions here are pure, and can be called in any context.
 */
#ifndef UPROBES_ARCH_X86_PAD_H
#define UPROBES_ARCH_X86_PAD_H

#include "pad_filter.h"
#include "pun.h"

/** PAD_MAX - the largest size of a pad, in bytes. */
#define PAD_MAX 320

/** PAD_TRAP, PAD_NO_TRAP - the instruction that traps, and what replaces it. */
#define PAD_TRAP 0xcc
#define PAD_NO_TRAP 0x90

/**
 * struct pad - a pad to be written; plain data
 * @pun: the instructions that the jump covers
 * @filter: its filter; a pad that does not count has one
 * @addr: address of the first instruction in the program
 * @counter: address of the counter, a multiple of 8; if @counts is set
 * @counts: the pad counts; otherwise, it traps
 * @saves: the pad must leave all flags as they are, see pad_saves(). The processor must have lahf
 *	and sahf in 64-bit mode (CPUID 80000001h, ECX bit 0).
 */
struct pad {
	struct pun pun;
	struct pad_filter filter;
	u64 addr;
	u64 counter;
	bool counts;
	bool saves;
};

/**
 * struct pad_layout - offsets in a pad
 * @copies: the copy of each covered instruction
 * @trap: the instruction that traps, if the pad does not count
 */
struct pad_layout {
	u16 copies[PUN_INSNS];
	u16 trap;
};

/**
 * pad_saves() - check whether a pad must save the flags
 * @filter: its filter
 * @text: the text from the first covered instruction on
 * @len: number of bytes that are known
 *
 * A pad that does not save them uses no stack.
 */
bool pad_saves(const struct pad_filter *filter, const u8 *text, size_t len);

/* Check whether a pad can have its filter: all of @pad is set, except for the counter. */
bool pad_filter_fits(const struct pad *pad);

/**
 * pad_emit() - write a pad
 * @pad: the pad
 * @at: address that it will have
 * @buf: room for PAD_MAX bytes
 * @layout: filled in
 *
 * Return: number of bytes written; -ERANGE if the counter, or what an instruction names relative to
 * its own address, is out of reach from there.
 */
int pad_emit(const struct pad *pad, u64 at, u8 *buf, struct pad_layout *layout);

/**
 * pad_guess() - guess the size of a pad
 * @pad: the pad
 *
 * The guess is not too small if the copies are as long as the instructions.
 */
unsigned int pad_guess(const struct pad *pad);

/**
 * enum pad_flags - where the status flags of the program are
 * @PAD_FLAGS_KEPT: in the flags register; a bare pad has changed some that are of no more use
 * @PAD_FLAGS_TAKEN: in ah, and OF is the lowest bit of al
 * @PAD_FLAGS_ADDED: in ah, and OF is the highest bit of al
 */
enum pad_flags {
	PAD_FLAGS_KEPT,
	PAD_FLAGS_TAKEN,
	PAD_FLAGS_ADDED,
};

/**
 * struct pad_state - the state of the program that an address inside a pad stands for
 * @ip: the program's ip
 * @sp: number to add to the stack pointer
 * @flags: where its flags are
 * @pushed: its rax is the word at the stack pointer, before @sp is added
 * @counted: @ip is the address of the hit, and the hit is counted, or has trapped, if it passes the
 *	filter: when the thread comes there again, that is the same hit
 */
struct pad_state {
	u64 ip;
	s16 sp;
	u8 flags;
	bool pushed;
	bool counted;
};

/**
 * pad_unwind() - find the program's state for an address inside a pad
 * @pad: the pad
 * @at: its address
 * @ip: an address at which a thread was stopped or faulted
 * @state: filled in if @ip is inside the pad
 *
 * Return: true if @ip is inside the pad.
 */
bool pad_unwind(const struct pad *pad, u64 at, u64 ip, struct pad_state *state);

/**
 * pad_flags() - get the flags register of the program
 * @state: from pad_unwind()
 * @flags: the flags register of the thread
 * @ax: its rax
 */
u64 pad_flags(const struct pad_state *state, u64 flags, u64 ax);

#endif /* UPROBES_ARCH_X86_PAD_H */
