// SPDX-License-Identifier: GPL-2.0
/*
 * insn_pads [-s SEED] [-n SITES] FILE...
 *
 * Take function entries and other instructions of object files at random.  Step a thread through the
 * instructions that a jump would cover, and through their pad, from the same registers, flags and
 * memory.  At each address in the pad, pad_unwind() must give a state that the thread has natively,
 * and these states must come in the same order.  In the end, registers, memory and signals are the
 * same, and the counter has counted one hit.
 *
 * Pads with filters are tried, too.  If the registers pass the filter, the thread traps with the
 * registers of the program, or it is counted.  If not, it goes on, and nothing is counted.
 *
 * Pads with a counter for each processor increment one of them, if this processor has rdpid.
 *
 * Pads that record write one record with the registers, and with what they load, however often the
 * thread begins it again.  If the ring is full, if a load faults, or if a string has no end, they trap.
 *
 * Pads with a histogram add a register to it.  They trap if its value is negative, or if another thread
 * changes the least or largest value first; if there is one for each key, also if they do not know it.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ktap.h"
#include "pad.h"
#include "pads_loads.h"
#include "pads_make.h"
#include "sections.h"
#include "trial.h"

#define FLAGS_TF	0x100
#define STEPS		128

static const struct layout layout = {
	"pads", { 0x20000000, 0x21000000, 0x28000000, 0x30000000, 0x31000000, 0x8000, 0x38000000 }
};

static struct trial trial;
static struct pad *pad;
static u8 text[64];
static struct pad_layout pad_parts;
static bool passes;
static bool writes;
static u64 at;
static unsigned long tried, faulted, stepped, entered, passed, rejected, guessed, wrong;
static unsigned long recorded, full, restarted, words, crossed, histograms, negative, raced;
static unsigned long keys[PADS_KEY_UNKNOWN + 1], loads[4], forms[2], apart, values_apart;
static unsigned long added_loads[4];
static u64 load_words[PAD_LOAD_WORDS];
static enum pads_loaded loaded;

/* Offsets in memory of its own, which the program's instructions do not reach. */
#define HEADS	512
#define RECORD	(HEADS + 256)
#define COUNTER	(DATA_SIZE - 64)
#define VALUES	PADS_PAGE
#define APART	(2 * PAD_COUNTER_STRIDE + 256)

static struct {
	struct stop stops[STEPS];
	unsigned int nr;
	u8 memory[3][DATA_SIZE];
	u64 words[PAD_WORDS];
} native;

static const enum region regions[] = { REGION_DATA, REGION_STACK, REGION_LOW };

static struct pads_memory memory = {
	.counter = 0x38000000 + COUNTER, .values = 0x38000000 + VALUES, .heads = 0x38000000 + HEADS,
	.data = 0x30000000 + DATA_SIZE / 2
};

static u64 *counter(void)
{
	return (u64 *)(region_of(REGION_PADS) + COUNTER);
}

/* The counter of a processor: which one rdpid names is the host's matter. */
static u64 *counter_of(unsigned int cpu)
{
	return (u64 *)(region_of(REGION_PADS) + APART + cpu * PAD_COUNTER_STRIDE);
}

/* The head of the only processor that is used. */
static struct pad_head *head(void)
{
	return (struct pad_head *)(region_of(REGION_PADS) + HEADS);
}

static struct pad_record *record(void)
{
	return (struct pad_record *)(region_of(REGION_PADS) + RECORD);
}

static struct pad_values *values(void)
{
	return (struct pad_values *)(region_of(REGION_PADS) + VALUES);
}

static u64 record_size(void)
{
	return sizeof(struct pad_record) +
	       pad_record_words(&pad_action(pad)->recording) * sizeof(u64);
}

/* Get a register of the program, or a word of its stack, at the hit. */
static u64 program_value(int reg)
{
	return reg < PAD_WORD ? *trial_register(&trial.cpu.regs, (u8)reg) :
	       native.words[reg - PAD_WORD];
}

