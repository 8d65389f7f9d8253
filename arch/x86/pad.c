// SPDX-License-Identifier: GPL-2.0
/*
 * Write pads, and find the program's state for an address inside a pad.
 */
#include "pad.h"
#include "ssol_emit.h"
#include "status.h"

#define MOV_LOAD	0x8b
#define LEA		0x8d
#define JMP_SHORT	0xeb
#define JAE		0x83
#define JNE		0x85

/* The registers that a record is made with, by their numbers in ModRM */
#define REG_AX		0
#define REG_CX		1
#define REG_DX		2
#define REG_SP		4

/* The flags that "lock inc" changes. A comparison changes all. */
#define COUNT_CHANGES	(STATUS_ALL & ~STATUS_CF)

/**
 * struct work_state - the state outside the copies, where the program's ip is that of the hit
 * @sp: see struct pad_state, as the others
 * @flags: likewise
 * @words: how many words are on the stack: rax, the flags if they are saved, rcx, rdx
 * @counted: likewise
 */
struct work_state {
	s16 sp;
	u8 flags;
	u8 words;
	bool counted;
};

/**
 * struct work_mark - an instruction before the copies, or in the tail
 * @at: its offset
 * @state: the state of a thread that is about to execute it
 */
struct work_mark {
	u16 at;
	struct work_state state;
};

/* To save, the conditions, a record, its check, to restore three times, two jumps and the trap. */
#define WORK_MARKS	(4 + 2 * PAD_CONDITIONS + 16 + 2 * PAD_VALUES + 4 + 3 * 7 + 3)

/* The values of the conditions, and the address of the heads */
#define WIDE_VALUES	(PAD_CONDITIONS + 1)

/**
 * struct pad_out - a pad that is being emitted
 * @out: the code
 * @state: the state at its end, outside the copies
 * @nr_marks: number of @marks
 * @nr_rejects: number of @rejects
 * @nr_fulls: number of @fulls
 * @nr_wide: number of @wide
 * @marks: the instructions before the copies, and those of the tail
 * @rejects: offsets behind the jumps of hits that fail a condition
 * @fulls: offsets behind the jumps of hits that cannot be recorded
 * @begun: the state in which these jumps are taken
 * @wide: offsets behind the distances to values that are no immediates
 * @values: these values
 */
struct pad_out {
	struct ssol_out out;
	struct work_state state;
	u8 nr_marks;
	u8 nr_rejects;
	u8 nr_fulls;
	u8 nr_wide;
	struct work_mark marks[WORK_MARKS];
	u16 rejects[PAD_CONDITIONS];
	u16 fulls[2];
	struct work_state begun;
	u16 wide[WIDE_VALUES];
	u64 values[WIDE_VALUES];
};

bool pad_saves(const struct pad *pad, const u8 *text, size_t len)
{
	return status_live(text, len) &
	       (pad->filter.nr || pad->records ? STATUS_ALL : COUNT_CHANGES);
}

bool pad_filter_fits(const struct pad *pad)
{
	unsigned int i;

	for (i = 0; i < pad->filter.nr; i++)
		if (!pad_condition_fits(&pad->filter.conditions[i], pad_uses_stack(pad)))
			return false;
	return true;
}

/* Begin with nothing. The rest of the structure is large, and is written before it is read. */
static void begin(struct pad_out *o, u64 at, u8 *buf)
{
	o->out.buf = buf;
	o->out.slot = at;
	o->out.len = 0;
	o->out.marks = 0;
	o->state = (struct work_state) {};
	o->nr_marks = 0;
	o->nr_rejects = 0;
	o->nr_fulls = 0;
	o->nr_wide = 0;
}

/* Append an instruction that is not of the copies. */
static void put(struct pad_out *o, const u8 *bytes, size_t len)
{
	o->marks[o->nr_marks++] = (struct work_mark) { .at = (u16)o->out.len, .state = o->state };
	memcpy(o->out.buf + o->out.len, bytes, len);
	o->out.len += len;
}

static void put_push(struct pad_out *o, unsigned int reg)
{
	put(o, (const u8 []) { (u8)(0x50 + reg) }, 1);
	o->state.sp += sizeof(u64);
	o->state.words++;
}

