// SPDX-License-Identifier: GPL-2.0
/*
 * Write the steps of pads.
 */
#include "pad_steps.h"
#include "pad_value.h"

/* Compare, and leave if the condition does not hold. */
static void put_check(struct pad_out *o, const struct pad *pad,
		      const struct pad_condition *condition)
{
	u8 code[PAD_CONDITION_LEN], jump[6] = {};
	bool wide;

	pad_put(o, code, pad_condition_emit(condition, pad_uses_stack(pad), code, &wide));
	if (wide)
		pad_add_wide(o, condition->value);
	/* The near form of a short jump has a prefix, and an opcode that is 16 higher. */
	jump[0] = 0x0f;
	jump[1] = (u8)(pad_condition_fails(condition) + 0x10);
	if (pad_has_tail(pad))
		pad_put(o, jump, sizeof(jump));
	else
		pad_put(o, (const u8 []) { pad_condition_fails(condition), 0 }, 2);
	o->rejects[o->nr_rejects++] = (u16)o->out.len;
}

/* Have the hits that fail a condition go on at the end of the code. */
static void land_rejects(struct pad_out *o, const struct pad *pad)
{
	unsigned int i;

	for (i = 0; i < o->nr_rejects; i++) {
		unsigned int distance = o->out.len - o->rejects[i];

		if (pad_has_tail(pad))
			uinsn_put32(o->out.buf + o->rejects[i] - 4, distance);
		else
			o->out.buf[o->rejects[i] - 1] = (u8)distance;
	}
}

/* Append an instruction that ends with the distance to @addr. */
static int put_near(struct pad_out *o, u8 *code, size_t len, u64 addr)
{
	s64 distance = (s64)(addr - (o->out.slot + o->out.len + len));

	uinsn_put32(code + len - 4, (u32)distance);
	pad_put(o, code, len);
	return distance == (s32)distance ? 0 : -ERANGE;
}

/* Load the address at @at of the processor, whose number is under @mask, into a register. */
static void put_apart(struct pad_out *o, unsigned int reg, u64 at, u32 mask)
{
	u8 and[6] = { 0x81, (u8)(0xe0 | reg) };

	/* rdpid %reg; and $mask, %reg; shl $12, %reg; add at(%rip), %reg */
	pad_put(o, (const u8 []) { 0xf3, 0x0f, 0xc7, (u8)(0xf8 | reg) }, 4);
	uinsn_put32(and + 2, mask);
	pad_put(o, and, sizeof(and));
	pad_put(o, (const u8 []) { 0xc1, (u8)(0xe0 | reg), 0x0c }, 3);
	pad_put_wide(o, ADD, reg, at);
}

/*
 * Increment the counter of the processor. The thread may lose the processor after it has read the
 * number: then another thread may increment the same counter, so the prefix is needed.
 */
static void put_count_apart(struct pad_out *o, const struct pad *pad)
{
	const struct pad_counter *counter = &pad_action(pad)->counter;

	/* The flags */
	if (pad->saves)
		pad_put_push(o, REG_AX);
	put_apart(o, REG_AX, counter->at, counter->mask);
	/* lock incq (%rax) */
	pad_put(o, (const u8 []) { 0xf0, 0x48, 0xff, 0x00 }, 4);
	o->state.counted = COUNTED;
	if (pad->saves)
		pad_put_pop(o, REG_AX);
}

static int put_count(struct pad_out *o, const struct pad *pad)
{
	/* lock incq distance(%rip) */
	u8 code[8] = { 0xf0, 0x48, 0xff, 0x05 };
	int ret = 0;

	if (pad_counts_apart(pad))
		put_count_apart(o, pad);
	else
		ret = put_near(o, code, sizeof(code), pad_action(pad)->counter.at);
	o->state.counted = COUNTED;
	land_rejects(o, pad);
	pad_put_restore(o, pad);
	return ret;
}

