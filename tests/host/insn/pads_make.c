// SPDX-License-Identifier: GPL-2.0
/*
 * Pads for insn_pads, at random, and what is to be expected of them.
 */
#include "pads_make.h"

#include <string.h>
#include <sys/mman.h>

#include "ktap.h"
#include "status.h"
#include "trial.h"

#define FLAGS_TF	0x100
#define FLAGS_RF	0x10000

bool pads_cannot_compare(const struct pun *pun, const u8 *text, u64 addr)
{
	struct uinsn insn;

	for (int i = 0; i < pun->nr; i++) {
		const u8 *p = text + pun->at[i];

		uinsn_decode(&insn, p, 15, UINSN_MODE_64);
		/* A branch to a covered instruction leaves the pad; the trap there is the kernel's. */
		if (uinsn_has(&insn, UINSN_RELATIVE) &&
		    uinsn_target(&insn, addr + pun->at[i]) - addr < pun->len)
			return true;
		/* rdtsc, rdtscp, rdrand and the like */
		if (insn.map == UINSN_MAP_0F && (insn.opcode == 0x31 || insn.opcode == 0x01 ||
						 insn.opcode == 0xc7))
			return true;
		/*
		 * sldt and str: where UMIP forbids them, the kernel emulates them and ignores TF.
		 * The step then ends behind the next instruction.
		 */
		if (insn.map == UINSN_MAP_0F && insn.opcode == 0x00 && (insn.modrm >> 3 & 7) < 2)
			return true;
		/* enter with a level copies words, here from below the red zone, where pads save flags. */
		if (insn.map == UINSN_MAP_1 && insn.opcode == 0xc8 && (p[insn.len - 1] & 31) > 1)
			return true;
		/* Privileged ones, and those that only a hypervisor knows, are no use here. */
		if (insn.map == UINSN_MAP_1 && insn.opcode == 0xf4)
			return true;
	}
	return false;
}

bool pads_filter_make(struct pad_filter *filter, struct user_regs_struct *regs)
{
	static const u8 sizes[] = { 1, 2, 4, 8 };
	bool passes = true;

	memset(filter, 0, sizeof(*filter));
	filter->nr = (u8)(trial_random() % (PAD_CONDITIONS + 1));
	for (int i = 0; i < filter->nr; i++) {
		struct pad_condition *c = &filter->conditions[i];
		unsigned int unused;
		u64 reg;

		c->reg = (u8)(trial_random() % 16);
		c->size = sizes[trial_random() % 4];
		c->compare = (u8)(trial_random() % PAD_NR_COMPARES);
		c->is_signed = trial_random() % 2;
		reg = *trial_register(regs, c->reg);
		c->value = trial_random() % 2 ? reg + trial_random() % 3 - 1 :
			   (u64)trial_random() << 32 | trial_random();
		unused = 64 - 8u * c->size;
		c->value <<= unused;
		c->value = c->is_signed ? (u64)((s64)c->value >> unused) : c->value >> unused;
		/* Few random filters would pass. */
		if (!pad_condition_holds(c, reg) && trial_random() % 2)
			c->compare = c->compare == PAD_LT ? PAD_GE : c->compare == PAD_GE ? PAD_LT :
				     c->compare == PAD_LE ? PAD_GT : c->compare == PAD_GT ? PAD_LE :
				     c->compare == PAD_EQ ? PAD_NE : PAD_EQ;
		passes &= pad_condition_holds(c, reg);
	}
	return passes;
}

static u8 random_value(void)
{
	return (u8)(trial_random() % 3 ? trial_random() % PAD_WORD :
		    PAD_WORD + trial_random() % PAD_WORDS);
}

/* Choose a register from which an offset leads to data, most often. */
static u8 random_pointer(const struct pads_memory *memory, struct user_regs_struct *regs,
			 s32 *offset)
{
	u8 reg;

	if (trial_random() % 8 == 0)
		return random_value();
	do {
		reg = (u8)(trial_random() % PAD_WORD);
	} while (*trial_register(regs, reg) >> 31);
	*offset = (s32)(memory->data + trial_random() % 4096 - *trial_register(regs, reg));
	return reg;
}

/* Choose where bytes in memory are. */
static struct pad_load random_load(const struct pads_memory *memory,
				   struct user_regs_struct *regs)
{
	/* Memory has few pointers. */
	struct pad_load load = {
		.steps = trial_random() % 4 ? 1 : (u8)(1 + trial_random() % PAD_LOAD_STEPS),
		.size = (u8)(1 << trial_random() % 4),
	};

	for (int k = 0; k < load.steps; k++)
		load.offset[k] = (s32)(trial_random() % 256) - 128;
	load.from = random_pointer(memory, regs, load.offset);
	return load;
}

/* Choose bytes in memory to record. */
static void loads_make(struct pad_recording *r, struct pads_memory *memory,
		       struct user_regs_struct *regs)
{
	unsigned int strings = PAD_STRING_WORDS;