static void put_pop(struct pad_out *o, unsigned int reg)
{
	put(o, (const u8 []) { (u8)(0x58 + reg) }, 1);
	o->state.sp -= sizeof(u64);
	o->state.words--;
}

static void put_save(struct pad_out *o, const struct pad *pad)
{
	if (!pad_uses_stack(pad))
		return;
	/* lea -128(%rsp), %rsp; push %rax; lahf; seto %al */
	put(o, (const u8 []) { 0x48, 0x8d, 0x64, 0x24, 0x80 }, 5);
	o->state.sp = 128;
	put_push(o, REG_AX);
	if (!pad->saves)
		return;
	put(o, (const u8 []) { 0x9f }, 1);
	put(o, (const u8 []) { 0x0f, 0x90, 0xc0 }, 3);
	o->state.flags = PAD_FLAGS_TAKEN;
}

/* Restore what is on the stack, and the flags. */
static void put_restore(struct pad_out *o, const struct pad *pad)
{
	if (!pad_uses_stack(pad))
		return;
	if (o->state.words > 1) {
		put_pop(o, REG_DX);
		put_pop(o, REG_CX);
		if (pad->saves)
			put_pop(o, REG_AX);
	}
	/* add $127, %al; sahf; pop %rax; lea 128(%rsp), %rsp */
	if (pad->saves) {
		put(o, (const u8 []) { 0x04, 0x7f }, 2);
		o->state.flags = PAD_FLAGS_ADDED;
		put(o, (const u8 []) { 0x9e }, 1);
		o->state.flags = PAD_FLAGS_KEPT;
	}
	put_pop(o, REG_AX);
	put(o, (const u8 []) { 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0 }, 8);
	o->state.sp = 0;
}

/* The last instruction ends with the distance to a value that is no immediate. */
static void add_wide(struct pad_out *o, u64 value)
{
	o->values[o->nr_wide] = value;
	o->wide[o->nr_wide++] = (u16)o->out.len;
}

static void put_filter(struct pad_out *o, const struct pad *pad)
{
	unsigned int i;

	for (i = 0; i < pad->filter.nr; i++) {
		const struct pad_condition *condition = &pad->filter.conditions[i];
		u8 code[PAD_CONDITION_LEN], jump[6] = {};
		bool wide;

		put(o, code, pad_condition_emit(condition, pad_uses_stack(pad), code, &wide));
		if (wide)
			add_wide(o, condition->value);
		/* The near form of a short jump has a prefix, and an opcode that is 16 higher. */
		jump[0] = 0x0f;
		jump[1] = (u8)(pad_condition_fails(condition) + 0x10);
		if (pad->records)
			put(o, jump, sizeof(jump));
		else
			put(o, (const u8 []) { pad_condition_fails(condition), 0 }, 2);
		o->rejects[o->nr_rejects++] = (u16)o->out.len;
	}
}

/* Have the hits that fail a condition go on at the end of the code. */
static void land_rejects(struct pad_out *o, const struct pad *pad)
{
	unsigned int i;

	for (i = 0; i < o->nr_rejects; i++) {
		unsigned int distance = o->out.len - o->rejects[i];

		if (pad->records)
			uinsn_put32(o->out.buf + o->rejects[i] - 4, distance);
		else
			o->out.buf[o->rejects[i] - 1] = (u8)distance;
	}
}

/* Append a short jump forward. Return the offset behind it. */
static unsigned int put_short(struct pad_out *o, u8 opcode)
{
	put(o, (const u8 []) { opcode, 0 }, 2);
	return o->out.len;
}

/* Have a short jump lead to the end of the code. */
static void land_short(struct pad_out *o, unsigned int behind)
{
	o->out.buf[behind - 1] = (u8)(o->out.len - behind);
}

static int put_count(struct pad_out *o, const struct pad *pad)
{
	/* lock incq distance(%rip) */
	u8 code[8] = { 0xf0, 0x48, 0xff, 0x05 };
	s64 distance = (s64)(pad->counter - (o->out.slot + o->out.len + sizeof(code)));

	if (distance != (s32)distance)
		return -ERANGE;
	uinsn_put32(code + 4, (u32)distance);
	put(o, code, sizeof(code));
	o->state.counted = true;
	land_rejects(o, pad);
	put_restore(o, pad);
	return 0;
}

