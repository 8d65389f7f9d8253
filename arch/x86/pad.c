// SPDX-License-Identifier: GPL-2.0
/*
 * Write pads, and find the program's state for an address inside a pad.
 */
#include "pad.h"
#include "pad_steps.h"
#include "status.h"

/* The flags that "lock inc" changes. A comparison or an addition changes all. */
#define COUNT_CHANGES	(STATUS_ALL & ~STATUS_CF)

bool pad_saves(const struct pad *pad, const u8 *text, size_t len)
{
	bool all = pad->nr > 1 || pad_has_tail(pad) || pad_counts_apart(pad);

	return status_live(text, len) & (all ? STATUS_ALL : COUNT_CHANGES);
}

bool pad_filter_fits(const struct pad *pad)
{
	unsigned int i;

	for (i = 0; i + 1 < pad->nr; i++)
		if (!pad_condition_fits(&pad->steps[i].check, pad_uses_stack(pad)))
			return false;
	return true;
}

void pad_set_steps(struct pad *pad, const struct pad_filter *filter, enum pad_step_kind action)
{
	unsigned int i;

	for (i = 0; i < filter->nr; i++)
		pad->steps[i] = (struct pad_step) {
			.kind = PAD_CHECK, .check = filter->conditions[i],
		};
	pad->steps[i] = (struct pad_step) { .kind = (u8)action };
	pad->nr = (u8)(i + 1);
}

void pad_set_cpus(struct pad *pad, u64 at, u32 mask)
{
	struct pad_step *action = &pad->steps[pad->nr - 1];

	switch (action->kind) {
	case PAD_COUNT:
		action->counter = (struct pad_counter) { .at = at, .mask = mask };
		break;
	case PAD_ADD:
		action->histogram.at = at;
		action->histogram.mask = mask;
		break;
	case PAD_END:
		action->timing.at = at;
		action->timing.mask = mask;
		break;
	}
}

void pad_set_keys(struct pad *pad, u64 at, u64 table)
{
	struct pad_histogram *h = &pad->steps[pad->nr - 1].histogram;

	h->at = at;
	h->table = table;
}

bool pad_has_filter(const struct pad *pad, const struct pad_filter *filter)
{
	unsigned int i;

	for (i = 0; i < filter->nr && i + 1 < pad->nr; i++)
		if (!pad_condition_same(&pad->steps[i].check, &filter->conditions[i]))
			return false;
	return filter->nr + 1 == pad->nr;
}

unsigned int pad_bucket(u64 value)
{
	unsigned int power = 63 - (unsigned int)__builtin_clzll(value | 1 << PAD_BUCKET_LOG);

	power -= PAD_BUCKET_LOG;
	return (power << PAD_BUCKET_LOG) + (unsigned int)(value >> power);
}

u64 pad_bucket_begin(unsigned int bucket)
{
	const unsigned int mask = (1 << PAD_BUCKET_LOG) - 1;

	if (bucket <= mask)
		return bucket;
	if (bucket >= PAD_BUCKETS)
		return 0;
	return (u64)(mask + 1 + (bucket & mask)) << ((bucket >> PAD_BUCKET_LOG) - 1);
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
	o->nr_values = 0;
}

static void put_save(struct pad_out *o, const struct pad *pad)
{
	if (!pad_uses_stack(pad))
		return;
	/* lea -128(%rsp), %rsp; push %rax; lahf; seto %al */
	pad_put(o, (const u8 []) { 0x48, 0x8d, 0x64, 0x24, 0x80 }, 5);
	o->state.sp = 128;
	pad_put_push(o, REG_AX);
	if (!pad->saves)
		return;
	pad_put(o, (const u8 []) { 0x9f }, 1);
	pad_put(o, (const u8 []) { 0x0f, 0x90, 0xc0 }, 3);
	o->state.flags = PAD_FLAGS_TAKEN;
}

/* Behind the copies, append the trap of hits that are neither recorded nor added. */
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
	pad_put_trap(o, pad, layout);
	ssol_put_jump(UINSN_MODE_64, o->out.slot + o->out.len, o->out.slot + layout->copies[0],
		      jump);
	pad_put(o, jump, sizeof(jump));
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
	unsigned int i, at;

	while (o->nr_wide && (o->out.slot + o->out.len) % sizeof(u64))
		o->out.buf[o->out.len++] = PAD_TRAP;
	for (i = 0; i < o->nr_wide; i++) {
		at = o->out.len + o->value[i] * (unsigned int)sizeof(u64);
		uinsn_put32(o->out.buf + o->wide[i] - 4, at - o->wide[i]);
	}
	for (i = 0; i < o->nr_values; i++) {
		uinsn_put64(o->out.buf + o->out.len, o->values[i]);
		o->out.len += sizeof(u64);
	}
}

