// SPDX-License-Identifier: GPL-2.0
/*
 * Make up registers and memory for an instruction, so that it does something: its operand is in
 * mapped memory, its branch goes to text, and it pops valid values.
 */
#include "trial.h"

#define FLAGS_ARITHMETIC	0x8d5	/* CF PF AF ZF SF OF */
#define FLAGS_TF		0x100
#define FLAGS_DF		0x400
#define FLAGS_AC		0x40000
#define FLAGS_ALWAYS		0x202

static u64 state = 1;

u32 trial_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (u32)(state * 0x2545f4914f6cdd1dull >> 32);
}

void trial_seed(u64 seed)
{
	state = seed * 0x9e3779b97f4a7c15ull | 1;
}

static u64 random64(void)
{
	return (u64)trial_random() << 32 | trial_random();
}

unsigned long long *trial_register(struct user_regs_struct *regs, unsigned int number)
{
	unsigned long long *by_number[16] = {
		&regs->rax, &regs->rcx, &regs->rdx, &regs->rbx,
		&regs->rsp, &regs->rbp, &regs->rsi, &regs->rdi,
		&regs->r8, &regs->r9, &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};

	return by_number[number & 15];
}

static void random_fill(u8 *p, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i += 4)
		uinsn_put32(p + i, trial_random());
}

/* Return: an address in the middle of the data. Half of these are aligned for every vector. */
static u64 data_address(const struct layout *layout)
{
	u64 offset = DATA_SIZE / 2 + trial_random() % 512;

	return layout->at[REGION_DATA] + (trial_random() & 1 ? offset & ~63ull : offset);
}

static void random_vectors(struct cpu *cpu)
{
	static const unsigned int components[] = { 2, 5, 6, 7 };
	static const size_t sizes[] = { 256, 64, 512, 1024 };
	u64 present = 3;

	random_fill(cpu->xstate + 32, 128);		/* x87, MMX */
	for (int i = 0; i < 8; i++)
		memset(cpu->xstate + 32 + 16 * i + 10, 0, 6);
	random_fill(cpu->xstate + 160, 256);		/* XMM */
	for (int i = 0; i < 4; i++) {
		size_t at = machine_xstate_offset(components[i]);

		if (!at || at + sizes[i] > cpu->xsize)
			continue;
		random_fill(cpu->xstate + at, sizes[i]);
		present |= 1ull << components[i];
	}
	/* Control words that programs have. The x87 stack is empty or full. */
	uinsn_put16(cpu->xstate, 0x37f);
	uinsn_put16(cpu->xstate + 2, (u16)((trial_random() & 7) << 11));
	cpu->xstate[4] = trial_random() & 1 ? 0xff : 0;
	uinsn_put32(cpu->xstate + 24, 0x1f80);
	uinsn_put64(cpu->xstate + 512, uinsn_get32(cpu->xstate + 512) | present);
}

/*
 * Return: a small number, but not 1 to 3. These are null selectors, of which a context switch
 * keeps less than the processor.
 */
static u64 small_number(void)
{
	u64 value = trial_random() % 256;

	return value < 4 ? 0 : value;
}

static void random_registers(struct trial *trial, const struct layout *layout)
{
	struct user_regs_struct *regs = &trial->cpu.regs;

	for (unsigned int i = 0; i < 16; i++) {
		u32 kind = trial_random() % 4;
		u64 value = kind < 2 ? data_address(layout) :
			    kind == 2 ? small_number() : random64();

		if (trial->insn.mode == UINSN_MODE_32)
			value = i < 8 ? (u32)value : 0;
		*trial_register(regs, i) = value;
	}
	regs->rsp = layout->at[REGION_STACK] + DATA_SIZE / 2 + (trial_random() % 64) * 8;
	regs->rip = trial->addr;
	regs->orig_rax = ~0ull;
	regs->eflags = FLAGS_ALWAYS | (trial_random() & FLAGS_ARITHMETIC);
	if (trial_random() % 4 == 0)
		regs->eflags |= FLAGS_DF;
	if (trial_random() % 8 == 0)
		regs->eflags |= FLAGS_AC;
	regs->fs_base = (trial_random() & 3) * 64;
	regs->gs_base = (trial_random() & 3) * 64;
	if (trial->insn.mode == UINSN_MODE_32) {
		regs->cs = 0x23;
		regs->ds = 0x2b;
		regs->es = 0x2b;
		regs->fs_base = 0;
		regs->gs_base = 0;
		regs->fs = trial_random() & 1 ? 0x2b : 0;
		regs->gs = trial_random() & 1 ? 0x2b : 0;
	}
}

