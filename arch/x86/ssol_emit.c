// SPDX-License-Identifier: GPL-2.0
/*
 * Write the slots that need no step, and find the program's state for an address inside a slot.
 *
 * Each slot ends in a jump back to the instruction behind the original. The table shows the forms
 * of slots, with each place where a thread can be found. For each place it has one of three states:
 * "before": nothing has happened, ip is the instruction's own address; "next": the instruction is
 * complete, ip is the following instruction; "target": the instruction is complete, ip is where
 * the branch goes.
 *
 *   copy      before  insn
 *             next    jmp back
 *   onward    before  insn                      (ret, jmp *x: no jump back)
 *   jump      before  jmp target
 *   jcc       before  jcc target                (or over an absolute jump if
 *             next    jmp back                   the target is out of reach)
 *   loop      before  loop 1f
 *             next    jmp back
 *             target  1: jmp target
 *   xbegin    before  xbegin 1f
 *             next    jmp back
 *             target  1: jmp target
 *   syscall   before  syscall                   (the kernel restarts it here)
 *             next    mov $next, %rcx           (rcx holds the slot's address)
 *             next    jmp back
 *   call      before  push next
 *             target  jmp target
 *   call *reg before  push next
 *             before  jmp *reg                  (a word to be popped)
 *   call *mem before  push mem
 *             before  lea word(%rsp), %rsp      (a word to be popped)
 *             before  push next
 *             before  jmp *mem                  (a word to be popped)
 *
 * In a call through memory, the slot loads the target before it pushes anything, as
 * the processor does: if the load faults, stack pointer and stack are
 * unchanged. The loaded value goes to the word that the return address will
 * overwrite. So the slot writes no other memory than the call would. The
 * second load, after the push, reads the same memory, unless another thread
 * changes it, or unless the operand is the word of the return address. If that is
 * possible (the base is the stack pointer, or the operand is a local variable), the
 * plan chooses a step.
 *
 * 64-bit code pushes the return address from a literal at the end of the slot,
 * because no push has a 64-bit immediate. The push is one instruction, so the
 * stack never holds half an address. The literal is aligned, as the
 * program may have alignment checks on.
 *
 * Indirect branch tracking, which Linux has for the kernel and not for programs,
 * would see no difference. An indirect jump or call still expects an
 * endbr (or, with notrack, does not) at its target, and nothing jumps to a slot
 * indirectly. The tracking would object to a breakpoint in the place of an endbr,
 * and no slot can help there.
 *
 * A slot does not hide the address that x87 keeps of its last instruction
 * (stored by fnstenv, fnsave and fxsave).
 */
#include "ssol_emit.h"

enum point { BEFORE, NEXT, TARGET };

static void mark_at(struct ssol_out *out, const struct ssol_plan *plan, u64 addr,
		    enum point point, int sp)
{
	u64 ip = point == BEFORE ? addr :
		 point == NEXT ? addr + plan->insn.len : uinsn_target(&plan->insn, addr);

	ssol_mark(out, plan->insn.mode == UINSN_MODE_64 ? ip : (u32)ip, point != BEFORE, sp);
}

static void put8(struct ssol_out *out, u8 byte)
{
	out->buf[out->len++] = byte;
}

static void put32(struct ssol_out *out, u32 v)
{
	uinsn_put32(out->buf + out->len, v);
	out->len += 4;
}

static void put64(struct ssol_out *out, u64 v)
{
	uinsn_put64(out->buf + out->len, v);
	out->len += 8;
}

/* Check whether the rel32 of an instruction that ends at @end reaches; in 32 bits it does. */
static bool reaches(enum uinsn_mode mode, u64 end, u64 target)
{
	s64 rel = (s64)(target - end);

	return mode == UINSN_MODE_32 || rel == (s32)rel;
}

unsigned int ssol_put_jump(enum uinsn_mode mode, u64 at, u64 target, u8 *buf)
{
	unsigned int pad;

	if (reaches(mode, at + 5, target)) {
		buf[0] = 0xe9;
		uinsn_put32(buf + 1, (u32)(target - (at + 5)));
		return 5;
	}
	/* jmp *pad(%rip), and behind it the address, aligned like every literal */
	pad = -(at + 6) & 7;
	buf[0] = 0xff;
	buf[1] = 0x25;
	uinsn_put32(buf + 2, pad);
	memset(buf + 6, 0xcc, pad);
	uinsn_put64(buf + 6 + pad, target);
	return 14 + pad;
}