/* Append the way of hits that fail a condition, in the state @rejected; others jump past it. */
static void put_reject(struct pad_out *o, const struct pad *pad, struct work_state rejected)
{
	unsigned int jump;

	if (!pad_uses_stack(pad) || !o->nr_rejects) {
		land_rejects(o, pad);
		return;
	}
	jump = put_short(o, JMP_SHORT);
	land_rejects(o, pad);
	o->state = rejected;
	put_restore(o, pad);
	land_short(o, jump);
}

static void put_trap(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	put_restore(o, pad);
	layout->trap = (u16)o->out.len;
	put(o, (const u8 []) { PAD_TRAP }, 1);
}

static void put_filtered_trap(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	struct work_state rejected = o->state;

	put_trap(o, pad, layout);
	put_reject(o, pad, rejected);
}

/* Load the address of a byte from the program's stack pointer on, or the word there, into rdx. */
static void put_stack(struct pad_out *o, u8 opcode, unsigned int offset)
{
	/* opcode disp32(%rsp), %rdx */
	u8 code[8] = { 0x48, opcode, 0x94, 0x24 };

	uinsn_put32(code + 4, (u32)o->state.sp + offset);
	put(o, code, sizeof(code));
}

/* Append a jump to the tail, where the hit traps. */
static void put_full(struct pad_out *o, u8 opcode)
{
	put(o, (const u8 []) { 0x0f, opcode, 0, 0, 0, 0 }, 6);
	o->fulls[o->nr_fulls++] = (u16)o->out.len;
}

/*
 * Leave the record if its words end on another page than the pushed registers. The page at the
 * stack pointer is there, as a word was pushed on it.
 */
static void put_check(struct pad_out *o, const struct pad *pad)
{
	const struct pad_recording *r = &pad->recording;

	if (!r->nr || r->regs[r->nr - 1] < PAD_WORD)
		return;
	/* lea end(%rsp), %rdx; xor %rsp, %rdx; shr $12, %rdx */
	put_stack(o, LEA, (r->regs[r->nr - 1] - PAD_WORD + 1U) * sizeof(u64) - 1);
	put(o, (const u8 []) { 0x48, 0x31, 0xe2 }, 3);
	put(o, (const u8 []) { 0x48, 0xc1, 0xea, 0x0c }, 4);
	put_full(o, JNE);
}

/* Store a register of the program, or a word of its stack, in the record at rcx + rax. */
static void put_value(struct pad_out *o, const struct pad *pad, unsigned int nr)
{
	unsigned int reg = pad->recording.regs[nr];
	u8 at = (u8)(sizeof(struct pad_record) + nr * sizeof(u64));
	u8 word = REG_DX - (u8)reg, rex;

	if (reg == REG_SP || reg >= PAD_WORD) {
		if (reg == REG_SP)
			put_stack(o, LEA, 0);
		else
			put_stack(o, MOV_LOAD, (reg - PAD_WORD) * sizeof(u64));
		reg = REG_DX;
	} else if (reg <= REG_DX) {
		/* mov word(%rsp), %rdx; rax is the last word */
		if (reg == REG_AX)
			word = o->state.words - 1;
		put(o, (const u8 []) { 0x48, 0x8b, 0x54, 0x24, (u8)(word * sizeof(u64)) }, 5);
		reg = REG_DX;
	}
	/* mov %reg, at(%rcx,%rax) */
	rex = (u8)(0x48 | (reg > 7 ? 4 : 0));
	put(o, (const u8 []) { rex, 0x89, (u8)(0x44 | (reg & 7) << 3), 0x01, at }, 5);
}

