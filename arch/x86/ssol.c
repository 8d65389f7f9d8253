// SPDX-License-Identifier: GPL-2.0
/*
 * Decide how an instruction executes at another address, and execute its plain copy under TF.
 * ssol_emit.c writes the slots that need no step.
 */
#include "ssol.h"
#include "ssol_emit.h"

#define FLAGS_TF	0x00000100
#define FLAGS_RF	0x00010000
#define FLAGS_VM	0x00020000

const char *ssol_refusal_name(enum ssol_refusal why)
{
	static const char * const words[SSOL_NR_REFUSALS] = {
		[SSOL_OK] = "it can be probed",
		[SSOL_REFUSED_INT3] = "there is a breakpoint instruction (int3) already",
		[SSOL_REFUSED_VENDOR] =
			"Intel and AMD read a branch with an operand-size prefix differently",
		[SSOL_REFUSED_ENCLAVE] = "enclu tells the enclave the address that it runs at",
	};

	return (unsigned int)why < SSOL_NR_REFUSALS ? words[why] : "for an unknown reason";
}

const char *ssol_kind_name(enum ssol_kind kind)
{
	static const char * const names[SSOL_NR_KINDS] = {
		[SSOL_SKIP] = "skip",
		[SSOL_COPY] = "copy",
		[SSOL_ONWARD] = "onward",
		[SSOL_JUMP] = "jump",
		[SSOL_JCC] = "jcc",
		[SSOL_LOOP] = "loop",
		[SSOL_CALL] = "call",
		[SSOL_CALL_REG] = "call-register",
		[SSOL_CALL_MEM] = "call-memory",
		[SSOL_SYSCALL] = "syscall",
		[SSOL_XBEGIN] = "xbegin",
		[SSOL_STEP] = "step",
	};

	return (unsigned int)kind < SSOL_NR_KINDS ? names[kind] : "unknown";
}

/*
 * Check whether an instruction of the class nop does nothing. Opcode 90 is xchg eax, eax, which
 * zero-extends nothing. After F3 it is pause, and with REX.B it exchanges r8. 0F 1F does nothing
 * in any form without LOCK.
 */
static bool plain_nop(const struct uinsn *insn)
{
	if (insn->prefixes & (UINSN_PREFIX_LOCK | UINSN_PREFIX_F2 | UINSN_PREFIX_F3))
		return false;
	if (insn->encoding != UINSN_LEGACY)
		return false;
	return insn->map != UINSN_MAP_1 || !(insn->rex & UINSN_REX_B);
}

/* Check for F3 0F 1E FA and FB. The neighbours of this encoding are hints and rdssp. */
static bool plain_endbr(const struct uinsn *insn)
{
	return insn->pp == 2 && !(insn->prefixes & UINSN_PREFIX_LOCK) &&
	       insn->encoding == UINSN_LEGACY &&
	       (insn->modrm == 0xfa || insn->modrm == 0xfb);
}

/* Check for an index. SIB.index 4 means none, unless a high bit makes it r12, r20 or r28. */
static bool has_index(const struct ssol_plan *plan)
{
	const struct uinsn *insn = &plan->insn;

	if (insn->encoding == UINSN_ENC_REX2 && (plan->text[insn->opcode_at - 1] & 0x20))
		return true;
	return (insn->sib & 0x38) != 0x20 || (insn->rex & UINSN_REX_X);
}

/*
 * Check for an operand below the frame pointer: a local variable, which may lie below the stack
 * pointer (psABI: the red zone).
 */
static bool below_frame(const struct ssol_plan *plan)
{
	const struct uinsn *insn = &plan->insn;
	unsigned int base = uinsn_has(insn, UINSN_HAS_SIB) ? insn->sib & 7 : uinsn_rm(insn);

	return insn->modrm >> 6 && base == 5 && !(ssol_register_rm(plan) & ~7) && insn->disp < 0;
}

static enum ssol_kind plan_indirect_call(const struct ssol_plan *plan)
{
	const struct uinsn *insn = &plan->insn;
	unsigned int word = ssol_word(insn);