static void put_jump(struct ssol_out *out, enum uinsn_mode mode, u64 target)
{
	out->len += ssol_put_jump(mode, out->slot + out->len, target, out->buf + out->len);
}

static void put_jump_back(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	mark_at(out, plan, addr, NEXT, 0);
	put_jump(out, plan->insn.mode, addr + plan->insn.len);
}

/* Get the high bits of the number of the base register. REX2 has a second one. */
static unsigned int base_high(const struct ssol_plan *plan)
{
	const struct uinsn *insn = &plan->insn;
	unsigned int high = insn->rex & UINSN_REX_B ? 8 : 0;

	if (insn->encoding == UINSN_ENC_REX2 && (plan->text[insn->opcode_at - 1] & 0x10))
		high |= 16;
	return high;
}

unsigned int ssol_register_rm(const struct ssol_plan *plan)
{
	return base_high(plan) | uinsn_rm(&plan->insn);
}

bool ssol_stack_based(const struct ssol_plan *plan)
{
	const struct uinsn *insn = &plan->insn;

	return uinsn_has(insn, UINSN_HAS_MEMORY | UINSN_HAS_SIB) &&
	       (insn->sib & 7) == 4 && !base_high(plan);
}

/*
 * Compute the displacement that names from address @at what insn->disp names from @addr. With a
 * 32-bit address size the sum is cut to 32 bits, so it reaches from everywhere.
 */
static int rebase(const struct uinsn *insn, u64 addr, u64 at, s32 *disp)
{
	s64 there = insn->disp + (s64)(addr - at);

	*disp = (s32)(u32)(u64)there;
	if (insn->address_size == 8 && there != *disp)
		return -ERANGE;
	return 0;
}

int ssol_copy(const struct ssol_plan *plan, u64 addr, u64 at, u8 *buf)
{
	const struct uinsn *insn = &plan->insn;

	memcpy(buf, plan->text, insn->len);
	if (uinsn_has(insn, UINSN_RIP_RELATIVE)) {
		s32 disp;

		if (rebase(insn, addr, at, &disp))
			return -ERANGE;
		uinsn_put32(buf + insn->disp_at, (u32)disp);
	}
	return insn->len;
}

/*
 * Write another instruction of group FF with the operand of the call. The stack pointer is @lower
 * bytes lower than at the call: if it is the base of the operand, correct the displacement.
 */
static int put_group5(struct ssol_out *out, const struct ssol_plan *plan, u64 addr,
		      unsigned int reg, int lower)
{
	const struct uinsn *insn = &plan->insn;
	u8 *p = out->buf + out->len;
	u8 modrm = (u8)((insn->modrm & 0xc7) | reg << 3);
	s64 disp;

	if (!lower || !ssol_stack_based(plan)) {
		int ret = ssol_copy(plan, addr, out->slot + out->len, p);

		if (ret < 0)
			return ret;
		p[insn->modrm_at] = modrm;
		out->len += insn->len;
		return 0;
	}

	/* There is a SIB byte, as the base is the stack pointer. The address wraps at its size. */
	disp = (s64)insn->disp + lower;
	memcpy(p, plan->text, insn->modrm_at);
	out->len += insn->modrm_at;
	if (disp == (s8)disp) {
		put8(out, (u8)((modrm & 0x3f) | 0x40));
		put8(out, insn->sib);
		put8(out, (u8)disp);
		return 0;
	}
	if (disp != (s32)disp && insn->address_size == 8)
		return -ERANGE;
	put8(out, (u8)((modrm & 0x3f) | 0x80));
	put8(out, insn->sib);
	put32(out, (u32)(u64)disp);
	return 0;
}

/*
 * Write a push of the return address. In 64-bit code the address comes from a literal that
 * put_literal() appends. Return the end of the push, whose displacement put_literal() fills in.
 */
static unsigned int put_push_next(struct ssol_out *out, const struct uinsn *insn, u64 next)
{
	if (insn->mode == UINSN_MODE_64) {
		put8(out, 0xff);
		put8(out, 0x35);
		put32(out, 0);
		return out->len;
	}
	if (insn->operand_size == 2) {
		put8(out, 0x66);
		put8(out, 0x68);
		uinsn_put16(out->buf + out->len, (u16)next);
		out->len += 2;
		return 0;
	}
	put8(out, 0x68);
	put32(out, (u32)next);
	return 0;
}