	r->loads = memory->loads;
	r->nr_loads = (u8)(trial_random() % 2 ? trial_random() % (PAD_LOADS + 1) : 0);
	for (int i = 0; i < r->nr_loads; i++) {
		struct pad_load *load = &memory->loads[i];

		*load = random_load(memory, regs);
		load->string = strings && trial_random() % 2;
		if (!load->string)
			continue;
		load->size = (u8)(8 * (1 + trial_random() % strings));
		strings -= pad_load_words(load);
	}
}

/* Choose registers to record. */
static void recording_make(struct pad_recording *r, struct pads_memory *memory,
			   struct user_regs_struct *regs)
{
	r->heads = memory->heads;
	r->mask = 0x1ff;
	r->id = trial_random() & 0x7fffffff;
	r->nr = (u8)(trial_random() % (PAD_VALUES + 1));
	for (int i = 0; i < r->nr; i++)
		r->regs[i] = random_value();
	for (int i = 1; i < r->nr; i++)
		for (int k = i; k > 0 && r->regs[k] < r->regs[k - 1]; k--) {
			u8 reg = r->regs[k];

			r->regs[k] = r->regs[k - 1];
			r->regs[k - 1] = reg;
		}
	loads_make(r, memory, regs);
}

static struct pad_operand random_operand(void)
{
	return (struct pad_operand) {
		.reg = random_value(), .size = (u8)(1 << trial_random() % 4),
		.is_signed = trial_random() % 2,
	};
}

/* Have an operand be in memory, or not. */
static void operand_load(struct pad_histogram *h, struct pad_operand *operand,
			 struct pads_memory *memory, struct user_regs_struct *regs)
{
	if (trial_random() % 2)
		return;
	memory->loads[h->nr_loads] = random_load(memory, regs);
	memory->loads[h->nr_loads].size = operand->size;
	operand->load = ++h->nr_loads;
	operand->reg = 0;
	h->loads = memory->loads;
}

/* Choose what a pad adds, and where. */
static void histogram_make(struct pad_histogram *h, struct pads_memory *memory,
			   struct user_regs_struct *regs)
{
	h->at = memory->values;
	h->value = random_operand();
	operand_load(h, &h->value, memory, regs);
	if (trial_random() % 3 == 0) {
		h->at = memory->keyed - (PAD_KEYS - 1) * PAD_COUNTER_STRIDE;
		h->table = (u64)memory->keys;
		h->key = random_operand();
		operand_load(h, &h->key, memory, regs);
		memory->way = trial_random() % (PADS_KEY_UNKNOWN + 1);
	} else if (memory->values_apart && trial_random() % 2) {
		h->at = memory->values_apart;
		h->mask = PADS_COPIES - 1;
	}
}