/* Return: an address in text that a branch may go to, but not at the instruction itself. */
static u64 text_address(const struct trial *trial, const struct layout *layout)
{
	if (trial_random() & 1)
		return layout->at[REGION_OUT] + trial_random() % CODE_SIZE;
	return trial->addr + 64 + trial_random() % 1024;
}

static void put_disp(struct trial *trial, s64 disp)
{
	u8 *p = trial->text + trial->insn.disp_at;

	if (trial->insn.disp_size == 1)
		*p = (u8)disp;
	else if (trial->insn.disp_size == 2)
		uinsn_put16(p, (u16)disp);
	else if (trial->insn.disp_size == 4)
		uinsn_put32(p, (u32)disp);
}

/*
 * Return: true if EVEX multiplies the 8-bit displacement by the size of the operand, which is not
 * known here.
 */
static bool scaled_disp(const struct uinsn *insn)
{
	return insn->encoding == UINSN_ENC_EVEX && insn->disp_size == 1;
}

/* Return: true for gathers and scatters. They take the index from a vector, which must be small. */
static bool vector_index(const struct uinsn *insn)
{
	return (insn->map == UINSN_MAP_V2 && insn->opcode >= 0x90 && insn->opcode <= 0x93) ||
	       (insn->map == UINSN_MAP_E2 &&
		((insn->opcode >= 0x90 && insn->opcode <= 0x93) ||
		 (insn->opcode >= 0xa0 && insn->opcode <= 0xa3)));
}

static void small_vectors(struct cpu *cpu)
{
	static const unsigned int components[] = { 2, 6, 7 };
	static const size_t sizes[] = { 256, 512, 1024 };

	for (size_t i = 0; i < 256; i += 4)
		uinsn_put32(cpu->xstate + 160 + i, i & 4 ? 0 : trial_random() % 64);
	for (int i = 0; i < 3; i++) {
		size_t at = machine_xstate_offset(components[i]);

		for (size_t k = 0; at && k < sizes[i]; k += 4)
			uinsn_put32(cpu->xstate + at + k, k & 4 ? 0 : trial_random() % 64);
	}
}

/* For 16-bit addresses, make both registers small, so that the sum is in low memory. */
static u64 steer_16(struct trial *trial, const struct layout *layout)
{
	struct user_regs_struct *regs = &trial->cpu.regs;
	u64 middle = layout->at[REGION_LOW] + DATA_SIZE / 2;

	regs->rbx = middle - (trial_random() % 64) * 8;
	regs->rbp = regs->rbx;
	regs->rsi = (trial_random() % 64) * 8;
	regs->rdi = regs->rsi;
	if (uinsn_mod(&trial->insn) == 0 && uinsn_rm(&trial->insn) == 6) {
		put_disp(trial, (s64)middle);
	} else if (uinsn_rm(&trial->insn) == 4 || uinsn_rm(&trial->insn) == 5) {
		regs->rsi = middle;
		regs->rdi = middle;
		put_disp(trial, (s8)trial_random());
	} else {
		put_disp(trial, (s8)trial_random());
	}
	return 0;
}

/*
 * Set registers and displacement so that the operand is in the data, or on the stack if the stack
 * pointer is its base. Return the address of the operand, 0 if it is not known.
 */