/* Append the way of hits that fail a condition, in the state @rejected; others jump past it. */
static void put_reject(struct pad_out *o, const struct pad *pad, struct work_state rejected)
{
	unsigned int jump;

	if (!pad_uses_stack(pad) || !o->nr_rejects) {
		land_rejects(o, pad);
		return;
	}
	jump = pad_put_short(o, JMP_SHORT);
	land_rejects(o, pad);
	o->state = rejected;
	pad_put_restore(o, pad);
	pad_land_short(o, jump);
}

static void put_filtered_trap(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	struct work_state rejected = o->state;

	pad_put_trap(o, pad, layout);
	put_reject(o, pad, rejected);
}

/* Store a register of the program, or a word of its stack, in the record at rcx + rax. */
static void put_value(struct pad_out *o, const struct pad_recording *r, unsigned int nr)
{
	unsigned int reg = pad_put_load(o, r->regs[nr]);
	u8 at = (u8)(sizeof(struct pad_record) + nr * sizeof(u64));
	u8 rex = (u8)(0x48 | (reg > 7 ? 4 : 0));

	/* mov %reg, at(%rcx,%rax) */
	pad_put(o, (const u8 []) { rex, 0x89, (u8)(0x44 | (reg & 7) << 3), 0x01, at }, 5);
}

/* Push the registers that a record, or a histogram, is made with. */
static void put_pushes(struct pad_out *o, const struct pad *pad)
{
	if (pad->saves)
		pad_put_push(o, REG_AX);
	pad_put_push(o, REG_CX);
	pad_put_push(o, REG_DX);
	o->begun = o->state;
}

/* Add a number to the distance of the next record, in rax. */
static void put_more(struct pad_out *o, int more)
{
	/* lea more(%rax), %rax */
	u8 code[7] = { 0x48, LEA, 0x80 };

	uinsn_put32(code + 3, (u32)more);
	pad_put(o, code, sizeof(code));
}

/* Get the last word of the stack that a pad reads, or a register; @last: but for its loads. */
static unsigned int last_word(const struct pad *pad, unsigned int last)
{
	const struct pad_load *load;
	unsigned int nr;

	for (load = pad_loads(pad, &nr); nr; nr--, load++)
		last = load->from > last ? load->from : last;
	return last;
}

static void put_record(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	const struct pad_recording *r = &pad_action(pad)->recording;
	struct work_state rejected = o->state;
	u8 id[9] = { 0x48, 0xc7, 0x44, 0x01, 0x08 }, mask[5] = { 0x25 };
	u32 size = sizeof(struct pad_record) + pad_record_words(r) * (u32)sizeof(u64);
	int more = size > PAD_RECORD_USUAL ? (int)(size - PAD_RECORD_USUAL) : 0;
	u8 commit[7] = { 0x48, 0x81, 0x01 };
	unsigned int i;

	put_pushes(o, pad);
	layout->record = (u16)o->out.len;
	/* rdtscp; shl $32, %rdx; or %rax, %rdx; and $PAD_CPUS - 1, %ecx; shl $6, %ecx */
	pad_put(o, (const u8 []) { 0x0f, 0x01, 0xf9 }, 3);
	pad_put(o, (const u8 []) { 0x48, 0xc1, 0xe2, 0x20 }, 4);
	pad_put(o, (const u8 []) { 0x48, 0x09, 0xc2 }, 3);
	pad_put(o, (const u8 []) { 0x81, 0xe1, 0xff, 0x0f, 0, 0 }, 6);
	pad_put(o, (const u8 []) { 0xc1, 0xe1, 0x06 }, 3);
	/* add heads(%rip), %rcx; mov (%rcx), %rax; cmp 8(%rcx), %rax; jae tail */
	pad_put_wide(o, ADD, REG_CX, r->heads);
	pad_put(o, (const u8 []) { 0x48, 0x8b, 0x01 }, 3);
	if (more)
		put_more(o, more);
	pad_put(o, (const u8 []) { 0x48, 0x3b, 0x41, 0x08 }, 4);
	pad_put_full(o, JAE);
	if (more)
		put_more(o, -more);
	/* and $mask, %eax; mov %rdx, (%rcx,%rax); movq $id, 8(%rcx,%rax) */
	uinsn_put32(mask + 1, r->mask);
	pad_put(o, mask, sizeof(mask));
	pad_put(o, (const u8 []) { 0x48, 0x89, 0x14, 0x01 }, 4);
	pad_put_page_check(o, last_word(pad, r->nr ? r->regs[r->nr - 1] : 0));
	uinsn_put32(id + 5, r->id);
	pad_put(o, id, sizeof(id));
	for (i = 0; i < r->nr; i++)
		put_value(o, r, i);
	if (r->nr_loads)
		layout->loads = (u16)o->out.len;
	pad_put_loads(o, r);
	/* addq $size, (%rcx) */
	uinsn_put32(commit + 3, size);
	layout->loaded = (u16)o->out.len;
	layout->commit = (u16)o->out.len;
	pad_put(o, commit, sizeof(commit));
	o->state.counted = COUNTED;
	pad_put_restore(o, pad);
	put_reject(o, pad, rejected);
}