bool pads_keys_map(struct pads_memory *memory)
{
	void *at = (void *)0x39000000;
	size_t size = PAD_KEY_SETS * sizeof(*memory->keys);

	memory->keys = mmap(at, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	return memory->keys == at;
}

void pads_keys_set(const struct pads_memory *memory, u64 key, struct pad_values *values)
{
	unsigned int nr = (unsigned int)(key * 0x9e3779b97f4a7c15 >> 56);
	struct pad_key_set *set = &memory->keys[nr];

	for (unsigned int i = 0; i < PAD_KEY_WAYS; i++)
		set->ways[i] = (struct pad_key) {
			.key = trial_random() % 2 ? pad_key_none(nr) : key + 1 + i,
			.at = trial_random(),
		};
	/* Whatever the bits say that no distance has, the pad stays with the histograms. */
	if (memory->way < PAD_KEY_WAYS)
		set->ways[memory->way] = (struct pad_key) {
			.key = key,
			.at = ((u64)trial_random() << 18 | 0x3f) << 12 | trial_random() % 4096,
		};
	*(u64 *)((u8 *)values + PAD_KEYS_OPEN) =
		memory->way == PADS_KEY_OTHER ? 1 + trial_random() : 0;
}

u64 pads_operand(const struct pad_operand *operand, u64 (*value)(int reg), const u64 *loaded)
{
	u64 number = operand->load ? loaded[operand->load - 1] : value(operand->reg);
	unsigned int unused = 64 - 8u * operand->size;

	number <<= unused;
	return operand->is_signed ? (u64)((s64)number >> unused) : number >> unused;
}

bool pads_same_registers(const struct pad *pad, const struct user_regs_struct *a,
			 const struct user_regs_struct *b)
{
	bool all = pad->nr > 1 || pad_has_tail(pad) || pad_counts_apart(pad);
	u64 changed = all ? STATUS_ALL : STATUS_ALL & ~STATUS_CF;
	u64 ignored = FLAGS_RF | FLAGS_TF | (pad->saves ? 0 : changed);
	struct user_regs_struct x = *a, y = *b;

	x.eflags &= ~ignored;
	y.eflags &= ~ignored;
	x.orig_rax = 0;
	y.orig_rax = 0;
	return !memcmp(&x, &y, sizeof(x));
}

void pads_action_make(struct pad *pad, const struct pad_filter *filter, struct pads_memory *memory,
		      struct user_regs_struct *regs)
{
	static const enum pad_step_kind kinds[] = {
		PAD_RECORD, PAD_RECORD, PAD_ADD, PAD_ADD, PAD_COUNT, PAD_TO_TRAP
	};
	enum pad_step_kind kind = kinds[trial_random() % 6];
	struct pad_step *action;

	/* Without conditions, a breakpoint would do. */
	if (kind == PAD_TO_TRAP && !filter->nr)
		kind = PAD_COUNT;
	if (kind == PAD_RECORD && !memory->heads)
		kind = PAD_ADD;
	pad_set_steps(pad, filter, kind);
	action = &pad->steps[pad->nr - 1];
	if (kind == PAD_RECORD) {
		recording_make(&action->recording, memory, regs);
	} else if (kind == PAD_ADD) {
		histogram_make(&action->histogram, memory, regs);
	} else if (kind == PAD_COUNT) {
		action->counter.at = memory->counter;
		if (memory->apart && trial_random() % 2)
			action->counter = (struct pad_counter) { .at = memory->apart, .mask = 1 };
	}
}

void pads_sample(const struct code_section *section, unsigned long n,
		 void (*try)(const u8 *text, size_t len))
{
	struct uinsn insn;
	size_t begin;

	if (section->size < 4096 || section->mode != UINSN_MODE_64)
		return;
	while (n--) {
		begin = trial_random() % (section->size - 512);
		/* After some instructions, one that is not in the middle of another is likely. */
		for (int k = 0; k < 12; k++)
			begin += uinsn_decode(&insn, section->text + begin, 64, UINSN_MODE_64) ?
				 1 : insn.len;
		try(section->text + begin, section->size - begin);
	}
}

bool pads_have_rdpid(u64 code)
{
	static const u8 rdpid[] = { 0xf3, 0x0f, 0xc7, 0xf8 };
	static struct stop stop;
	struct cpu cpu = *machine_initial();

	cpu.regs.orig_rax = ~0ull;
	cpu.regs.rip = code;
	memset(region_of(REGION_CODE), PAD_TRAP, CODE_SIZE);
	memcpy(region_of(REGION_CODE), rdpid, sizeof(rdpid));
	return machine_run(&cpu, true, &stop) && stop.sig == SIGTRAP &&
	       stop.info.si_code == TRAP_TRACE;
}

bool pads_can_record(void)
{
	unsigned int processor;

	__builtin_ia32_rdtscp(&processor);
	return !(processor % PAD_CPUS);
}

bool pads_bytes_trap(u64 code)
{
	static const u8 behind[] = { 0x00, 0x05, 0x24, 0x80, 0x90, 0xc0, 0xff };
	static struct stop stop;
	struct cpu cpu = *machine_initial();

	cpu.regs.orig_rax = ~0ull;
	cpu.regs.rip = code + 64;
	for (unsigned int i = 0; i < PUN_BYTES; i++) {
		for (size_t k = 0; k < sizeof(behind); k++) {
			u8 byte = pun_byte(i);
			u64 past = byte == 0xcc;

			memset(region_of(REGION_CODE), behind[k], CODE_SIZE);
			region_of(REGION_CODE)[64] = byte;
			if (!machine_run(&cpu, false, &stop) ||
			    stop.sig != (past ? SIGTRAP : SIGILL) ||
			    stop.cpu.regs.rip - cpu.regs.rip != past) {
				ktap_note("byte %02x: signal %d", byte, stop.sig);
				return false;
			}
		}
	}
	return true;
}

unsigned int pads_bucket_of(u64 value)
{
	unsigned int bits = 0;

	while (bits < 64 && value >> bits)
		bits++;
	return bits < 4 ? (unsigned int)value : 8 * (bits - 3) + (value >> (bits - 4) & 7);
}

bool pads_leave(const struct pad *pad, u64 at, struct user_regs_struct *regs, const u64 *stack,
		struct pad_state *state, struct pad_debt *debt)
{
	if (!pad_unwind(pad, at, regs->rip, regs->eflags, state))
		return false;
	debt->owes = state->owes;
	debt->at = regs->rax;
	debt->value = state->value < 0 ? regs->rdx : stack[state->value];
	regs->eflags = pad_flags(state, regs->eflags,
				 state->status < 0 ? regs->rax : stack[state->status]);
	if (state->ax >= 0)
		regs->rax = stack[state->ax];
	if (state->cx >= 0)
		regs->rcx = stack[state->cx];
	if (state->dx >= 0)
		regs->rdx = stack[state->dx];
	regs->rsp += (u64)(s64)state->sp;
	regs->rip = state->ip;
	return true;
}

const char *pads_values_wrong(const struct pad_values *v, u64 value, u64 least, u64 largest)
{
	unsigned int bucket = pad_bucket(value);
	u64 begin = pad_bucket_begin(bucket), end = pad_bucket_begin(bucket + 1);

	if (v->buckets[pads_bucket_of(value)] != 1 || bucket != pads_bucket_of(value))
		return "in another bucket";
	if (value - begin >= end - begin)
		return "outside of its bucket";
	if (v->sum != value)
		return "another sum";
	least = value < least ? value : least;
	largest = value > largest ? value : largest;
	return v->least != least || v->largest != largest ? "other extremes" : NULL;
}
