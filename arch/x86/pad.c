// SPDX-License-Identifier: GPL-2.0
/*
 * Write pads, and find the program's state for an address inside a pad.
 */
#include "pad.h"
#include "ssol_emit.h"
#include "status.h"

/* lock incq disp32(%rip); what it changes of the flags */
static const u8 count[] = { 0xf0, 0x48, 0xff, 0x05 };
#define COUNT_LEN	(sizeof(count) + 4)
#define COUNT_CHANGES	(STATUS_ALL & ~STATUS_CF)

static const u8 save[] = {
	0x48, 0x8d, 0x64, 0x24, 0x80,			/* lea -128(%rsp), %rsp */
	0x50,						/* push %rax */
	0x9f,						/* lahf */
	0x0f, 0x90, 0xc0,				/* seto %al */
};

static const u8 restore[] = {
	0x04, 0x7f,					/* add $127, %al */
	0x9e,						/* sahf */
	0x58,						/* pop %rax */
	0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00,	/* lea 128(%rsp), %rsp */
};

/**
 * struct work_mark - a place in the first part of a saving pad
 * @at: offset of the instruction that comes next
 * @state: what pad_unwind() says; without ip
 */
struct work_mark {
	u8 at;
	struct pad_state state;
};

#define COUNTED		(sizeof(save) + COUNT_LEN)

static const struct work_mark work_marks[] = {
	{ 0, { 0 } },
	{ 5, { .sp = 128 } },
	{ 6, { .sp = 136, .pushed = true } },
	{ COUNTED, { .sp = 136, .pushed = true, .flags = PAD_FLAGS_TAKEN, .counted = true } },
	{ COUNTED + 2, { .sp = 136, .pushed = true, .flags = PAD_FLAGS_ADDED, .counted = true } },
	{ COUNTED + 3, { .sp = 136, .pushed = true, .counted = true } },
	{ COUNTED + 4, { .sp = 128, .counted = true } },
};

static unsigned int work_len(const struct pad *pad)
{
	return COUNT_LEN + (pad->saves ? sizeof(save) + sizeof(restore) : 0);
}

bool pad_saves(const u8 *text, size_t len)
{
	return status_live(text, len) & COUNT_CHANGES;
}

static void put(struct ssol_out *out, const u8 *bytes, size_t len)
{
	memcpy(out->buf + out->len, bytes, len);
	out->len += len;
}

static int put_work(struct ssol_out *out, const struct pad *pad)
{
	s64 distance;

	if (pad->saves)
		put(out, save, sizeof(save));
	put(out, count, sizeof(count));
	distance = (s64)(pad->counter - (out->slot + out->len + 4));
	if (distance != (s32)distance)
		return -ERANGE;
	uinsn_put32(out->buf + out->len, (u32)distance);
	out->len += 4;
	if (pad->saves)
		put(out, restore, sizeof(restore));
	return 0;
}

/* Mark the place behind the LOCK prefix of a copy, where a thread may begin. */
static void mark_unlocked(struct ssol_out *out, unsigned int copy, u64 addr)
{
	unsigned int len = out->len;

	out->len = copy + 1;
	ssol_mark(out, addr + 1, false, 0);
	out->len = len;
}

static int emit(struct ssol_out *out, const struct pad *pad, u8 copies[PUN_INSNS])
{
	const struct pun *pun = &pad->pun;
	struct ssol_plan plan = {};
	unsigned int i;
	int ret;

	ret = put_work(out, pad);
	for (i = 0; !ret && i < pun->nr; i++) {
		copies[i] = (u8)out->len;
		ret = ssol_plan_insn(&plan, pun->text + pun->at[i], pun->len - pun->at[i],
				     UINSN_MODE_64, NULL) ?:
		      ssol_emit_insn(out, &plan, pad->addr + pun->at[i]);
		if (!ret && (plan.insn.prefixes & UINSN_PREFIX_LOCK))
			mark_unlocked(out, copies[i], pad->addr + pun->at[i]);
	}
	if (ret || !ssol_goes_on(&plan))
		return ret;
	ssol_mark(out, pad->addr + pun->len, true, 0);
	out->len += ssol_put_jump(UINSN_MODE_64, out->slot + out->len, pad->addr + pun->len,
				  out->buf + out->len);
	return 0;
}

int pad_emit(const struct pad *pad, u64 at, u8 *buf, u8 copies[PUN_INSNS])
{
	struct ssol_out out = { .buf = buf, .slot = at };
	int ret = emit(&out, pad, copies);

	return ret ? ret : (int)out.len;
}

/* Before the copies, nothing of the program has been executed. */
static void unwind_work(const struct pad *pad, unsigned int offset, struct pad_state *state)
{
	unsigned int i = ARRAY_SIZE(work_marks) - 1;

	memset(state, 0, sizeof(*state));
	if (pad->saves) {
		while (work_marks[i].at > offset)
			i--;
		*state = work_marks[i].state;
	}
	state->ip = pad->addr;
}

bool pad_unwind(const struct pad *pad, u64 at, u64 ip, struct pad_state *state)
{
	u8 buf[PAD_MAX], copies[PUN_INSNS];
	struct ssol_out out = { .buf = buf, .slot = at };
	const struct ssol_mark *mark;

	if (ip - at >= PAD_MAX)
		return false;
	if (ip - at < work_len(pad)) {
		unwind_work(pad, (unsigned int)(ip - at), state);
		return true;
	}
	if (emit(&out, pad, copies))
		return false;
	mark = ssol_mark_of(&out, ip);
	if (!mark)
		return false;
	memset(state, 0, sizeof(*state));
	state->ip = mark->ip;
	state->sp = mark->sp;
	state->counted = mark->ip == pad->addr && !mark->done;
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