/* Load a number of the program into rdx, extended to 64 bits. */
static void put_operand(struct pad_out *o, const struct pad_histogram *h,
			const struct pad_operand *operand)
{
	unsigned int from = operand->load ? REG_DX : pad_put_load(o, operand->reg);
	/* movzx, movsx: the lowest bytes of all registers have a name only with a REX prefix */
	u8 code[4] = { (u8)(0x40 | (from > 7 ? 1 : 0) | (operand->is_signed ? 8 : 0)), 0x0f };
	u8 modrm = (u8)(0xd0 | (from & 7));

	if (operand->load)
		pad_put_number(o, &h->loads[operand->load - 1]);
	/* Then it is extended, unless it has a sign. */
	if (operand->load && !operand->is_signed)
		return;
	if (operand->size < 4) {
		code[2] = (u8)((operand->is_signed ? 0xbe : 0xb6) | operand->size >> 1);
		code[3] = modrm;
		pad_put(o, code, 4);
	} else if (operand->size == 4) {
		/* movsxd, or mov of 32 bits */
		pad_put(o, (const u8 []) { code[0], operand->is_signed ? 0x63 : MOV_LOAD, modrm },
			3);
	} else if (from != REG_DX) {
		pad_put(o, (const u8 []) { code[0] | 8, MOV_LOAD, modrm }, 3);
	}
}

/**
 * struct values_at - where the histogram is that a pad adds to
 * @at: address of the struct pad_values, or that of processor 0
 * @mask: see pad_counter::mask
 * @keyed: there is one for each key
 * @base: with @mask or @keyed, the register with the address of the one to be used
 */
struct values_at {
	u64 at;
	u32 mask;
	bool keyed;
	u8 base;
};

/* Check whether the address of the histogram is in a register. */
static bool is_based(const struct values_at *values)
{
	return values->mask || values->keyed;
}

/* Load the address of the histogram of the processor into a register, if there are several. */
static void put_values_base(struct pad_out *o, struct values_at *values, u8 reg)
{
	if (!values->mask)
		return;
	put_apart(o, reg, values->at, values->mask);
	values->base = reg;
}

/* Append an instruction on register @reg and the number at @offset of a histogram. */
static int put_number(struct pad_out *o, const struct values_at *values, const u8 *opcode,
		      size_t len, u8 reg, size_t offset)
{
	u8 code[9] = {};

	memcpy(code, opcode, len);
	if (is_based(values)) {
		code[len] = (u8)(0x40 | reg << 3 | values->base);
		code[len + 1] = (u8)offset;
		pad_put(o, code, len + 2);
		return 0;
	}
	code[len] = (u8)(0x05 | reg << 3);
	return put_near(o, code, len + 5, values->at + offset);
}