static int emit(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	unsigned int i;
	int ret = 0;

	memset(layout, 0, sizeof(*layout));
	put_save(o, pad);
	for (i = 0; !ret && i < pad->nr; i++)
		ret = pad_put_step(o, pad, &pad->steps[i], layout);
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

/* Guess what the loads of a record take. */
static unsigned int guess_loads(const struct pad_recording *r)
{
	const unsigned int page_check = 24, base = 8, step = 8, store = 8;
	const unsigned int check = 3 * 7 + 8 + 3 + 6, wide = sizeof(u64);
	unsigned int n = 0, i;

	for (i = 0; i < r->nr_loads; i++) {
		const struct pad_load *load = &r->loads[i];

		n += pad_load_words(load) *
		     (base + load->steps * step + store + (load->string ? check : 0)) + wide;
	}
	return n ? n + page_check : 0;
}

/* Guess what it takes to load words, and a key, in addition to the value in a register. */
static unsigned int guess_operands(const struct pad_histogram *h)
{
	const unsigned int page_check = 24, load = 12, base = 8, step = 8;
	unsigned int n = h->key.size ? load : 0, i;

	for (i = 0; i < h->nr_loads; i++)
		n += base + h->loads[i].steps * step;
	return n + (h->nr_loads || h->value.reg >= PAD_WORD || h->key.reg >= PAD_WORD ?
		    page_check : 0);
}

unsigned int pad_guess(const struct pad *pad)
{
	const unsigned int save = 10, restore = 15, jump = 5, short_jump = 2, pushes = 3;
	const unsigned int record = 54 + 24 + 3 + 2 * 7, value = 14, add = 136, apart = 15 + 2;
	const unsigned int wide = sizeof(u64);
	const unsigned int call_begins = 74, call_ends = 228;
	/* The address of a histogram of the processor, twice, less what is shorter with it */
	const unsigned int values_apart = 2 * (20 + wide), slot_again = 36 + 2 * wide;
	/* The histogram of a key, and its address on the stack, less what is shorter with it */
	const unsigned int key_found = 57 + 5 * wide;
	unsigned int n = pad->pun.len + jump, checks = pad->nr - 1U;

	if (pad_has_tail(pad)) {
		n += save + pushes + 3 * restore + 2 * pushes + short_jump + 1 + jump;
		if (pad_records(pad))
			n += record + pad_action(pad)->recording.nr * value + wide +
			     guess_loads(&pad_action(pad)->recording);
		else if (pad_does(pad, PAD_BEGIN))
			n += call_begins + 3 * wide;
		else if (pad_does(pad, PAD_END))
			n += call_ends + 5 * wide;
		else
			n += add + guess_operands(&pad_action(pad)->histogram);
		n += pad_cpu_mask(pad) ? values_apart + slot_again : 0;
		n += pad_has_keys(pad) ? key_found : 0;
		n += checks * (PAD_CONDITION_LEN + 6 + wide);
		return n + wide - 1;
	}
	n += pad_does(pad, PAD_COUNT) ? 8 : 1;
	n += pad_counts_apart(pad) ? apart + wide + wide - 1 : 0;
	n += pad_uses_stack(pad) ? save + restore : 0;
	n += pad->saves && !pad_does(pad, PAD_COUNT) ? short_jump + restore : 0;
	n += checks * (PAD_CONDITION_LEN + short_jump + wide);
	return n + (checks ? wide - 1 : 0);
}

bool pad_fits(const struct pad *pad)
{
	return pad_guess(pad) <= PAD_MAX - PAD_COPIES_MORE;
}

/* Find what is on the stack: see work_state::words. */
static void unwind_words(const struct work_state *work, bool saves, struct pad_state *state)
{
	s8 last = (s8)(work->words - 1), others = saves ? 1 : 0;

	state->ax = last;
	state->status = saves && last > 0 ? last - 1 : -1;
	state->cx = last > others ? last - others - 1 : -1;
	state->dx = last > others + 1 ? last - others - 2 : -1;
	state->value = last > others + 2 ? 0 : -1;
}

/* In the work and in the tail, nothing of the program has been executed. */
static void unwind_work(const struct pad_out *o, const struct pad *pad, unsigned int offset,
			u64 flags, struct pad_state *state)
{
	const struct work_mark *mark = o->marks + o->nr_marks - 1;
	bool counted;

	while (mark->at > offset)
		mark--;
	counted = mark->state.counted == COUNTED ||
		  (mark->state.counted == COUNTED_IF_ZF && flags & STATUS_ZF);
	*state = (struct pad_state) {
		.ip = pad->addr,
		.sp = mark->state.sp,
		.flags = mark->state.flags,
		.counted = counted,
		.owes = counted ? mark->state.owes : PAD_OWES_NOTHING,
	};
	unwind_words(&mark->state, pad->saves, state);
}

/* Write a pad for its marks alone. The buffer is not on the stack of the caller. */
static noinline_for_stack int emit_marks(struct pad_out *o, const struct pad *pad, u64 at,
					 struct pad_layout *layout)
{
	u8 buf[PAD_MAX];
	int ret;

	begin(o, at, buf);
	ret = emit(o, pad, layout);
	o->out.buf = NULL;
	return ret;
}

bool pad_unwind(const struct pad *pad, u64 at, u64 ip, u64 flags, struct pad_state *state)
{
	const struct ssol_mark *mark;
	struct pad_layout layout;
	struct pad_out o;

	if (ip - at >= PAD_MAX || emit_marks(&o, pad, at, &layout) || ip - at >= o.out.len)
		return false;
	if (!pad_in_copies(&layout, ip - at)) {
		unwind_work(&o, pad, (unsigned int)(ip - at), flags, state);
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
		.value = -1,
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