static void put_literal(struct ssol_out *out, const struct uinsn *insn, unsigned int end, u64 next)
{
	if (insn->mode != UINSN_MODE_64)
		return;
	while ((out->slot + out->len) % 8)
		put8(out, 0xcc);
	uinsn_put32(out->buf + end - 4, out->len - end);
	put64(out, next);
}

static int emit_copy(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	int ret = ssol_copy(plan, addr, out->slot + out->len, out->buf + out->len);

	if (ret < 0)
		return ret;
	mark_at(out, plan, addr, BEFORE, 0);
	out->len += (unsigned int)ret;
	return 0;
}

static int emit_jump(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	mark_at(out, plan, addr, BEFORE, 0);
	put_jump(out, plan->insn.mode, uinsn_target(&plan->insn, addr));
	return 0;
}

static int emit_jcc(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	const struct uinsn *insn = &plan->insn;
	u64 end = out->slot + out->len + 6;
	u64 target = uinsn_target(insn, addr);
	u8 cc = insn->opcode & 15;
	unsigned int hop;

	mark_at(out, plan, addr, BEFORE, 0);
	if (reaches(insn->mode, end, target)) {
		put8(out, 0x0f);
		put8(out, 0x80 | cc);
		put32(out, (u32)(target - end));
		return 0;
	}
	/* The opposite condition hops over the absolute jump. */
	put8(out, 0x70 | (cc ^ 1));
	put8(out, 0);
	mark_at(out, plan, addr, TARGET, 0);
	hop = out->len;
	put_jump(out, insn->mode, target);
	out->buf[hop - 1] = (u8)(out->len - hop);
	return 0;
}

/* Write the jumps behind a branch, which goes to the last one. Set its displacement at @end. */
static void put_hop(struct ssol_out *out, const struct ssol_plan *plan, u64 addr, unsigned int end)
{
	unsigned int from = out->len;

	put_jump_back(out, plan, addr);
	out->buf[end] = (u8)(out->len - from);
	mark_at(out, plan, addr, TARGET, 0);
	put_jump(out, plan->insn.mode, uinsn_target(&plan->insn, addr));
}

static int emit_loop(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	const struct uinsn *insn = &plan->insn;
	unsigned int i;

	mark_at(out, plan, addr, BEFORE, 0);
	/*
	 * The address size chooses the counter, and on AMD processors F2 and
	 * F3 change the condition. Leave out an operand size: it would cut the address of the hop.
	 */
	for (i = 0; i < insn->opcode_at; i++)
		if (plan->text[i] != 0x66)
			put8(out, plan->text[i]);
	put8(out, insn->opcode);
	put8(out, 0);
	put_hop(out, plan, addr, out->len - 1);
	return 0;
}

static int emit_xbegin(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	mark_at(out, plan, addr, BEFORE, 0);
	put8(out, 0xc7);
	put8(out, 0xf8);
	put32(out, 0);
	put_hop(out, plan, addr, out->len - 4);
	return 0;
}

static int emit_syscall(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	const struct uinsn *insn = &plan->insn;

	mark_at(out, plan, addr, BEFORE, 0);
	memcpy(out->buf + out->len, plan->text, insn->len);
	out->len += insn->len;
	mark_at(out, plan, addr, NEXT, 0);
	out->mark[out->marks - 1].set_cx = true;
	put8(out, 0x48);
	put8(out, 0xb9);
	put64(out, addr + insn->len);
	return 0;
}

static int emit_call(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	const struct uinsn *insn = &plan->insn;
	u64 next = addr + insn->len;
	unsigned int end;

	mark_at(out, plan, addr, BEFORE, 0);
	end = put_push_next(out, insn, next);
	mark_at(out, plan, addr, TARGET, 0);
	put_jump(out, insn->mode, uinsn_target(insn, addr));
	put_literal(out, insn, end, next);
	return 0;
}

static int emit_call_reg(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	const struct uinsn *insn = &plan->insn;
	u64 next = addr + insn->len;
	unsigned int end;

	mark_at(out, plan, addr, BEFORE, 0);
	end = put_push_next(out, insn, next);
	mark_at(out, plan, addr, BEFORE, (int)ssol_word(insn));
	put_group5(out, plan, addr, 4, 0);
	put_literal(out, insn, end, next);
	return 0;
}