/* Let the number at @offset be the value in rdx, unless the short jump @keeps is taken. */
static int put_extreme(struct pad_out *o, const struct values_at *values, size_t offset, u8 keeps)
{
	static const u8 compare[] = { 0x48, 0x3b }, load[] = { 0x48, MOV_LOAD };
	static const u8 exchange[] = { 0xf0, 0x48, 0x0f, 0xb1 };
	unsigned int keep, kept;
	int ret;

	/* cmp number, %rdx; mov number, %rax; lock cmpxchg %rdx, number */
	ret = put_number(o, values, compare, sizeof(compare), REG_DX, offset);
	keep = pad_put_short(o, keeps);
	/* The number may have changed meanwhile. */
	ret |= put_number(o, values, load, sizeof(load), REG_AX, offset);
	/* cmp %rax, %rdx */
	pad_put(o, (const u8 []) { 0x48, 0x39, 0xc2 }, 3);
	kept = pad_put_short(o, keeps);
	ret |= put_number(o, values, exchange, sizeof(exchange), REG_DX, offset);
	pad_put_full(o, JNE);
	pad_land_short(o, keep);
	pad_land_short(o, kept);
	return ret;
}

/*
 * Increment the bucket of the value in rdx: see pad_bucket(). Then rax is values_at::base. If the
 * thread has changed the processor since put_extremes(), the bucket is in another histogram than
 * the extremes. Together they have all.
 */
static int put_bucket(struct pad_out *o, struct values_at *values)
{
	const size_t buckets = offsetof(struct pad_values, buckets);
	u8 lea[7] = { 0x48, LEA, 0x05 };
	int ret = 0;

	if (values->keyed)
		pad_put_push(o, REG_CX);
	/* mov %rdx, %rcx; or $8, %rcx; bsr %rcx, %rcx; sub $3, %ecx */
	pad_put(o, (const u8 []) { 0x48, 0x89, 0xd1 }, 3);
	pad_put(o, (const u8 []) { 0x48, 0x83, 0xc9, 1 << PAD_BUCKET_LOG }, 4);
	pad_put(o, (const u8 []) { 0x48, 0x0f, 0xbd, 0xc9 }, 4);
	pad_put(o, (const u8 []) { 0x83, 0xe9, PAD_BUCKET_LOG }, 3);
	/* mov %rdx, %rax; shr %cl, %rax; lea (%rax,%rcx,8), %ecx */
	pad_put(o, (const u8 []) { 0x48, 0x89, 0xd0 }, 3);
	pad_put(o, (const u8 []) { 0x48, 0xd3, 0xe8 }, 3);
	pad_put(o, (const u8 []) { LEA, 0x0c, 0xc8 }, 3);
	/* lea distance(%rip), %rax; lock incq (%rax,%rcx,8) */
	if (!is_based(values)) {
		ret = put_near(o, lea, sizeof(lea), values->at + buckets);
		pad_put(o, (const u8 []) { 0xf0, 0x48, 0xff, 0x04, 0xc8 }, 5);
		return ret;
	}
	if (values->keyed)
		pad_put_pop(o, REG_AX);
	else
		put_values_base(o, values, REG_AX);
	values->base = REG_AX;
	/* lock incq buckets(%rax,%rcx,8) */
	pad_put(o, (const u8 []) { 0xf0, 0x48, 0xff, 0x44, 0xc8, (u8)buckets }, 6);
	return 0;
}

/* Let the value in rdx be the least and the largest one of a histogram, if it is. */
static int put_extremes(struct pad_out *o, const struct values_at *values)
{
	int ret = put_extreme(o, values, offsetof(struct pad_values, largest), JBE_SHORT);

	return ret | put_extreme(o, values, offsetof(struct pad_values, least), JAE_SHORT);
}

