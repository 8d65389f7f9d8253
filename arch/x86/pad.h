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
 * registers are those of the program. After the trap, the thread goes on at the copies. When the
 * trap is no longer handled, "nop" replaces it, and the thread goes on there, too.
 *
 * A pad that records writes the time, some registers, and some words from the stack pointer on
 * into the ring of its processor, instead of counting. It traps if the ring is full. It also traps
 * if the words end on another page than the pushed registers, as that page may be absent. It saves
 * rax, rcx and rdx, and the flags if they are of use. The record counts once the last instruction
 * has advanced the head. If the thread is stopped before that, it begins again, perhaps on another
 * processor (pad_restarts()). So no two threads write to a ring at the same time.
 *
 *   record   push %rax			the flags, if they are saved
 *            push %rcx
 *            push %rdx
 *   again    rdtscp			time, and number of the processor
 *            shl $32, %rdx
 *            or %rax, %rdx
 *            and $0xfff, %ecx
 *            shl $6, %ecx
 *            add heads(%rip), %rcx
 *            mov (%rcx), %rax		where the next record is, from the head on
 *            cmp 8(%rcx), %rax
 *            jae tail
 *            and $mask, %eax		the program may have written any value
 *            mov %rdx, (%rcx,%rax)
 *            lea end(%rsp), %rdx	if there are words
 *            xor %rsp, %rdx
 *            shr $12, %rdx
 *            jnz tail
 *            movq $id, 8(%rcx,%rax)
 *            mov register, 16(%rcx,%rax)	and so on; words by way of rdx
 *            addq $size, (%rcx)
 *
 * The trap of such a pad is in its tail, behind the copies: few hits come there.
 *
 * All functions here are pure, and can be called in any context.
 */
#ifndef UPROBES_ARCH_X86_PAD_H
#define UPROBES_ARCH_X86_PAD_H

#include "pad_filter.h"
#include "pun.h"

/** PAD_MAX - the largest size of a pad, in bytes. */
#define PAD_MAX 512

/** PAD_VALUES - the largest number of registers and words in a record. */
#define PAD_VALUES 6

/** PAD_WORD - the number of the word at the stack pointer, where registers have theirs. */
#define PAD_WORD 16

/** PAD_WORDS - the number of words, from the stack pointer on, that a record can have. */
#define PAD_WORDS 16

/** PAD_HEAD_STRIDE - the distance between the heads of two processors: a cache line. */
#define PAD_HEAD_STRIDE 64

/** PAD_CPUS - the number of processors that rdtscp can tell from each other on Linux. */
#define PAD_CPUS 4096

/** PAD_TRAP, PAD_NO_TRAP - the instruction that traps, and what replaces it. */
#define PAD_TRAP 0xcc
#define PAD_NO_TRAP 0x90

/**
 * struct pad_head - the head of a ring
 * @next: distance from the head to the next record
 * @limit: if @next is not below it, the pad traps
 */
struct pad_head {
	u64 next;
	u64 limit;
};

/**
 * struct pad_record - a record in a ring
 * @time: the time stamp counter
 * @id: pad_recording::id
 * @values: the registers and words
 */
struct pad_record {
	u64 time;
	u64 id;
	u64 values[];
};

/** PAD_RECORD_MAX - the largest size of a record, in bytes. */
#define PAD_RECORD_MAX (sizeof(struct pad_record) + PAD_VALUES * sizeof(u64))

/**
 * struct pad_recording - what a pad records
 * @heads: address of the heads: one for each processor, PAD_HEAD_STRIDE apart
 * @mask: bound of a record's distance from its head, 2^n - 1. For any value of the heads, the pad
 *	writes nothing before @heads, and nothing behind the last head + @mask + %PAD_RECORD_MAX
 * @id: the number in its records, less than 2^31
 * @nr: number of @regs
 * @regs: numbers of the registers, as in ModRM, in ascending order. PAD_WORD and the numbers behind
 *	it are words.
 */
struct pad_recording {
	u64 heads;
	u32 mask;
	u32 id;
	u8 nr;
	u8 regs[PAD_VALUES];
};

/**
 * struct pad - a pad to be written; plain data
 * @pun: the instructions that the jump covers
 * @filter: its filter; a pad that neither counts nor records has one
 * @addr: address of the first instruction in the program
 * @counter: address of the counter, a multiple of 8; if @counts is set
 * @recording: what it records, if @records is set
 * @counts: the pad counts; otherwise, it traps
 * @records: the pad records, and traps if the ring is full; @counts is not set
 * @saves: the pad must leave all flags as they are, see pad_saves(). The processor must have lahf
 *	and sahf in 64-bit mode (CPUID 80000001h, ECX bit 0).
 */
struct pad {
	struct pun pun;
	struct pad_filter filter;
	u64 addr;
	u64 counter;
	struct pad_recording recording;
	bool counts;
	bool records;
	bool saves;
};

/* Check whether a pad uses the stack of the program. */
static inline bool pad_uses_stack(const struct pad *pad)
{
	return pad->saves || pad->records;
}

/**
 * struct pad_layout - offsets in a pad
 * @copies: the copy of each covered instruction
 * @trap: the instruction that traps, if the pad does not count
 * @tail: the code behind the copies for hits that cannot be recorded; 0 if there is none
 * @record: the instruction at which a record begins, if the pad records
 * @commit: the instruction that ends it
 */
struct pad_layout {
	u16 copies[PUN_INSNS];
	u16 trap;
	u16 tail;
	u16 record;
	u16 commit;
};

/* Check whether the offset of an instruction in a pad is in the copies, or in the jump back. */
static inline bool pad_in_copies(const struct pad_layout *layout, u64 offset)
{
	return offset >= layout->copies[0] && (!layout->tail || offset < layout->tail);
}

/**
 * pad_restarts() - check whether a thread must begin its record again
 * @layout: the layout of the pad
 * @offset: the offset in the pad at which the thread was stopped
 *
 * If so, it goes on at pad_layout::record.
 */
static inline bool pad_restarts(const struct pad_layout *layout, u64 offset)
{
	return offset > layout->record && offset <= layout->commit;
}

/**
 * pad_saves() - check whether a pad must save the flags
 * @pad: the pad: its filter, and what it does, are set
 * @text: the text from the first covered instruction on
 * @len: number of bytes that are known
 */
bool pad_saves(const struct pad *pad, const u8 *text, size_t len);

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
 * @PAD_FLAGS_TAKEN: in ah, and OF is the lowest bit of al. If rax was pushed after that, that is in
 *	pad_state::status
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
 * @ax: its rax is this word from the stack pointer on, before @sp is added; -1 if it is in rax
 * @cx: likewise for its rcx
 * @dx: likewise for its rdx
 * @status: likewise for rax with the flags
 * @counted: @ip is the address of the hit, and the hit is counted, or has trapped, if it passes the
 *	filter: when the thread comes there again, that is the same hit
 */
struct pad_state {
	u64 ip;
	s16 sp;
	u8 flags;
	s8 ax;
	s8 cx;
	s8 dx;
	s8 status;
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
 * @ax: its rax, or the word pad_state::status
 */
u64 pad_flags(const struct pad_state *state, u64 flags, u64 ax);

#endif /* UPROBES_ARCH_X86_PAD_H */