static void put_record(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	const struct pad_recording *r = &pad->recording;
	struct work_state rejected = o->state;
	u8 id[9] = { 0x48, 0xc7, 0x44, 0x01, 0x08 }, mask[5] = { 0x25 };
	unsigned int i;
	u8 size;

	if (pad->saves)
		put_push(o, REG_AX);
	put_push(o, REG_CX);
	put_push(o, REG_DX);
	o->begun = o->state;
	layout->record = (u16)o->out.len;
	/* rdtscp; shl $32, %rdx; or %rax, %rdx; and $PAD_CPUS - 1, %ecx; shl $6, %ecx */
	put(o, (const u8 []) { 0x0f, 0x01, 0xf9 }, 3);
	put(o, (const u8 []) { 0x48, 0xc1, 0xe2, 0x20 }, 4);
	put(o, (const u8 []) { 0x48, 0x09, 0xc2 }, 3);
	put(o, (const u8 []) { 0x81, 0xe1, 0xff, 0x0f, 0, 0 }, 6);
	put(o, (const u8 []) { 0xc1, 0xe1, 0x06 }, 3);
	/* add heads(%rip), %rcx; mov (%rcx), %rax; cmp 8(%rcx), %rax; jae tail */
	put(o, (const u8 []) { 0x48, 0x03, 0x0d, 0, 0, 0, 0 }, 7);
	add_wide(o, r->heads);
	put(o, (const u8 []) { 0x48, 0x8b, 0x01 }, 3);
	put(o, (const u8 []) { 0x48, 0x3b, 0x41, 0x08 }, 4);
	put_full(o, JAE);
	/* and $mask, %eax; mov %rdx, (%rcx,%rax); movq $id, 8(%rcx,%rax) */
	uinsn_put32(mask + 1, r->mask);
	put(o, mask, sizeof(mask));
	put(o, (const u8 []) { 0x48, 0x89, 0x14, 0x01 }, 4);
	put_check(o, pad);
	uinsn_put32(id + 5, r->id);
	put(o, id, sizeof(id));
	for (i = 0; i < r->nr; i++)
		put_value(o, pad, i);
	/* addq $size, (%rcx) */
	size = (u8)(sizeof(struct pad_record) + r->nr * sizeof(u64));
	layout->commit = (u16)o->out.len;
	put(o, (const u8 []) { 0x48, 0x83, 0x01, size }, 4);
	o->state.counted = true;
	put_restore(o, pad);
	put_reject(o, pad, rejected);
}

/* Behind the copies, append the trap of hits that cannot be recorded. */
static void put_tail(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	unsigned int i;
	u8 jump[5];

	if (!o->nr_fulls)
		return;
	layout->tail = (u16)o->out.len;
	for (i = 0; i < o->nr_fulls; i++)
		uinsn_put32(o->out.buf + o->fulls[i] - 4, o->out.len - o->fulls[i]);
	o->state = o->begun;
	put_trap(o, pad, layout);
	ssol_put_jump(UINSN_MODE_64, o->out.slot + o->out.len, o->out.slot + layout->copies[0],
		      jump);
	put(o, jump, sizeof(jump));
}

/* Mark the place behind the LOCK prefix of a copy, where a thread may begin. */
static void mark_unlocked(struct ssol_out *out, unsigned int copy, u64 addr)
{
	unsigned int len = out->len;

	out->len = copy + 1;
	ssol_mark(out, addr + 1, false, 0);
	out->len = len;
}

static int put_copies(struct ssol_out *out, const struct pad *pad, struct pad_layout *layout)
{
	const struct pun *pun = &pad->pun;
	struct ssol_plan plan = {};
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < pun->nr; i++) {
		layout->copies[i] = (u16)out->len;
		ret = ssol_plan_insn(&plan, pun->text + pun->at[i], pun->len - pun->at[i],
				     UINSN_MODE_64, NULL) ?:
		      ssol_emit_insn(out, &plan, pad->addr + pun->at[i]);
		if (!ret && (plan.insn.prefixes & UINSN_PREFIX_LOCK))
			mark_unlocked(out, layout->copies[i], pad->addr + pun->at[i]);
	}
	if (ret || !ssol_goes_on(&plan))
		return ret;
	ssol_mark(out, pad->addr + pun->len, true, 0);
	out->len += ssol_put_jump(UINSN_MODE_64, out->slot + out->len, pad->addr + pun->len,
				  out->buf + out->len);
	return 0;
}

/* Append the values that are no immediates. They are aligned, as the program may have AC set. */
static void put_wide(struct pad_out *o)
{
	unsigned int i;

	while (o->nr_wide && (o->out.slot + o->out.len) % sizeof(u64))
		o->out.buf[o->out.len++] = PAD_TRAP;
	for (i = 0; i < o->nr_wide; i++) {
		uinsn_put32(o->out.buf + o->wide[i] - 4, o->out.len - o->wide[i]);
		uinsn_put64(o->out.buf + o->out.len, o->values[i]);
		o->out.len += sizeof(u64);
	}
}

