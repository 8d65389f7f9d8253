/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pads: the code that a jump in the place of an instruction leads to. A pad executes its steps: it
 * checks conditions. If all of them hold, it counts the hit, adds a value to a histogram, records
 * the hit, notes that a call begins, adds the time of a call that ends, or traps, so that handlers
 * are called. Then it executes copies of the instructions that the jump covers, and jumps back
 * behind them.
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
 * Processors may have counters of their own. Then threads that run at the same time do not wait for
 * each other's increments. Such a pad always saves rax.
 *
 *   apart    push %rax			the flags, if they are saved
 *            rdpid %rax
 *            and $mask, %eax
 *            shl $12, %eax
 *            add counters(%rip), %rax
 *            lock incq (%rax)
 *            pop %rax
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
 * A record can have bytes in memory, loaded by several pointers. A load may fault: then the thread
 * is to go on in the tail, with the same registers. Of a string, the pad records words up to the
 * first one with a zero byte, and traps if there is none. If a record is longer than usual, the pad
 * adds the difference to the distance of the next record, before it compares that with the limit.
 *
 *   load     mov offset(%rdi), %rdx	and so on, up to three times
 *            mov %rdx, 24(%rcx,%rax)
 *   string   mov offset(%rdi), %rdx
 *            mov %rdx, 32(%rcx,%rax)
 *            and $0x7f7f7f7f7f7f7f7f, %rdx
 *            add $0x7f7f7f7f7f7f7f7f, %rdx	carries to the highest bit of bytes that are not 0
 *            or 32(%rcx,%rax), %rdx
 *            or $0x7f7f7f7f7f7f7f7f, %rdx
 *            inc %rdx
 *            jne end			it is not all ones: a byte is 0
 *            mov offset+8(%rdi), %rdx	and so on; if the last word has no zero byte: je tail
 *   end
 *
 * A pad with a histogram saves the same registers. It traps if the value is a word on another page,
 * or negative, or if another thread has just changed the least or the largest value. The hit counts
 * once the bucket is incremented. If the thread is stopped right behind that, the sum lacks the
 * value (PAD_OWES_SUM). A value or a key in memory is loaded as in a record, before anything else
 * changes: if the load faults, the task goes on at the tail.
 *
 *   add      push %rax			the flags, if they are saved
 *            push %rcx
 *            push %rdx
 *            lea end(%rsp), %rdx	if it is a word, as above
 *            xor %rsp, %rdx
 *            shr $12, %rdx
 *            jnz tail
 *            mov register, %rdx	extended to 64 bits
 *            test %rdx, %rdx		if the value has a sign
 *            js tail
 *            cmp largest(%rip), %rdx
 *            jbe 1f
 *            mov largest(%rip), %rax
 *            cmp %rax, %rdx
 *            jbe 1f
 *            lock cmpxchg %rdx, largest(%rip)
 *            jne tail
 *   1        cmp least(%rip), %rdx	likewise, jae
 *            mov %rdx, %rcx		the bucket: pad_bucket()
 *            or $8, %rcx
 *            bsr %rcx, %rcx
 *            sub $3, %ecx
 *            mov %rdx, %rax
 *            shr %cl, %rax
 *            lea (%rax,%rcx,8), %ecx
 *            lea buckets(%rip), %rax
 *            lock incq (%rax,%rcx,8)
 *            lock add %rdx, sum(%rip)
 *
 * There may be a histogram for each of 64 keys, and one for all others. The pad finds the key in a
 * table: one of four places has it, or none. If none has it, the pad takes the histogram of all
 * others if the module has opened that; otherwise it traps, so that the module can put the key into
 * the table.
 *
 *   keyed    mov $open, %rax
 *            mov (%rax), %rax		first: if it is open, all keys are in the table
 *            movzbl %sil, %edx		the key
 *            mov %rdx, %rcx		its places: pad_key_set_of()
 *            imul $hash, %rcx
 *            shr $50, %rcx
 *            and $0x3fc0, %ecx
 *            add $table, %rcx
 *            cmp %rdx, (%rcx)
 *            je found
 *            add $16, %rcx		and so on: the other three places
 *            test %rax, %rax
 *            je tail
 *            mov $others, %rcx
 *            jmp others
 *   found    mov 8(%rcx), %ecx
 *            and $0x3f000, %ecx
 *            add $histograms, %rcx
 *   others   movzbl %dil, %edx		and so on, as above; but the bucket takes rcx
 *            push %rcx			so the address is on the stack meanwhile
 *
 * A pad at the entry of a function puts the call into its slot of a table, and one at a return
 * instruction takes it out. Both save the same registers, and change the slot with an instruction
 * that compares it first. If that finds what it compares with, ZF is set, and the hit counts.
 *
 * At the entry, the slot must be free, else the pad traps. It then has the call, but not the time.
 * A thread that is stopped before that is there owes it (PAD_OWES_BEGIN).
 *
 *   begin    push %rax			the flags, if they are saved
 *            push %rcx
 *            push %rdx
 *            lea sp(%rsp), %rdx	the key: pad_call_key(), with PAD_SLOT_BUSY
 *            or $id, %rdx		in memory, as other large numbers
 *            mov %rdx, %rcx		the slot: pad_slot_of()
 *            imul $hash, %rcx
 *            shr $47, %rcx
 *            and $0xfff0, %ecx
 *            add $table, %rcx
 *            xor %eax, %eax
 *            lock cmpxchg %rdx, (%rcx)
 *            jne tail
 *            rdtsc
 *            shl $32, %rdx
 *            or %rax, %rdx
 *            mov %rdx, 8(%rcx)
 *            btrq $63, (%rcx)
 *
 * At a return instruction, the pad traps if the slot does not have the call, or has a time in the
 * future. The slot may change meanwhile, as the module may need it for another call. So the pad
 * compares once more when it frees the slot. From then on, the hit owes its value to the histogram
 * (PAD_OWES_VALUE). The extremes may already have it, also if the pad traps after all.
 *
 *   end      push %rax			and so on; the time, in rax; the key and the slot, as above
 *            cmp %rdx, (%rcx)
 *            jne tail
 *            sub 8(%rcx), %rax
 *            jb tail
 *            mulq $ns			ticks to nanoseconds
 *            shld $32, %rax, %rdx
 *            cmp largest(%rip), %rdx	and so on: the extremes, as above
 *            push %rdx
 *            lea sp(%rsp), %rax	the key
 *            or $id, %rax
 *            xor %edx, %edx
 *            lock cmpxchg %rdx, (%rcx)
 *            pop %rdx
 *            jne tail
 *            mov %rdx, %rcx		and so on: the bucket and the sum, as above
 *
 * If each processor has a histogram, its address is in rcx for the extremes, and in rax for the
 * bucket and the sum, found by rdpid as that of a counter. The thread may change the processor in
 * between. The pad at a return then finds the slot again before it exchanges the key.
 *
 * The trap of a pad with one of these four actions is in its tail, behind the copies: few hits
 * come there.
 *
 * All functions here are pure, and can be called in any context.
 */
