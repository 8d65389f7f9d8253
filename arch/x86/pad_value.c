// SPDX-License-Identifier: GPL-2.0
/*
 * Append instructions that get values of the program: registers, words of its stack, and memory.
 */
#include "pad_value.h"

/* In each byte, all bits but the highest one */
#define LOW_BITS	0x7f7f7f7f7f7f7f7fULL

void pad_put_stack(struct pad_out *o, u8 opcode, unsigned int reg, unsigned int offset)
{
	/* opcode disp32(%rsp), %reg */
	u8 code[8] = { 0x48, opcode, (u8)(0x84 | reg << 3), 0x24 };

	uinsn_put32(code + 4, (u32)o->state.sp + offset);
	pad_put(o, code, sizeof(code));
}

void pad_put_page_check(struct pad_out *o, unsigned int reg)
{
	if (reg < PAD_WORD)
		return;
	/* lea end(%rsp), %rdx; xor %rsp, %rdx; shr $12, %rdx */
	pad_put_stack(o, LEA, REG_DX, (reg - PAD_WORD + 1U) * sizeof(u64) - 1);
	pad_put(o, (const u8 []) { 0x48, 0x31, 0xe2 }, 3);
	pad_put(o, (const u8 []) { 0x48, 0xc1, 0xea, 0x0c }, 4);
	pad_put_full(o, JNE);
}

unsigned int pad_put_load(struct pad_out *o, unsigned int reg)
{
	u8 word = REG_DX - (u8)reg;

	if (reg == REG_SP)
		pad_put_stack(o, LEA, REG_DX, 0);
	else if (reg >= PAD_WORD)
		pad_put_stack(o, MOV_LOAD, REG_DX, (reg - PAD_WORD) * sizeof(u64));
	else if (reg > REG_DX)
		return reg;
	/* rax is the last word */
	if (reg == REG_AX)
		word = o->state.words - 1;
	/* mov word(%rsp), %rdx */
	if (reg <= REG_DX)
		pad_put(o, (const u8 []) { 0x48, 0x8b, 0x54, 0x24, (u8)(word * sizeof(u64)) }, 5);
	return REG_DX;
}

/* Load @size bytes at @offset from a register, into rdx. */
static void put_at(struct pad_out *o, unsigned int from, s32 offset, unsigned int size)
{
	/* mov offset(%from), %rdx */
	u8 code[9] = { (u8)(0x40 | (size == 8 ? 8 : 0) | (from > 7 ? 1 : 0)) };
	unsigned int len = 1;

	/* movzbl, movzwl */
	if (size < 4) {
		code[len++] = 0x0f;
		code[len++] = (u8)(0xb6 | size >> 1);
	} else {
		code[len++] = MOV_LOAD;
	}
	code[len++] = (u8)(0x80 | REG_DX << 3 | (from & 7));
	/* r12 has the number that stands for another form of addresses. */
	if ((from & 7) == REG_SP)
		code[len++] = 0x24;
	uinsn_put32(code + len, (u32)offset);
	pad_put(o, code, len + 4);
}

/* Append an instruction on rdx and the word at a distance from the record, at rcx + rax. */
static void put_in_record(struct pad_out *o, u8 opcode, unsigned int at)
{
	/* opcode at(%rcx,%rax), %rdx */
	u8 code[8] = { 0x48, opcode, 0x94, 0x01 };

	uinsn_put32(code + 4, at);
	pad_put(o, code, sizeof(code));
}

/* Load a number of @size bytes, @ahead of where the last step leads, into rdx. */
static void put_steps(struct pad_out *o, const struct pad_load *load, s32 ahead,
		      unsigned int size)
{
	unsigned int from = pad_put_load(o, load->from), i;

	for (i = 0; i + 1 < load->steps; i++) {
		put_at(o, from, load->offset[i], sizeof(u64));
		from = REG_DX;
	}
	put_at(o, from, load->offset[i] + ahead, size);
}

void pad_put_number(struct pad_out *o, const struct pad_load *load)
{
	put_steps(o, load, 0, load->size);
}

/*
 * Check whether a byte of the word in rdx, which is also in the record, is zero: ZF is set if none
 * is.  Adding the low bits carries to the highest one, unless all low bits are zero.
 */
static void put_zero_check(struct pad_out *o, unsigned int at)
{
	pad_put_wide(o, AND, REG_DX, LOW_BITS);
	pad_put_wide(o, ADD, REG_DX, LOW_BITS);
	put_in_record(o, OR, at);
	pad_put_wide(o, OR, REG_DX, LOW_BITS);
	/* inc %rdx */
	pad_put(o, (const u8 []) { 0x48, 0xff, 0xc2 }, 3);
}

/* Record a string up to the word with its end. */
static void put_string(struct pad_out *o, const struct pad_load *load, unsigned int at)
{
	unsigned int n = pad_load_words(load), i;
	u16 ends[PAD_STRING_WORDS];

	for (i = 0; i < n; i++, at += sizeof(u64)) {
		put_steps(o, load, (s32)(i * sizeof(u64)), sizeof(u64));
		put_in_record(o, MOV_STORE, at);
		put_zero_check(o, at);
		if (i + 1 == n)
			break;
		/* jne end */
		pad_put(o, (const u8 []) { 0x0f, JNE, 0, 0, 0, 0 }, 6);
		ends[i] = (u16)o->out.len;
	}
	pad_put_full(o, JE);
	for (i = 0; i + 1 < n; i++)
		uinsn_put32(o->out.buf + ends[i] - 4, o->out.len - ends[i]);
}

void pad_put_loads(struct pad_out *o, const struct pad_recording *r)
{
	unsigned int at = (unsigned int)(sizeof(struct pad_record) + r->nr * sizeof(u64)), i;

	for (i = 0; i < r->nr_loads; i++) {
		const struct pad_load *load = &r->loads[i];

		if (load->string) {
			put_string(o, load, at);
		} else {
			put_steps(o, load, 0, load->size);
			put_in_record(o, MOV_STORE, at);
		}
		at += pad_load_words(load) * (unsigned int)sizeof(u64);
	}
}