static u64 steer_operand(struct trial *trial, const struct layout *layout)
{
	const struct uinsn *insn = &trial->insn;
	struct user_regs_struct *regs = &trial->cpu.regs;
	unsigned int base, index = 4, scale = 0;
	u64 target = data_address(layout), sum = 0;
	s64 disp = (s8)trial_random() & ~7;

	if (insn->address_size == 2)
		return steer_16(trial, layout);
	if (uinsn_has(insn, UINSN_RIP_RELATIVE)) {
		disp = (s64)(target - (trial->addr + insn->len));
		put_disp(trial, disp);
		return target;
	}
	if (uinsn_has(insn, UINSN_HAS_SIB)) {
		base = insn->sib & 7;
		index = (insn->sib >> 3 & 7) | (insn->rex & UINSN_REX_X ? 8 : 0);
		scale = insn->sib >> 6;
		if (vector_index(insn)) {
			small_vectors(&trial->cpu);
			index = 4;
		}
	} else {
		base = uinsn_rm(insn);
	}
	/* There is no base, only a displacement. */
	if (base == 5 && uinsn_mod(insn) == 0) {
		if (index != 4)
			*trial_register(regs, index) = (trial_random() % 16) * 8;
		if (index != 4)
			sum = *trial_register(regs, index) << scale;
		put_disp(trial, (s64)(target - sum));
		return target;
	}
	base |= insn->rex & UINSN_REX_B ? 8 : 0;
	if (insn->disp_size == 0)
		disp = 0;
	if (index != 4 && index != base) {
		*trial_register(regs, index) = (trial_random() % 16) * 8;
		sum = *trial_register(regs, index) << scale;
	}
	put_disp(trial, disp);
	if (base == 4) {
		/* Keep a displacement that reaches below the stack pointer: calls write there. */
		if (insn->disp < 0 && insn->disp >= -16 && index == 4) {
			put_disp(trial, insn->disp);
			return regs->rsp + (u64)(s64)insn->disp;
		}
		if (index == base)
			return 0;
		return scaled_disp(insn) ? 0 : regs->rsp + sum + (u64)disp;
	}
	if (index == base) {
		*trial_register(regs, base) = target / ((1u << scale) + 1);
		return 0;
	}
	*trial_register(regs, base) = target - sum - (u64)disp;
	return scaled_disp(insn) ? 0 : target;
}

static u8 *memory_at(struct trial *trial, const struct layout *layout, u64 at, size_t size)
{
	static const enum region regions[] = { REGION_DATA, REGION_STACK, REGION_LOW };

	for (int i = 0; i < 3; i++)
		if (at >= layout->at[regions[i]] &&
		    at + size <= layout->at[regions[i]] + DATA_SIZE)
			return trial->memory[i] + (at - layout->at[regions[i]]);
	return NULL;
}

static void put_word(u8 *p, u64 value, unsigned int size)
{
	if (size == 8)
		uinsn_put64(p, value);
	else if (size == 4)
		uinsn_put32(p, (u32)value);
	else
		uinsn_put16(p, (u16)value);
}

/* Return: a code segment for far transfers, mostly of the same mode. */
static u16 code_segment(const struct trial *trial)
{
	bool wide = trial->insn.mode == UINSN_MODE_64;

	if (trial_random() % 4 == 0)
		wide = !wide;
	return wide ? 0x33 : 0x23;
}

/* Set what a return pops, or the target of an indirect transfer. */
static void steer_transfer(struct trial *trial, const struct layout *layout, u64 operand)
{
	const struct uinsn *insn = &trial->insn;
	struct user_regs_struct *regs = &trial->cpu.regs;
	unsigned int word = insn->mode == UINSN_MODE_64 ? 8 : insn->operand_size;
	u8 *stack = memory_at(trial, layout, regs->rsp, 64);
	u64 target = text_address(trial, layout);
	u8 *p;

	switch (insn->class) {
	case UINSN_RET:
		if (stack)
			put_word(stack, target, word);
		break;
	case UINSN_FRET:
		if (!stack || insn->map != UINSN_MAP_1)
			break;
		word = insn->operand_size;
		put_word(stack, target, word);
		put_word(stack + word, code_segment(trial), word);
		put_word(stack + 2 * word,
			 FLAGS_ALWAYS | (trial_random() & FLAGS_ARITHMETIC), word);
		put_word(stack + 3 * word, regs->rsp + 128, word);
		put_word(stack + 4 * word, 0x2b, word);
		break;
	case UINSN_POPF:
		if (stack)
			put_word(stack, FLAGS_ALWAYS | (trial_random() &
				 (FLAGS_ARITHMETIC | FLAGS_DF | 0x200000 | FLAGS_TF)), word);
		break;
	case UINSN_ICALL:
	case UINSN_IJUMP:
		if (!uinsn_has(insn, UINSN_HAS_MEMORY)) {
			unsigned int r = uinsn_rm(insn) | (insn->rex & UINSN_REX_B ? 8 : 0);

			if (r != 4)
				*trial_register(regs, r) = target;
			break;
		}
		p = memory_at(trial, layout, operand, 8);
		if (p)
			put_word(p, target, word);
		break;
	case UINSN_FCALL:
	case UINSN_FJUMP:
		if (!uinsn_has(insn, UINSN_HAS_MEMORY)) {
			p = trial->text + insn->imm_at;
			if (insn->imm_size < 4)
				break;
		} else {
			p = memory_at(trial, layout, operand, 10);
			if (!p)
				break;
		}
		word = insn->operand_size;
		put_word(p, target, word);
		put_word(p + word, code_segment(trial), 2);
		break;
	default:
		break;
	}
}