/* Add the value in rdx to its bucket and the sum of a histogram. */
static int put_value_added(struct pad_out *o, struct values_at *values)
{
	static const u8 add[] = { 0xf0, 0x48, 0x01 };
	int ret = put_bucket(o, values);

	o->state.counted = COUNTED;
	o->state.owes = PAD_OWES_SUM;
	/* lock add %rdx, sum */
	ret |= put_number(o, values, add, sizeof(add), REG_DX, offsetof(struct pad_values, sum));
	o->state.owes = PAD_OWES_NOTHING;
	return ret;
}

/* Take the bits of a mask from ecx. */
static void put_mask(struct pad_out *o, u32 mask)
{
	/* and $mask, %ecx */
	u8 code[6] = { 0x81, 0xe1 };

	uinsn_put32(code + 2, mask);
	pad_put(o, code, sizeof(code));
}

/* Multiply the key in rdx by PAD_HASH, in rcx. */
static void put_hash(struct pad_out *o)
{
	/* mov %rdx, %rcx; imul distance(%rip), %rcx */
	pad_put(o, (const u8 []) { 0x48, 0x89, 0xd1 }, 3);
	pad_put(o, (const u8 []) { 0x48, 0x0f, 0xaf, 0x0d, 0, 0, 0, 0 }, 8);
	pad_add_wide(o, PAD_HASH);
}

/* Load the address of the set of the key in rdx into rcx: see pad_key_set_of(). */
static void put_key_set(struct pad_out *o, const struct pad_histogram *h)
{
	/* shr $n, %rcx; and $mask, %ecx: the number of the set, times its size of 2^6 bytes */
	const u8 shift[4] = { 0x48, 0xc1, 0xe9, 64 - PAD_KEY_SETS_LOG - 6 };

	put_hash(o);
	pad_put(o, shift, sizeof(shift));
	put_mask(o, (PAD_KEY_SETS - 1) * sizeof(struct pad_key_set));
	pad_put_wide(o, ADD, REG_CX, h->table);
}

/*
 * Load the address of the histogram for the key into rcx. Trap if the key is not in the table,
 * unless all such keys share a histogram.
 */
static void put_key_base(struct pad_out *o, const struct pad_histogram *h)
{
	const u64 others = h->at + PAD_KEYS * PAD_COUNTER_STRIDE;
	unsigned int found[PAD_KEY_WAYS], is_other, i;

	/* Before the key is looked up: if this is open, the table has all keys. */
	pad_put_wide(o, MOV_LOAD, REG_AX, others + PAD_KEYS_OPEN);
	/* mov (%rax), %rax */
	pad_put(o, (const u8 []) { 0x48, MOV_LOAD, 0x00 }, 3);
	put_operand(o, h, &h->key);
	put_key_set(o, h);
	for (i = 0; i < PAD_KEY_WAYS; i++) {
		/* add $16, %rcx */
		if (i)
			pad_put(o, (const u8 []) { 0x48, 0x83, 0xc1, sizeof(struct pad_key) }, 4);
		/* cmp %rdx, (%rcx); je found */
		pad_put(o, (const u8 []) { 0x48, 0x39, 0x11 }, 3);
		found[i] = pad_put_short(o, JE_SHORT);
	}
	/* test %rax, %rax; je tail; mov others(%rip), %rcx */
	pad_put(o, (const u8 []) { 0x48, 0x85, 0xc0 }, 3);
	pad_put_full(o, JE);
	pad_put_wide(o, MOV_LOAD, REG_CX, others);
	is_other = pad_put_short(o, JMP_SHORT);
	for (i = 0; i < PAD_KEY_WAYS; i++)
		pad_land_short(o, found[i]);
	/* mov 8(%rcx), %ecx; and $mask, %ecx; add at(%rip), %rcx */
	pad_put(o, (const u8 []) { MOV_LOAD, 0x49, offsetof(struct pad_key, at) }, 3);
	put_mask(o, (PAD_KEYS - 1) * PAD_COUNTER_STRIDE);
	pad_put_wide(o, ADD, REG_CX, h->at);
	pad_land_short(o, is_other);
}