	/* It is not known which sizes the push and the branch have. */
	if (insn->flags & UINSN_VENDOR)
		return SSOL_STEP;
	if (!uinsn_has(insn, UINSN_HAS_MEMORY)) {
		/* The target is the value of rsp before the push. */
		if (ssol_register_rm(plan) == 4)
			return SSOL_STEP;
		return SSOL_CALL_REG;
	}
	if (ssol_stack_based(plan)) {
		/*
		 * The pushed return address would overwrite the target. If there is an index,
		 * that is not known in advance.
		 */
		if ((insn->disp > -2 * (int)word && insn->disp < 0) || has_index(plan))
			return SSOL_STEP;
		/* If there are many prefixes, a wider displacement may not fit. */
		if (insn->len + 4 > UINSN_MAX_LEN)
			return SSOL_STEP;
	}
	/* A local variable may be the same word. (Any register may name it, at any distance.) */
	if (below_frame(plan))
		return SSOL_STEP;
	return SSOL_CALL_MEM;
}

static enum ssol_kind plan_kind(const struct ssol_plan *plan, enum ssol_refusal *why)
{
	const struct uinsn *insn = &plan->insn;
	bool locked = insn->prefixes & UINSN_PREFIX_LOCK;

	/* With LOCK, all instructions below raise #UD, and so does a copy. */
	if (locked)
		return SSOL_COPY;

	switch (insn->class) {
	case UINSN_NOP:
		return plain_nop(insn) ? SSOL_SKIP : SSOL_COPY;
	case UINSN_ENDBR:
		return plain_endbr(insn) ? SSOL_SKIP : SSOL_COPY;
	case UINSN_INT3:
		*why = SSOL_REFUSED_INT3;
		return SSOL_COPY;
	case UINSN_ENCLAVE:
		*why = SSOL_REFUSED_ENCLAVE;
		return SSOL_COPY;
	case UINSN_JUMP:
	case UINSN_JCC:
	case UINSN_LOOP:
	case UINSN_CALL:
		if (insn->flags & UINSN_VENDOR)
			*why = SSOL_REFUSED_VENDOR;
		return insn->class == UINSN_JUMP ? SSOL_JUMP :
		       insn->class == UINSN_JCC ? SSOL_JCC :
		       insn->class == UINSN_LOOP ? SSOL_LOOP : SSOL_CALL;
	case UINSN_ICALL:
		return plan_indirect_call(plan);
	case UINSN_FCALL:
		return SSOL_STEP;
	case UINSN_POPF:
		/*
		 * If popf sets TF, the trap comes after the next instruction, which must not be
		 * the slot's jump back.
		 */
		return SSOL_STEP;
	case UINSN_RET:
	case UINSN_FRET:
	case UINSN_IJUMP:
	case UINSN_FJUMP:
		return SSOL_ONWARD;
	case UINSN_SYSCALL:
		/* In 32-bit mode syscall returns to the vdso, like sysenter. */
		return insn->mode == UINSN_MODE_64 ? SSOL_SYSCALL : SSOL_COPY;
	case UINSN_XBEGIN:
		return SSOL_XBEGIN;
	default:
		return SSOL_COPY;
	}
}

/* Check for a call. With LOCK, a call raises #UD. */
static bool calls(const struct uinsn *insn)
{
	return !(insn->prefixes & UINSN_PREFIX_LOCK) &&
	       (insn->class == UINSN_CALL || insn->class == UINSN_ICALL ||
		insn->class == UINSN_FCALL);
}

int ssol_plan_insn(struct ssol_plan *plan, const u8 *text, size_t len,
		   enum uinsn_mode mode, enum ssol_refusal *why)
{
	enum ssol_refusal refusal = SSOL_OK;
	int ret;

	memset(plan, 0, sizeof(*plan));
	ret = uinsn_decode(&plan->insn, text, len, mode);
	if (!ret) {
		memcpy(plan->text, text, plan->insn.len);
		plan->kind = plan_kind(plan, &refusal);
		plan->pushes_return = calls(&plan->insn);
		if (refusal != SSOL_OK)
			ret = -EPERM;
	}
	if (why)
		*why = refusal;
	return ret;
}

u64 ssol_original_ip(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip)
{
	struct ssol_state state;

	return ssol_unwind(plan, addr, slot, ip, &state) ? state.ip : ip;
}

/* Check for a rip-relative operand that the copy cannot reach from the slot. */
static bool out_of_reach(const struct ssol_plan *plan, u64 addr, u64 slot)
{
	u8 buf[UINSN_MAX_LEN];

	return ssol_copy(plan, addr, slot, buf) < 0;
}