static int emit_call_mem(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	const struct uinsn *insn = &plan->insn;
	int word = (int)ssol_word(insn);
	u64 next = addr + insn->len;
	unsigned int end;
	int ret;

	mark_at(out, plan, addr, BEFORE, 0);
	ret = put_group5(out, plan, addr, 6, 0);
	if (ret)
		return ret;
	mark_at(out, plan, addr, BEFORE, word);
	if (insn->mode == UINSN_MODE_64)
		put8(out, 0x48);
	put8(out, 0x8d);
	put8(out, 0x64);
	put8(out, 0x24);
	put8(out, (u8)word);
	mark_at(out, plan, addr, BEFORE, 0);
	end = put_push_next(out, insn, next);
	mark_at(out, plan, addr, BEFORE, word);
	ret = put_group5(out, plan, addr, 4, word);
	if (ret)
		return ret;
	put_literal(out, insn, end, next);
	return 0;
}

int ssol_emit_insn(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	switch (plan->kind) {
	case SSOL_SKIP:
	case SSOL_COPY:
	case SSOL_ONWARD:
		return emit_copy(out, plan, addr);
	case SSOL_JUMP:
		return emit_jump(out, plan, addr);
	case SSOL_JCC:
		return emit_jcc(out, plan, addr);
	case SSOL_LOOP:
		return emit_loop(out, plan, addr);
	case SSOL_CALL:
		return emit_call(out, plan, addr);
	case SSOL_CALL_REG:
		return emit_call_reg(out, plan, addr);
	case SSOL_CALL_MEM:
		return emit_call_mem(out, plan, addr);
	case SSOL_SYSCALL:
		return emit_syscall(out, plan, addr);
	case SSOL_XBEGIN:
		return emit_xbegin(out, plan, addr);
	default:
		return -EOPNOTSUPP;
	}
}

bool ssol_goes_on(const struct ssol_plan *plan)
{
	switch (plan->kind) {
	case SSOL_SKIP:
	case SSOL_COPY:
	case SSOL_JCC:
	case SSOL_SYSCALL:
		return true;
	default:
		return false;
	}
}

static int emit(struct ssol_out *out, const struct ssol_plan *plan, u64 addr)
{
	int ret = ssol_emit_insn(out, plan, addr);

	if (!ret && ssol_goes_on(plan))
		put_jump_back(out, plan, addr);
	return ret;
}

static int emit_unmarked(const struct ssol_plan *plan, u64 addr, u64 slot, u8 *buf)
{
	struct ssol_out out = { .buf = buf, .slot = slot };
	int ret = emit(&out, plan, addr);

	return ret ? ret : (int)out.len;
}

int ssol_emit(const struct ssol_plan *plan, u64 addr, u64 slot, u8 *buf)
{
	unsigned int insn_len = plan->insn.len;
	int len;

	/* Most instructions are copied.  Their slots are written without marks, which cost most. */
	if (plan->kind != SSOL_COPY && plan->kind != SSOL_SKIP)
		return emit_unmarked(plan, addr, slot, buf);
	len = ssol_copy(plan, addr, slot, buf);
	if (len < 0)
		return len;
	return len + (int)ssol_put_jump(plan->insn.mode, slot + insn_len, addr + insn_len,
					buf + insn_len);
}

void ssol_mark(struct ssol_out *out, u64 ip, bool done, int sp)
{
	out->mark[out->marks++] = (struct ssol_mark) {
		.ip = ip,
		.at = (u16)out->len,
		.sp = (s8)sp,
		.done = done,
	};
}

const struct ssol_mark *ssol_mark_of(const struct ssol_out *out, u64 ip)
{
	unsigned int i = out->marks;

	if (ip - out->slot >= out->len)
		return NULL;
	while (i-- > 1 && out->mark[i].at > ip - out->slot)
		;
	return &out->mark[i];
}

bool ssol_unwind(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip,
		 struct ssol_state *state)
{
	const struct uinsn *insn = &plan->insn;
	u8 buf[SSOL_SLOT_MAX];
	struct ssol_out out = { .buf = buf, .slot = slot };
	const struct ssol_mark *mark;

	if (ip - slot >= SSOL_SLOT_MAX || emit(&out, plan, addr))
		return false;
	mark = ssol_mark_of(&out, ip);
	if (!mark)
		return false;
	memset(state, 0, sizeof(*state));
	state->ip = mark->ip;
	state->sp = mark->sp;
	state->done = mark->done;
	if (plan->kind == SSOL_SYSCALL) {
		state->set_cx = mark->set_cx;
		state->set_cx_if = !mark->done;
		state->cx = addr + insn->len;
		state->old_cx = slot + insn->len;
	}
	return true;
}