/* Get the value that a pad adds. */
static u64 added(void)
{
	return pads_operand(&pad_action(pad)->histogram.value, program_value, load_words);
}

/* Check whether the value is one that a pad does not add. */
static bool is_negative(void)
{
	return pad_does(pad, PAD_ADD) && pad_action(pad)->histogram.value.is_signed &&
	       (s64)added() < 0;
}

/* Check whether the key is one that a pad does not know. */
static bool is_unknown(void)
{
	return pad_has_keys(pad) && memory.way == PADS_KEY_UNKNOWN;
}

/* Check whether the pad has to trap, also if it has room. */
static bool must_trap(void)
{
	return pads_cross(pad, trial.cpu.regs.rsp) || is_negative() || is_unknown() || loaded;
}

static u64 least, largest;

/*
 * Reset the counter, the histogram, and the ring, which has room for one record or for none.
 * @is_full: if there is a histogram, any value is the least and largest one so far.
 */
static void reset(bool is_full)
{
	const struct pad_operand *key = &pad_action(pad)->histogram.key;

	*counter() = 0;
	*counter_of(0) = 0;
	*counter_of(1) = 0;
	memset(record(), 0, PAD_RECORD_MAX);
	/* Bits above the mask may be forged. */
	head()->next = (u64)trial_random() << 32 | (RECORD - HEADS);
	head()->limit = head()->next + !is_full;
	if (pad_does(pad, PAD_RECORD) && record_size() > PAD_RECORD_USUAL)
		head()->limit += record_size() - PAD_RECORD_USUAL;
	if (!pad_does(pad, PAD_ADD))
		return;
	memset(values(), 0, sizeof(*values()));
	if (pad_has_keys(pad))
		pads_keys_set(&memory, pads_operand(key, program_value, load_words), values());
	least = is_full || trial_random() % 2 ? ~0ull : trial_random() % 512;
	largest = is_full || trial_random() % 2 ? 0 : (u64)trial_random() << 16;
	values()->least = least;
	values()->largest = largest;
}

/* Get the number of hits that the pad has counted, added or recorded. */
static u64 hits(void)
{
	u64 n = 0;

	if (pad_does(pad, PAD_RECORD))
		return (u32)head()->next - (RECORD - HEADS) == record_size();
	for (int i = 0; pad_does(pad, PAD_ADD) && i < PAD_BUCKETS; i++)
		n += values()->buckets[i];
	return pad_does(pad, PAD_ADD) ? n : *counter() + *counter_of(0) + *counter_of(1);
}