/*
 * Choose a register that the instruction does not use. No instruction with a memory operand in
 * ModRM uses rsi, rdi or rbp without naming it. It can name two of them, by ModRM.reg and by vvvv.
 */
static unsigned int scratch_register(const struct uinsn *insn)
{
	static const u8 candidates[] = { 6, 7, 5 };
	unsigned int i;

	for (i = 0; i < sizeof(candidates) - 1; i++)
		if (candidates[i] != uinsn_reg(insn) &&
		    candidates[i] != (insn->vvvv & 7))
			break;
	return candidates[i];
}

int ssol_scratch(const struct ssol_plan *plan, u64 addr, u64 slot)
{
	if (!out_of_reach(plan, addr, slot))
		return -1;
	return (int)scratch_register(&plan->insn);
}

/*
 * Write the copy with [scratch + disp] in place of [rip + disp]. For rip, the processor ignores a
 * high bit of the base register. That bit must not turn the scratch register into another one.
 */
static void copy_by_register(const struct ssol_plan *plan, u8 *buf)
{
	const struct uinsn *insn = &plan->insn;
	u8 *opcode = buf + insn->opcode_at;

	memcpy(buf, plan->text, insn->len);
	buf[insn->modrm_at] = (u8)(0x80 | uinsn_reg(insn) << 3 | scratch_register(insn));
	switch (insn->encoding) {
	case UINSN_ENC_EVEX:
		opcode[-3] = (u8)((opcode[-3] | 0x20) & ~0x08);
		break;
	case UINSN_ENC_REX2:
		opcode[-1] &= (u8)~0x11;
		break;
	case UINSN_ENC_VEX:
	case UINSN_ENC_XOP:
		if (insn->rex & UINSN_REX_B)
			opcode[-2] |= 0x20;
		break;
	default:
		/* REX stands before the escape bytes. */
		if (!(insn->rex & UINSN_REX_B))
			break;
		if (insn->map == UINSN_MAP_0F || insn->map == UINSN_MAP_NOW)
			opcode -= 1;
		else if (insn->map != UINSN_MAP_1)
			opcode -= 2;
		opcode[-1] &= (u8)~UINSN_REX_B;
	}
}

static u64 ip_of_mode(const struct uinsn *insn, u64 ip)
{
	return insn->mode == UINSN_MODE_64 ? ip : (u32)ip;
}

/* Get the offset of the hop of a stepped xbegin, which is behind the copy and the jump back. */
static unsigned int abort_hop(const struct ssol_plan *plan, u64 addr, u64 slot)
{
	unsigned int n = plan->insn.len;
	u8 jump[SSOL_SLOT_MAX];

	return n + ssol_put_jump(plan->insn.mode, slot + n, addr + n, jump);
}

u64 ssol_step_original_ip(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip)
{
	if (ip == slot)
		return addr;
	if (ip == slot + plan->insn.len)
		return ip_of_mode(&plan->insn, addr + plan->insn.len);
	if (plan->insn.class == UINSN_XBEGIN && ip == slot + abort_hop(plan, addr, slot))
		return uinsn_target(&plan->insn, addr);
	return ip;
}

int ssol_emit_step(const struct ssol_plan *plan, u64 addr, u64 slot, u8 *buf)
{
	const struct uinsn *insn = &plan->insn;
	unsigned int n = insn->len, hop;

	if (ssol_copy(plan, addr, slot, buf) < 0)
		copy_by_register(plan, buf);
	/*
	 * After syscall, and after a load of ss, the trap can come one instruction late. That
	 * instruction is the jump back.
	 */
	hop = n + ssol_put_jump(insn->mode, slot + n, addr + n, buf + n);
	if (insn->class != UINSN_XBEGIN)
		return (int)hop;
	/* After an abort, the trap is late, too. So an abort goes to a hop, a jump in the slot. */
	if (insn->imm_size == 2)
		uinsn_put16(buf + insn->imm_at, (u16)(hop - n));
	else
		uinsn_put32(buf + insn->imm_at, hop - n);
	return (int)(hop + ssol_put_jump(insn->mode, slot + hop, uinsn_target(insn, addr),
					 buf + hop));
}

void ssol_before_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		      struct ssol_step *step, struct ssol_regs *regs)
{
	step->sp = regs->sp;
	step->flags = regs->flags;
	step->scratch = regs->scratch;
	regs->ip = slot;
	regs->flags |= FLAGS_TF;
	if (out_of_reach(plan, addr, slot))
		regs->scratch = addr + plan->insn.len;
}