#ifndef UPROBES_ARCH_X86_PAD_H
#define UPROBES_ARCH_X86_PAD_H

#include "pad_types.h"

/**
 * pad_set_steps() - have a pad check a filter, and then do something
 * @pad: the pad, with room for PAD_STEPS steps, or for as many as there are
 * @filter: the filter
 * @action: what it does; for the caller to complete, as the last step
 */
void pad_set_steps(struct pad *pad, const struct pad_filter *filter, enum pad_step_kind action);

/**
 * pad_set_cpus() - set what a pad increments or adds to
 * @pad: the pad; its action is PAD_COUNT, PAD_ADD or PAD_END
 * @at: address of the counter or histogram; with @mask, of that of processor 0
 * @mask: see pad_counter::mask
 */
void pad_set_cpus(struct pad *pad, u64 at, u32 mask);

/**
 * pad_set_keys() - set what a pad adds to, if it has a histogram for each key
 * @pad: the pad
 * @at: address of the histogram of the first key
 * @table: address of the table of keys
 */
void pad_set_keys(struct pad *pad, u64 at, u64 table);

/* Check whether a pad checks exactly the conditions of a filter, in the same order. */
bool pad_has_filter(const struct pad *pad, const struct pad_filter *filter);

/**
 * pad_bucket() - find the bucket of a value
 * @value: the value, which is not negative
 */
unsigned int pad_bucket(u64 value);

/* Get the least value of a bucket; 0 for PAD_BUCKETS, as 2^64 has no u64. */
u64 pad_bucket_begin(unsigned int bucket);

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
 * pad_may_load() - check whether a thread may still load from memory in a pad
 * @layout: the layout of the pad
 * @offset: the offset in the pad at which the thread was stopped
 */
static inline bool pad_may_load(const struct pad_layout *layout, u64 offset)
{
	return layout->loads && offset <= layout->loaded;
}

/**
 * pad_saves() - check whether a pad must save the flags
 * @pad: the pad, with its steps
 * @text: the text from the first covered instruction on
 * @len: number of bytes that are known
 */
bool pad_saves(const struct pad *pad, const u8 *text, size_t len);

/* Check whether a pad can have its conditions: all of @pad is set, except for addresses of data. */
bool pad_filter_fits(const struct pad *pad);

/**
 * pad_emit() - write a pad
 * @pad: the pad
 * @at: address that it will have
 * @buf: room for PAD_MAX bytes
 * @layout: filled in
 *
 * Return: number of bytes written; -ERANGE if the counter, the histogram, or what an instruction
 * names relative to its own address, is out of reach from there.
 */
int pad_emit(const struct pad *pad, u64 at, u8 *buf, struct pad_layout *layout);

/**
 * pad_guess() - guess the size of a pad
 * @pad: the pad
 *
 * Together with PAD_COPIES_MORE, it is not too small.
 */
unsigned int pad_guess(const struct pad *pad);

/* Check whether a pad has room in PAD_MAX bytes: all is set, except for addresses of data. */
bool pad_fits(const struct pad *pad);

/**
 * pad_unwind() - find the program's state for an address inside a pad
 * @pad: the pad
 * @at: its address
 * @ip: an address at which a thread was stopped or faulted
 * @flags: its flags register: behind an instruction that counts only if it finds what it compares
 *	with, ZF tells whether it has. Not used for pad_state::ip.
 * @state: filled in if @ip is inside the pad
 *
 * Return: true if @ip is inside the pad.
 */
bool pad_unwind(const struct pad *pad, u64 at, u64 ip, u64 flags, struct pad_state *state);

/**
 * pad_flags() - get the flags register of the program
 * @state: from pad_unwind()
 * @flags: the flags register of the thread
 * @ax: its rax, or the word pad_state::status
 */
u64 pad_flags(const struct pad_state *state, u64 flags, u64 ax);

#endif /* UPROBES_ARCH_X86_PAD_H */