static int emit(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	int ret = 0;

	memset(layout, 0, sizeof(*layout));
	put_save(o, pad);
	put_filter(o, pad);
	if (pad->counts)
		ret = put_count(o, pad);
	else if (pad->records)
		put_record(o, pad, layout);
	else
		put_filtered_trap(o, pad, layout);
	ret = ret ? ret : put_copies(&o->out, pad, layout);
	put_tail(o, pad, layout);
	put_wide(o);
	return ret;
}

int pad_emit(const struct pad *pad, u64 at, u8 *buf, struct pad_layout *layout)
{
	struct pad_out o;
	int ret;

	begin(&o, at, buf);
	ret = emit(&o, pad, layout);
	return ret ? ret : (int)o.out.len;
}

unsigned int pad_guess(const struct pad *pad)
{
	const unsigned int save = 10, restore = 15, jump = 5, short_jump = 2, pushes = 3;
	const unsigned int record = 54 + 21, value = 12, wide = sizeof(u64);
	unsigned int n = pad->pun.len + jump;

	if (pad->records) {
		n += save + pushes + record + pad->recording.nr * value;
		n += 3 * restore + 2 * pushes + short_jump + 1 + jump + wide;
		n += pad->filter.nr * (PAD_CONDITION_LEN + 6 + wide);
		return n + wide - 1;
	}
	n += pad->counts ? 8 : 1;
	n += pad->saves ? save + restore : 0;
	n += pad->saves && !pad->counts ? short_jump + restore : 0;
	n += pad->filter.nr * (PAD_CONDITION_LEN + short_jump + wide);
	return n + (pad->filter.nr ? wide - 1 : 0);
}

/* Find what is on the stack: rax, the flags if they are saved, rcx, rdx. */
static void unwind_words(const struct work_state *work, bool saves, struct pad_state *state)
{
	s8 last = (s8)(work->words - 1), others = saves ? 1 : 0;

	state->ax = last;
	state->status = saves && last > 0 ? last - 1 : -1;
	state->cx = last > others ? last - others - 1 : -1;
	state->dx = last > others + 1 ? last - others - 2 : -1;
}

/* In the work and in the tail, nothing of the program has been executed. */
static void unwind_work(const struct pad_out *o, const struct pad *pad, unsigned int offset,
			struct pad_state *state)
{
	const struct work_mark *mark = o->marks + o->nr_marks - 1;

	while (mark->at > offset)
		mark--;
	*state = (struct pad_state) {
		.ip = pad->addr,
		.sp = mark->state.sp,
		.flags = mark->state.flags,
		.counted = mark->state.counted,
	};
	unwind_words(&mark->state, pad->saves, state);
}

bool pad_unwind(const struct pad *pad, u64 at, u64 ip, struct pad_state *state)
{
	const struct ssol_mark *mark;
	struct pad_layout layout;
	u8 buf[PAD_MAX];
	struct pad_out o;

	begin(&o, at, buf);
	if (ip - at >= PAD_MAX || emit(&o, pad, &layout) || ip - at >= o.out.len)
		return false;
	if (!pad_in_copies(&layout, ip - at)) {
		unwind_work(&o, pad, (unsigned int)(ip - at), state);
		return true;
	}
	mark = ssol_mark_of(&o.out, ip);
	if (!mark)
		return false;
	*state = (struct pad_state) {
		.ip = mark->ip,
		.sp = mark->sp,
		.ax = -1,
		.cx = -1,
		.dx = -1,
		.status = -1,
		.counted = mark->ip == pad->addr && !mark->done,
	};
	return true;
}

u64 pad_flags(const struct pad_state *state, u64 flags, u64 ax)
{
	u64 mask = STATUS_ALL & ~STATUS_OF;
	bool overflow;

	if (state->flags == PAD_FLAGS_KEPT)
		return flags;
	overflow = ax & (state->flags == PAD_FLAGS_TAKEN ? 0x01 : 0x80);
	return (flags & ~(u64)STATUS_ALL) | (ax >> 8 & mask) | (overflow ? STATUS_OF : 0);
}