__attribute__((format(printf, 1, 2)))
static bool differs(const char *fmt, ...)
{
	static const char * const names[] = { "checks", "counts", "adds", "records", "traps" };
	va_list ap;

	if (++wrong > 10)
		return false;
	for (int i = 0; i < pad->pun.len; i++)
		printf(i ? " %02x" : "# %02x", text[i]);
	printf(" (%s, %s, %d conditions, %s): ", pad->saves ? "saving" : "bare",
	       names[pad_action(pad)->kind], pad->nr - 1,
	       passes ? "pass" : "fail");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

static bool stops_by_step(const struct stop *stop)
{
	return stop->sig == SIGTRAP && stop->info.si_code == TRAP_TRACE;
}

/* Step through the covered instructions, as they are in the program. */
static bool run_native(void)
{
	struct cpu cpu = trial.cpu;
	u8 *code = region_of(REGION_CODE);
	struct uinsn insn;
	u64 offset;

	memset(code, 0xcc, CODE_SIZE);
	memcpy(code + (trial.addr - layout.at[REGION_CODE]), text, sizeof(text));
	trial_load_memory(&trial);
	offset = cpu.regs.rsp - layout.at[REGION_STACK];
	if (offset < DATA_SIZE)
		memcpy(native.words, region_of(REGION_STACK) + offset,
		       DATA_SIZE - offset < sizeof(native.words) ? DATA_SIZE - offset :
		       sizeof(native.words));
	reset(false);
	native.nr = 0;
	native.stops[native.nr++].cpu = cpu;
	while (native.nr < STEPS) {
		struct stop *stop = &native.stops[native.nr++];
		u64 ip = cpu.regs.rip;

		offset = ip - trial.addr;
		if (!machine_run(&cpu, true, stop))
			return false;
		stepped++;
		cpu = stop->cpu;
		cpu.regs.orig_rax = ~0ull;
		if (!stops_by_step(stop))
			break;
		uinsn_decode(&insn, text + offset, sizeof(text) - offset, UINSN_MODE_64);
		/* The thread goes on with the next instruction, or with the next repetition. */
		if (cpu.regs.rip != ip &&
		    (cpu.regs.rip != ip + insn.len || offset + insn.len >= pad->pun.len))
			break;
	}
	for (int i = 0; i < 3; i++)
		if (region_of(regions[i]))
			memcpy(native.memory[i], region_of(regions[i]), DATA_SIZE);
	return true;
}

/* With a key, check where a value is to be added: all histograms of the test are the same page. */
static bool is_at(u64 addr)
{
	return !pad_has_keys(pad) ||
	       addr - memory.keyed == (memory.way < PAD_KEY_WAYS ? 0 : PADS_PAGE);
}

/* Convert registers to those of the program. Return false if the state is wrong about the hit. */
static bool unwind(struct user_regs_struct *regs)
{
	const u8 *stack = region_of(REGION_STACK) + (regs->rsp - layout.at[REGION_STACK]);
	struct pad_state state;
	struct pad_debt debt;
	u64 ip = regs->rip;
	bool handled;

	if (!pads_leave(pad, at, regs, (const u64 *)stack, &state, &debt))
		return true;
	if (pad_does(pad, PAD_ADD) && (values()->sum != (hits() && !state.owes ? added() : 0) ||
				       (debt.owes && (debt.value != added() || !is_at(debt.at)))))
		return false;
	/* Behind its trap, a hit that passes is handled. */
	handled = hits() || (!pad_does(pad, PAD_COUNT) && passes &&
			     pad_in_copies(&pad_parts, ip - at));
	return (state.counted && passes) == (handled && state.ip == pad->addr);
}

/*
 * Return: true for the word of the return address if a call to an address that is not canonical has
 * failed: see insn_run.
 */
static bool dead_word(u64 addr)
{
	const struct stop *last = &native.stops[native.nr - 1];
	u64 sp = last->cpu.regs.rsp;

	return last->sig == SIGSEGV && last->info.si_code == SI_KERNEL && addr < sp &&
	       sp - addr <= 8;
}

/* Check for words of the stack that a pad may push. */
static bool is_scratch(u64 addr)
{
	u64 pushed = trial.cpu.regs.rsp - 128 - 5 * 8;

	return pad_uses_stack(pad) && addr - pushed < 5 * 8;
}

/* Compare memory, except for what a pad may change. */
static bool same_memory(void)
{
	for (int i = 0; i < 3; i++) {
		const u8 *b = region_of(regions[i]);

		for (u64 k = 0; b && k < DATA_SIZE; k++) {
			u64 addr = layout.at[regions[i]] + k;

			if (native.memory[i][k] == b[k] || is_scratch(addr) || dead_word(addr))
				continue;
			return differs("memory at %#llx is %02x, natively %02x",
				       (unsigned long long)addr, b[k], native.memory[i][k]);
		}
	}
	return true;
}

/* Compare the record with the registers at the hit. */
static bool same_record(void)
{
	const struct pad_record *r = record();
	u64 ahead = __builtin_ia32_rdtsc() - r->time;

	if (r->id != pad_action(pad)->recording.id || !r->time || ahead >> 40)
		return differs("a record of %llu, %llu ticks ago", (unsigned long long)r->id,
			       (unsigned long long)ahead);
	for (unsigned int i = 0; i < pad_action(pad)->recording.nr; i++) {
		int reg = pad_action(pad)->recording.regs[i];
		u64 value = program_value(reg);

		if (r->values[i] != value)
			return differs("register or word %d is %#llx in the record", reg,
				       (unsigned long long)r->values[i]);
		words += reg >= PAD_WORD;
	}
	if (!pads_same_loads(&pad_action(pad)->recording,
			     r->values + pad_action(pad)->recording.nr, load_words))
		return differs("other bytes were loaded");
	return true;
}

/* Compare the histogram with what it is to be after the hit. */
static bool same_values(void)
{
	const char *wrong_about = pads_values_wrong(values(), added(), least, largest);

	return !wrong_about || differs("%#llx: %s", (unsigned long long)added(), wrong_about);
}

static bool same_end(const struct stop *stop)
{
	const struct stop *last = &native.stops[native.nr - 1];
	struct user_regs_struct where = { .rip = (u64)stop->info.si_addr };
	struct pad_state state;

	if (stops_by_step(last) != stops_by_step(stop) || stop->sig != last->sig)
		return differs("signal %d, natively %d", stop->sig, last->sig);
	if (!stops_by_step(stop)) {
		faulted++;
		if (pad_unwind(pad, at, where.rip, 0, &state))
			where.rip = state.ip;
		if (stop->info.si_code != last->info.si_code ||
		    where.rip != (u64)last->info.si_addr)
			return differs("another si_code or si_addr");
	}
	if (hits() != (writes && passes))
		return differs("counted %llu hits", (unsigned long long)hits());
	if (pad_does(pad, PAD_RECORD) && writes && passes && !same_record())
		return false;
	if (pad_does(pad, PAD_ADD) && writes && passes && !same_values())
		return false;
	for (size_t i = 0; i < last->cpu.xsize; i++)
		if ((i < 8 || i >= 16) && (i < 512 || i >= 576) &&
		    stop->cpu.xstate[i] != last->cpu.xstate[i])
			return differs("byte %zu of the extended state", i);
	return same_memory();
}

/* The thread is about to trap: it has the registers that it came with. */
static bool run_trap(struct stop *stop)
{
	struct user_regs_struct regs = stop->cpu.regs;

	regs.rip = pad->addr;
	if (!passes || !pads_same_registers(pad, &native.stops[0].cpu.regs, &regs))
		return differs("it traps with other registers");
	if (!machine_run(&stop->cpu, false, stop))
		return differs("the trap never comes");
	if (stop->sig != SIGTRAP || stop->cpu.regs.rip - at != pad_parts.trap + 1u)
		return differs("it does not trap where it should");
	return true;
}

/* Have the thread begin its record again, as if it had been stopped, but not without end. */
static void restart(struct user_regs_struct *regs, unsigned int steps)
{
	if (steps >= STEPS || !pad_restarts(&pad_parts, regs->rip - at) || trial_random() % 16)
		return;
	regs->rip = at + pad_parts.record;
	restarted++;
}

/* If the pad is about to change the least or largest value, change that first. */
static void race(const struct user_regs_struct *regs)
{
	static const u8 cmpxchg[] = { 0xf0, 0x48, 0x0f, 0xb1 };
	const u8 *insn = region_of(REGION_SLOT) + (regs->rip - layout.at[REGION_SLOT]);

	if (regs->rip - at >= PAD_MAX || memcmp(insn, cmpxchg, sizeof(cmpxchg)))
		return;
	values()->largest ^= 1;
	values()->least ^= 1;
	raced++;
}

/*
 * Step through the pad, and look for the state at each step among the native ones.  @is_full: the
 * ring has no room, or another thread changes the histogram first.  @traps: the pad traps if the
 * registers pass its filter.
 */
static bool run_pad(int len, bool is_full, bool traps)
{
	static struct stop stop;
	struct user_regs_struct regs;
	unsigned int next = 0, steps = 0;

	trial_load_memory(&trial);
	reset(is_full);
	writes = pad_does(pad, PAD_COUNT) ||
		 (pad_has_tail(pad) && !is_full && !must_trap());
	stop.cpu = trial.cpu;
	stop.cpu.regs.rip = at;
	stop.sig = SIGTRAP;
	stop.info.si_code = TRAP_TRACE;
	for (;;) {
		regs = stop.cpu.regs;
		if (!unwind(&regs))
			return differs("wrong about the hit at %#llx of the pad",
				       (unsigned long long)(stop.cpu.regs.rip - at));
		while (next < native.nr &&
		       !pads_same_registers(pad, &native.stops[next].cpu.regs, &regs))
			next++;
		if (next == native.nr)
			return differs("no such state at %#llx of the pad: ip %#llx",
				       (unsigned long long)(stop.cpu.regs.rip - at),
				       (unsigned long long)regs.rip);
		if (stop.cpu.regs.rip - at >= (u64)len || !stops_by_step(&stop))
			break;
		if (traps && stop.cpu.regs.rip - at == pad_parts.trap)
			return run_trap(&stop);
		stop.cpu.regs.orig_rax = ~0ull;
		restart(&stop.cpu.regs, steps++);
		if (is_full && pad_does(pad, PAD_ADD))
			race(&stop.cpu.regs);
		if (steps > STEPS + 512)
			return differs("the pad does not end");
		if (!machine_run(&stop.cpu, true, &stop))
			return differs("the pad never stops");
		pads_load_fault(&stop, at, &pad_parts);
		stepped++;
	}
	if (!pads_same_registers(pad, &native.stops[native.nr - 1].cpu.regs, &regs))
		return differs("the pad ends too early, at %#llx of %d, signal %d",
			       (unsigned long long)(stop.cpu.regs.rip - at), len, stop.sig);
	if (traps && passes)
		return differs("it does not trap");
	return same_end(&stop);
}

static void set_text(int len, const u8 *code)
{
	memset(region_of(REGION_CODE), 0xcc, CODE_SIZE);
	memcpy(region_of(REGION_CODE) + (trial.addr - layout.at[REGION_CODE]), text, sizeof(text));
	memset(region_of(REGION_SLOT), 0xcc, CODE_SIZE);
	memcpy(region_of(REGION_SLOT) + (at - layout.at[REGION_SLOT]), code, (size_t)len);
}

/*
 * Begin at an address in the text, and at the copy of what is there, as a thread does that has
 * trapped. After one instruction, the state must be the same.
 */
static void enter(u64 ip, u64 copy)
{
	static struct stop expected, stop;
	struct user_regs_struct regs;
	struct cpu cpu = trial.cpu;
	int steps = 0;

	trial_load_memory(&trial);
	cpu.regs.rip = ip;
	if (!machine_run(&cpu, true, &expected))
		return;
	trial_load_memory(&trial);
	reset(false);
	cpu.regs.rip = copy;
	do {
		if (!machine_run(&cpu, true, &stop))
			return;
		cpu = stop.cpu;
		cpu.regs.orig_rax = ~0ull;
		regs = cpu.regs;
		unwind(&regs);
		/* A repeated string instruction natively stays where it is; so does what faults. */
	} while (stops_by_step(&stop) && regs.rip == ip && ++steps < 8 &&
		 (expected.cpu.regs.rip != ip || !stops_by_step(&expected)));
	entered++;
	if (!pads_same_registers(pad, &expected.cpu.regs, &regs) ||
	    stops_by_step(&expected) != stops_by_step(&stop))
		differs("entered at %#llx, ip is %#llx and not %#llx",
			(unsigned long long)(copy - at), (unsigned long long)regs.rip,
			(unsigned long long)expected.cpu.regs.rip);
	if (hits())
		differs("entered behind the counter, it has counted");
}

/* Enter the pad at each copy, and behind each LOCK prefix. */
static void enter_all(void)
{
	for (unsigned int offset = 0; offset < PUN_LEN; offset++) {
		bool unlocked;
		int i = pun_insn_at(&pad->pun, offset, &unlocked);

		if (i >= 0)
			enter(pad->addr + offset, at + pad_parts.copies[i] + unlocked);
	}
}

/* Try a pad, as it is while the module is there, and as it is without the module. */
static void try_pad(void)
{
	u8 code[PAD_MAX];
	int n = pad_emit(pad, at, code, &pad_parts);
	unsigned int nr;
	bool traps;

	trial_load_memory(&trial);
	loaded = pads_load(pad, &layout, &trial.cpu.regs, program_value, load_words);
	if (loaded == PADS_UNKNOWN)
		return;
	if (n < 0 || n > PAD_MAX - 24) {
		differs("no pad: %d", n);
		return;
	}
	guessed += n <= (int)pad_guess(pad);
	set_text(n, code);
	forms[pad->saves]++;
	passed += pad->nr > 1 && passes;
	rejected += !passes;
	apart += pad_counts_apart(pad);
	values_apart += pad_does(pad, PAD_ADD) && pad_cpu_mask(pad);
	recorded += pad_does(pad, PAD_RECORD);
	negative += is_negative();
	histograms += pad_does(pad, PAD_ADD);
	crossed += passes && pads_cross(pad, trial.cpu.regs.rsp);
	keys[memory.way] += pad_has_keys(pad) && passes;
	pad_loads(pad, &nr);
	if (passes && nr && pad_does(pad, PAD_RECORD))
		loads[loaded]++;
	else if (passes && nr)
		added_loads[loaded]++;
	traps = must_trap();
	if (pad_does(pad, PAD_COUNT) || (pad_has_tail(pad) && !(traps && passes)))
		run_pad(n, false, false);
	if (!pad_does(pad, PAD_COUNT)) {
		full += pad_does(pad, PAD_RECORD);
		run_pad(n, !traps, true);
		code[pad_parts.trap] = PAD_NO_TRAP;
		set_text(n, code);
		run_pad(n, !traps, false);
	}
	enter_all();
}

static void try_site(const u8 *bytes, size_t len)
{
	struct pad_filter filter;
	struct uinsn insn;

	if (len < sizeof(text) || uinsn_decode(&insn, bytes, len, UINSN_MODE_64))
		return;
	memcpy(text, bytes, sizeof(text));
	trial_make(&trial, &layout, &insn, bytes);
	/* The words may be where there is no memory any more. */
	if (trial_random() % 8 == 0)
		trial.cpu.regs.rsp = layout.at[REGION_STACK] + DATA_SIZE - trial_random() % 20 * 8;
	memcpy(text, trial.text, insn.len);
	if (pun_decide(&pad->pun, text, sizeof(text)) ||
	    pads_cannot_compare(&pad->pun, text, trial.addr))
		return;
	trial.cpu.regs.eflags &= ~(u64)FLAGS_TF;
	pad->addr = trial.addr;
	pad_set_steps(pad, &(struct pad_filter) {}, PAD_COUNT);
	at = layout.at[REGION_SLOT] + 512 + trial_random() % 64;
	if (!run_native() || native.nr == STEPS)
		return;
	tried++;
	passes = pads_filter_make(&filter, &trial.cpu.regs);
	for (int i = 0; i < filter.nr; i++)
		if (!pad_condition_valid(&filter.conditions[i]))
			differs("a condition is not valid");
	pads_action_make(pad, &filter, &memory, &trial.cpu.regs);
	if (!pad_has_filter(pad, &filter))
		differs("it has another filter");
	for (int saves = pad_saves(pad, text, sizeof(text)); saves < 2; saves++) {
		pad->saves = saves;
		if (pad_filter_fits(pad) && pad_fits(pad))
			try_pad();
	}
}

static void sample(const struct code_section *section, void *data)
{
	pads_sample(section, *(unsigned long *)data, try_site);
}

int main(int argc, char **argv)
{
	static unsigned long *const all[] = {
		&tried, &faulted, &stepped, &entered, &passed, &rejected, &guessed, &wrong,
		&recorded, &full, &restarted, &words, &crossed, &histograms, &negative, &raced,
		&apart, &values_apart, &keys[0], &keys[1], &keys[2], &keys[3], &keys[4], &keys[5],
		&loads[PADS_LOADED], &loads[PADS_FAULTS], &loads[PADS_ENDLESS],
		&added_loads[PADS_LOADED], &added_loads[PADS_FAULTS],
	};
	unsigned long seed = 1, sites = 400;
	cpu_set_t first;
	int opt;

	while ((opt = getopt(argc, argv, "s:n:")) != -1) {
		if (opt == 's') {
			seed = strtoul(optarg, NULL, 0);
		} else if (opt == 'n') {
			sites = strtoul(optarg, NULL, 0);
		} else {
			fprintf(stderr, "usage: insn_pads [-s SEED] [-n SITES] FILE...\n");
			return 2;
		}
	}
	ktap_plan(argc - optind + 1);
	trial_seed(seed);
	pad = calloc(1, sizeof(*pad) + PAD_STEPS * sizeof(struct pad_step));
	if (!pad)
		return 2;
	/* Then it is processor 0 that rdtscp names, for the thread as well. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first)) {
		perror("sched_setaffinity");
		return 2;
	}
	memory.keyed = PADS_COPY(layout.at[REGION_PADS]);
	if (!pads_keys_map(&memory) || !machine_start(&layout))
		return 2;
	if (!pads_can_record())
		memory.heads = 0;
	if (pads_have_rdpid(layout.at[REGION_CODE])) {
		memory.apart = layout.at[REGION_PADS] + APART;
		memory.values_apart = PADS_COPY(layout.at[REGION_PADS]);
	}
	ktap_ok(pads_bytes_trap(layout.at[REGION_CODE]),
		"each byte that must trap does so, whatever follows it");
	for (; optind < argc; optind++) {
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			*all[i] = 0;
		memset(forms, 0, sizeof(forms));
		if (visit_code_sections(argv[optind], sample, &sites) < 0) {
			ktap_skip("%s: it is no x86 object file", argv[optind]);
			continue;
		}
		ktap_ok(!wrong && tried > sites / 2 && forms[0] && forms[1] &&
			passed && rejected && entered > tried && negative && raced && crossed &&
			(!memory.heads || (words && restarted > recorded / 2)) &&
			(!memory.heads || sites < 300 ||
			 (loads[PADS_LOADED] && loads[PADS_FAULTS] && loads[PADS_ENDLESS])) &&
			(sites < 300 || (added_loads[PADS_LOADED] && added_loads[PADS_FAULTS])) &&
			(sites < 300 || (keys[0] && keys[PAD_KEY_WAYS - 1] &&
					 keys[PADS_KEY_OTHER] && keys[PADS_KEY_UNKNOWN])) &&
			histograms > recorded / 2 &&
			((apart && values_apart) || !memory.apart) &&
			guessed > (forms[0] + forms[1]) / 2,
			"%s: %lu sites, %lu with a fault: %lu bare and %lu saving pads give the native states",
			argv[optind], tried, faulted, forms[0], forms[1]);
		ktap_note("%lu steps; pads were entered at %lu places; %lu filters passed, %lu did not",
			  stepped, entered, passed, rejected);
		ktap_note("%lu pads recorded; %lu began again; %lu rings were full; apart: %lu and %lu",
			  recorded, restarted, full, apart, values_apart);
		ktap_note("%lu words; %lu pads crossed pages; %lu loaded, %lu faulted, %lu had no end",
			  words, crossed, loads[0], loads[PADS_FAULTS], loads[PADS_ENDLESS]);
		ktap_note("%lu pads had a histogram; %lu values were negative, and %lu changes were too late",
			  histograms, negative, raced);
		ktap_note("of these, %lu loaded, and %lu faulted", added_loads[PADS_LOADED],
			  added_loads[PADS_FAULTS]);
		ktap_note("keys in the first to the last place: %lu %lu %lu %lu; other ones: %lu; unknown: %lu",
			  keys[0], keys[1], keys[2], keys[3], keys[4], keys[5]);
	}
	free(pad);
	machine_end();
	return ktap_finish();
}