static void steer_branch(struct trial *trial, const struct layout *layout)
{
	const struct uinsn *insn = &trial->insn;
	u8 *imm = trial->text + insn->imm_at;
	s8 near;

	if (insn->imm_size == 1) {
		/* Do not branch back into the instruction: that would be an endless loop. */
		do
			near = (s8)trial_random();
		while (near < 0 && near >= -(int)insn->len);
		*imm = (u8)near;
	} else if (insn->imm_size == 4) {
		uinsn_put32(imm, (u32)(text_address(trial, layout) - (trial->addr + insn->len)));
	}
}

static void steer_implicit(struct trial *trial, const struct layout *layout)
{
	const struct uinsn *insn = &trial->insn;
	struct user_regs_struct *regs = &trial->cpu.regs;

	switch (insn->class) {
	case UINSN_STRING:
		regs->rcx = trial_random() % 20;
		regs->rsi = data_address(layout);
		regs->rdi = data_address(layout);
		break;
	case UINSN_LOOP:
		regs->rcx = trial_random() % 3;
		break;
	case UINSN_SYSCALL:
		regs->rax = trial_random() & 1 ? 39 : 100000;	/* getpid, none */
		break;
	case UINSN_INT:
		regs->rax = trial_random() & 1 ? 20 : 100000;
		break;
	default:
		if (insn->map == UINSN_MAP_1 && (insn->opcode == 0xc8 || insn->opcode == 0xc9))
			regs->rbp = layout->at[REGION_STACK] + DATA_SIZE / 2;
		if (insn->map == UINSN_MAP_1 && insn->opcode == 0xd7)
			regs->rbx = data_address(layout);
	}
}

void trial_make(struct trial *trial, const struct layout *layout, const struct uinsn *insn,
		const u8 *text)
{
	u64 operand = 0;

	trial->insn = *insn;
	memcpy(trial->text, text, insn->len);
	trial->cpu = *machine_initial();
	trial->addr = layout->at[REGION_CODE] + CODE_SIZE / 2 + trial_random() % 64;
	for (int i = 0; i < 3; i++)
		random_fill(trial->memory[i], DATA_SIZE);
	random_vectors(&trial->cpu);
	random_registers(trial, layout);
	steer_implicit(trial, layout);
	if (uinsn_has(insn, UINSN_HAS_MEMORY) && trial_random() % 16)
		operand = steer_operand(trial, layout);
	if (uinsn_has(insn, UINSN_RELATIVE))
		steer_branch(trial, layout);
	steer_transfer(trial, layout, operand);
	uinsn_decode(&trial->insn, trial->text, insn->len, insn->mode);
	trial->cpu.regs.rip = trial->addr;
}

void trial_load_memory(const struct trial *trial)
{
	static const enum region regions[] = { REGION_DATA, REGION_STACK, REGION_LOW };

	for (int i = 0; i < 3; i++)
		if (region_of(regions[i]))
			memcpy(region_of(regions[i]), trial->memory[i], DATA_SIZE);
}