static int put_add(struct pad_out *o, const struct pad *pad, struct pad_layout *layout)
{
	const struct pad_histogram *h = &pad_action(pad)->histogram;
	struct values_at values = { .at = h->at, .mask = h->mask, .keyed = h->key.size };
	struct work_state rejected = o->state;
	int ret;

	put_pushes(o, pad);
	pad_put_page_check(o, last_word(pad, h->value.reg > h->key.reg ? h->value.reg :
									 h->key.reg));
	if (h->nr_loads)
		layout->loads = (u16)o->out.len;
	if (values.keyed) {
		put_key_base(o, h);
		values.base = REG_CX;
	}
	put_operand(o, h, &h->value);
	layout->loaded = (u16)o->out.len;
	if (h->value.is_signed) {
		/* test %rdx, %rdx; js tail */
		pad_put(o, (const u8 []) { 0x48, 0x85, 0xd2 }, 3);
		pad_put_full(o, JS);
	}
	put_values_base(o, &values, REG_CX);
	ret = put_extremes(o, &values);
	ret |= put_value_added(o, &values);
	pad_put_restore(o, pad);
	put_reject(o, pad, rejected);
	return ret;
}

/* Load the key of the call into a register. */
static void put_key(struct pad_out *o, const struct pad *pad, unsigned int reg, u64 busy)
{
	/* lea sp(%rsp), %reg; or distance(%rip), %reg */
	pad_put_stack(o, LEA, reg, pad_action(pad)->timing.below);
	pad_put_wide(o, OR, reg, pad_call_key(pad_action(pad)->timing.id, 0) | busy);
}

/* Load the address of the slot for the key in rdx into rcx: see pad_slot_of(). */
static void put_slot(struct pad_out *o, const struct pad *pad)
{
	/* shr $n, %rcx; and $mask, %ecx: the number of the slot, times its size of 2^4 bytes */
	const u8 shift[4] = { 0x48, 0xc1, 0xe9, 63 - PAD_SLOTS_LOG - 4 };

	put_hash(o);
	pad_put(o, shift, sizeof(shift));
	put_mask(o, (PAD_SLOTS - 1) * sizeof(struct pad_slot));
	pad_put_wide(o, ADD, REG_CX, pad_action(pad)->timing.table);
}

/* Load the time into register @reg, which is rax or rdx. */
static void put_time(struct pad_out *o, unsigned int reg)
{
	/* rdtsc; shl $32, %rdx */
	pad_put(o, (const u8 []) { 0x0f, 0x31 }, 2);
	pad_put(o, (const u8 []) { 0x48, 0xc1, 0xe2, 0x20 }, 4);
	/* or %rdx, %rax, or the reverse */
	pad_put(o, (const u8 []) { 0x48, 0x09, reg == REG_AX ? 0xd0 : 0xc2 }, 3);
}

/* If the slot has the key in rax, let it have rdx. Then the hit is counted, and owes something. */
static void put_exchange(struct pad_out *o, enum pad_owed owes)
{
	/* lock cmpxchg %rdx, (%rcx) */
	pad_put(o, (const u8 []) { 0xf0, 0x48, 0x0f, 0xb1, 0x11 }, 5);
	o->state.counted = COUNTED_IF_ZF;
	o->state.owes = owes;
}

/* Trap if the slot had another key. */
static void put_exchanged(struct pad_out *o)
{
	pad_put_full(o, JNE);
	o->state.counted = COUNTED;
}

