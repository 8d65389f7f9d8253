// SPDX-License-Identifier: GPL-2.0
/*
 * Append instructions to a pad, and keep the state of the program.
 */
#include "pad_out.h"

/* Mark the end of the code, unless its state is the same as behind the last mark. */
static void mark(struct pad_out *o)
{
	if (o->nr_marks && !memcmp(&o->marks[o->nr_marks - 1].state, &o->state, sizeof(o->state)))
		return;
	o->marks[o->nr_marks++] = (struct work_mark) { .at = (u16)o->out.len, .state = o->state };
}

void pad_put(struct pad_out *o, const u8 *bytes, size_t len)
{
	mark(o);
	memcpy(o->out.buf + o->out.len, bytes, len);
	o->out.len += len;
}

void pad_add_wide(struct pad_out *o, u64 value)
{
	u8 i = 0;

	while (i < o->nr_values && o->values[i] != value)
		i++;
	o->values[i] = value;
	if (i == o->nr_values)
		o->nr_values++;
	o->value[o->nr_wide] = i;
	o->wide[o->nr_wide++] = (u16)o->out.len;
}

void pad_put_wide(struct pad_out *o, u8 opcode, unsigned int reg, u64 value)
{
	/* opcode distance(%rip), %reg */
	pad_put(o, (const u8 []) { 0x48, opcode, (u8)(0x05 | reg << 3), 0, 0, 0, 0 }, 7);
	pad_add_wide(o, value);
}

unsigned int pad_put_short(struct pad_out *o, u8 opcode)
{
	pad_put(o, (const u8 []) { opcode, 0 }, 2);
	return o->out.len;
}

void pad_land_short(struct pad_out *o, unsigned int behind)
{
	o->out.buf[behind - 1] = (u8)(o->out.len - behind);
}

void pad_put_full(struct pad_out *o, u8 opcode)
{
	pad_put(o, (const u8 []) { 0x0f, opcode, 0, 0, 0, 0 }, 6);
	o->fulls[o->nr_fulls++] = (u16)o->out.len;
}

void pad_put_push(struct pad_out *o, unsigned int reg)
{
	pad_put(o, (const u8 []) { (u8)(0x50 + reg) }, 1);
	o->state.sp += sizeof(u64);
	o->state.words++;
}

void pad_put_pop(struct pad_out *o, unsigned int reg)
{
	pad_put(o, (const u8 []) { (u8)(0x58 + reg) }, 1);
	o->state.sp -= sizeof(u64);
	o->state.words--;
}

void pad_put_restore(struct pad_out *o, const struct pad *pad)
{
	if (!pad_uses_stack(pad))
		return;
	if (o->state.words > 1) {
		pad_put_pop(o, REG_DX);
		pad_put_pop(o, REG_CX);
		if (pad->saves)
			pad_put_pop(o, REG_AX);
	}
	/* add $127, %al; sahf; pop %rax; lea 128(%rsp), %rsp */
	if (pad->saves) {
		pad_put(o, (const u8 []) { 0x04, 0x7f }, 2);
		o->state.flags = PAD_FLAGS_ADDED;
		pad_put(o, (const u8 []) { 0x9e }, 1);
		o->state.flags = PAD_FLAGS_KEPT;
	}
	pad_put_pop(o, REG_AX);
	pad_put(o, (const u8 []) { 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0 }, 8);
	o->state.sp = 0;
}

void pad_put_trap(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	pad_put_restore(o, pad);
	layout->trap = (u16)o->out.len;
	pad_put(o, (const u8 []) { PAD_TRAP }, 1);
}