static void restore_flags(const struct ssol_step *step, struct ssol_regs *regs)
{
	regs->flags = (regs->flags & ~(u64)FLAGS_TF) | (step->flags & FLAGS_TF);
}

/*
 * Correct the registers after syscall, which leaves its return address in rcx, and the flags, with
 * the TF of the step, in r11. The kernel may have set ip back to the syscall, for a restart.
 */
static void correct_syscall(const struct ssol_plan *plan, u64 addr, u64 slot,
			    const struct ssol_step *step, struct ssol_regs *regs)
{
	const struct uinsn *insn = &plan->insn;

	if (insn->class != UINSN_SYSCALL || insn->mode != UINSN_MODE_64 ||
	    regs->cx != slot + insn->len)
		return;
	regs->cx = addr + insn->len;
	regs->r11 = (regs->r11 & ~(u64)FLAGS_TF) | (step->flags & FLAGS_TF);
}

void ssol_abort_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		     const struct ssol_step *step, struct ssol_regs *regs)
{
	restore_flags(step, regs);
	if (out_of_reach(plan, addr, slot))
		regs->scratch = step->scratch;
	correct_syscall(plan, addr, slot, step, regs);
	regs->ip = ssol_step_original_ip(plan, addr, slot, regs->ip);
}

/*
 * Correct the return address that a call has pushed: it is the address behind the copy. The word is
 * at sp. The change of sp in the step is its size.
 */
static void correct_return(const struct ssol_plan *plan, u64 addr,
			   const struct ssol_step *step, const struct ssol_regs *regs,
			   struct ssol_poke *poke)
{
	u64 size = step->sp - regs->sp;

	/* A far call pushes the code segment first, in a word of the same size. */
	if (plan->insn.class == UINSN_FCALL)
		size /= 2;
	if (size != 2 && size != 4 && size != 8)
		return;
	poke->at = regs->sp;
	poke->value = ip_of_mode(&plan->insn, addr + plan->insn.len);
	poke->size = (u8)size;
	poke->is_return = true;
}

/* Correct the flags that pushf has stored: they contain the TF of the step. */
static void correct_flags(const struct ssol_step *step, const struct ssol_regs *regs,
			  struct ssol_poke *poke)
{
	u64 size = step->sp - regs->sp;

	if (size != 2 && size != 4 && size != 8)
		return;
	poke->at = regs->sp;
	poke->value = step->flags & ~(u64)(FLAGS_RF | FLAGS_VM);
	poke->size = (u8)size;
}

bool ssol_after_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		     const struct ssol_step *step, struct ssol_regs *regs,
		     struct ssol_poke *poke)
{
	const struct uinsn *insn = &plan->insn;
	u64 next = ip_of_mode(insn, addr + insn->len);
	bool fell_through = regs->ip == slot + insn->len;

	memset(poke, 0, sizeof(*poke));
	if (insn->class == UINSN_STRING && regs->ip == slot)
		return false;

	if (out_of_reach(plan, addr, slot))
		regs->scratch = step->scratch;
	if (insn->class != UINSN_POPF && !(insn->class == UINSN_FRET && insn->opcode == 0xcf))
		restore_flags(step, regs);
	if (fell_through)
		regs->ip = next;

	switch (insn->class) {
	case UINSN_JUMP:
		regs->ip = uinsn_target(insn, addr);
		break;
	case UINSN_JCC:
	case UINSN_LOOP:
		if (!fell_through)
			regs->ip = uinsn_target(insn, addr);
		break;
	case UINSN_XBEGIN:
		if (regs->ip == slot + abort_hop(plan, addr, slot))
			regs->ip = uinsn_target(insn, addr);
		break;
	case UINSN_CALL:
		regs->ip = uinsn_target(insn, addr);
		correct_return(plan, addr, step, regs, poke);
		break;
	case UINSN_ICALL:
	case UINSN_FCALL:
		correct_return(plan, addr, step, regs, poke);
		break;
	case UINSN_PUSHF:
		correct_flags(step, regs, poke);
		break;
	case UINSN_SYSCALL:
		correct_syscall(plan, addr, slot, step, regs);
		break;
	default:
		break;
	}
	return true;
}