static void put_begin(struct pad_out *o, const struct pad *pad)
{
	struct work_state rejected = o->state;

	put_pushes(o, pad);
	put_key(o, pad, REG_DX, PAD_SLOT_BUSY);
	put_slot(o, pad);
	/* xor %eax, %eax */
	pad_put(o, (const u8 []) { 0x31, 0xc0 }, 2);
	put_exchange(o, PAD_OWES_BEGIN);
	put_exchanged(o);
	put_time(o, REG_DX);
	/* mov %rdx, 8(%rcx); btrq $63, (%rcx) */
	pad_put(o, (const u8 []) { 0x48, 0x89, 0x51, 0x08 }, 4);
	pad_put(o, (const u8 []) { 0x48, 0x0f, 0xba, 0x31, 63 }, 5);
	o->state.owes = PAD_OWES_NOTHING;
	pad_put_restore(o, pad);
	put_reject(o, pad, rejected);
}

/* Load the nanoseconds from the beginning of the call until now into rdx. The slot is in rcx. */
static void put_took(struct pad_out *o, const struct pad *pad)
{
	put_time(o, REG_AX);
	put_key(o, pad, REG_DX, 0);
	put_slot(o, pad);
	/* cmp %rdx, (%rcx); jne tail */
	pad_put(o, (const u8 []) { 0x48, 0x39, 0x11 }, 3);
	pad_put_full(o, JNE);
	/* sub 8(%rcx), %rax; jb tail */
	pad_put(o, (const u8 []) { 0x48, 0x2b, 0x41, 0x08 }, 4);
	pad_put_full(o, JB);
	/* mulq distance(%rip); shld $32, %rax, %rdx */
	pad_put_wide(o, MUL, MUL_OF, pad_action(pad)->timing.ns);
	pad_put(o, (const u8 []) { 0x48, 0x0f, 0xa4, 0xc2, 0x20 }, 5);
}

/*
 * Take the call out of the slot in rcx, or, if rcx has changed, of its slot. The value in rdx is on
 * the stack meanwhile.
 */
static void put_take(struct pad_out *o, const struct pad *pad, bool changed)
{
	pad_put_push(o, REG_DX);
	if (changed) {
		put_key(o, pad, REG_DX, 0);
		put_slot(o, pad);
		/* mov %rdx, %rax */
		pad_put(o, (const u8 []) { 0x48, 0x89, 0xd0 }, 3);
	} else {
		put_key(o, pad, REG_AX, 0);
	}
	/* xor %edx, %edx */
	pad_put(o, (const u8 []) { 0x31, 0xd2 }, 2);
	put_exchange(o, PAD_OWES_VALUE);
	pad_put_pop(o, REG_DX);
	put_exchanged(o);
}

static int put_end(struct pad_out *o, const struct pad *pad)
{
	const struct pad_timing *t = &pad_action(pad)->timing;
	struct values_at values = { .at = t->at, .mask = t->mask };
	struct work_state rejected = o->state;
	int ret;

	put_pushes(o, pad);
	put_took(o, pad);
	put_values_base(o, &values, REG_CX);
	ret = put_extremes(o, &values);
	put_take(o, pad, values.mask);
	ret |= put_value_added(o, &values);
	pad_put_restore(o, pad);
	put_reject(o, pad, rejected);
	return ret;
}

int pad_put_step(struct pad_out *o, const struct pad *pad, const struct pad_step *step,
		 struct pad_layout *layout)
{
	switch (step->kind) {
	case PAD_CHECK:
		put_check(o, pad, &step->check);
		return 0;
	case PAD_COUNT:
		return put_count(o, pad);
	case PAD_ADD:
		return put_add(o, pad, layout);
	case PAD_RECORD:
		put_record(o, pad, layout);
		return 0;
	case PAD_BEGIN:
		put_begin(o, pad);
		return 0;
	case PAD_END:
		return put_end(o, pad);
	default:
		put_filtered_trap(o, pad, layout);
		return 0;
	}
}
