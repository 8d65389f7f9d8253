// SPDX-License-Identifier: GPL-2.0
/*
 * insn_timed [-s SEED] [-n PADS]
 *
 * Step a thread through pads that time calls: pads that put a call into the table, and pads that
 * take it out.  The slot of the call is free, or has the call, with its time or without, or another
 * call.  Or another thread changes it, or the histogram, at the last moment.
 *
 * At each address in the pad, pad_unwind() must give the registers of the program.  If the hit is
 * counted there, what it owes is completed in a copy, as the module would do it.  The copy must
 * have what the pad itself leaves in the end.  Sometimes the thread is taken out of the pad there,
 * and goes on as the module would have it go on.
 *
 * Then threads call a function with such pads, natively: see timed_threads.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ktap.h"
#include "pad.h"
#include "pads_make.h"
#include "timed_threads.h"
#include "trial.h"

#define FLAGS_TF	0x100
#define STEPS		512

/* A thread leaves a pad so often at most, so that it gets to the end. */
#define LEAVES		4

/* How a slot and a histogram are when the thread comes, or are changed while it is in the pad. */
enum scene { FREE, OWN, BUSY, OTHER, FUTURE, TAKEN, RACED, SCENES };

static const struct layout layout = {
	"timed", { 0x20000000, 0x21000000, 0x28000000, 0x30000000, 0x31000000, 0x8000, 0x38000000 }
};

/* Entries of functions, and ends of functions.  Some read flags. */
static const u8 texts[][12] = {
	{ 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5 },	/* endbr64; push %rbp; mov */
	{ 0x55, 0x48, 0x89, 0xe5, 0x53 },			/* push %rbp; mov; push %rbx */
	{ 0x48, 0x83, 0xec, 0x18, 0x85, 0xff },			/* sub $24, %rsp; test */
	{ 0x11, 0xf0, 0x48, 0x89, 0xc2 },			/* adc %esi, %eax; mov */
	{ 0xc3, 0x0f, 0x1f, 0x44, 0x00, 0x00 },			/* ret */
	{ 0xc2, 0x08, 0x00, 0x66, 0x90 },			/* ret $8 */
	{ 0xf3, 0xc3, 0x0f, 0x1f, 0x00 },			/* rep ret */
	{ 0x0f, 0x92, 0xc0, 0xc3, 0x90 },			/* setb %al; ret */
	{ 0x48, 0x0f, 0x42, 0xc7, 0xc3 },			/* cmovb %rdi, %rax; ret */
	{ 0x01, 0xf8, 0xc3, 0x66, 0x90 },			/* add %edi, %eax; ret */
};

static struct trial trial;
static struct pad *pad;
static struct pad_layout parts;
static u8 text[64];
static u64 at;
static bool passes;
static enum scene scene;
static unsigned long runs, stepped, ended, trapped, rejected, left[2], owed[4], wrong;
static unsigned int largest_pad, leaves, apart;
static bool have_rdpid;

/* The program without a pad: the registers at each covered instruction, and behind. */
static struct {
	struct user_regs_struct regs[8];
	unsigned int nr;
	u8 memory[3][DATA_SIZE];
} native;

static const enum region regions[] = { REGION_DATA, REGION_STACK, REGION_LOW };

/* The table of calls has the same address in the thread. */
#define TABLE	0x39000000ull
#define PADS	0x38000000ull
#define VALUES	(PADS + PADS_PAGE)

static struct pad_slot *const table = (struct pad_slot *)TABLE;

/*
 * The content of memory, apart from the effects of the hit.
 * @slots: the table of calls
 * @least: the least value in the histogram
 * @largest: its largest value
 * @key: the key of the call
 * @since: the hit is not older
 * @value: the value of the hit, if @known
 * @known: the value has been seen
 */
static struct {
	struct pad_slot slots[PAD_SLOTS];
	u64 least;
	u64 largest;
	u64 key;
	u64 since;
	u64 value;
	bool known;
} model;

/**
 * struct outcome - what a hit changes
 * @slot: the slot of the call
 * @values: the histogram
 */
struct outcome {
	struct pad_slot slot;
	struct pad_values values;
};

static struct pad_values *values(void)
{
	return (struct pad_values *)(region_of(REGION_PADS) + PADS_PAGE);
}

static struct pad_slot *slot(void)
{
	return &table[pad_slot_of(model.key)];
}

static u64 random64(void)
{
	return (u64)trial_random() << 32 | trial_random();
}

static bool begins(void)
{
	return pad_does(pad, PAD_BEGIN);
}

/* Check whether the pad itself handles a hit that passes. */
static bool completes(void)
{
	return scene == (begins() ? FREE : OWN);
}

__attribute__((format(printf, 1, 2)))
static bool differs(const char *fmt, ...)
{
	static const char * const scenes[SCENES] = {
		"free", "own", "busy", "other", "future", "taken", "raced"
	};
	va_list ap;

	if (++wrong > 10)
		return false;
	for (int i = 0; i < pad->pun.len; i++)
		printf(i ? " %02x" : "# %02x", text[i]);
	printf(" (%s, %s, slot: %s, %d conditions, %s): ", pad->saves ? "saving" : "bare",
	       begins() ? "begins" : "ends", scenes[scene], pad->nr - 1, passes ? "pass" : "fail");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

/* Get a key that is not that of the call, but could have its slot. */
static u64 other_key(void)
{
	return model.key ^ (u64)(1 + trial_random() % 0x7ffe) << 48;
}

/* Make the table, and the histogram. */
static void reset(void)
{
	const struct pad_timing *t = &pad_action(pad)->timing;
	u64 now = __builtin_ia32_rdtsc(), age = random64() >> (20 + trial_random() % 44);
	struct pad_slot *own;

	model.key = pad_call_key(t->id, trial.cpu.regs.rsp);
	own = &model.slots[pad_slot_of(model.key)];
	own->began = scene == FUTURE ? now + (1ull << 40) : now - (age < now ? age : now);
	switch (scene) {
	case FREE:
		own->key = 0;
		break;
	case BUSY:
		own->key = model.key | PAD_SLOT_BUSY;
		break;
	case OTHER:
		own->key = other_key();
		break;
	case TAKEN:
		own->key = begins() ? 0 : model.key;
		break;
	default:
		own->key = model.key;
	}
	memcpy(table, model.slots, sizeof(model.slots));
	model.least = scene == RACED || trial_random() % 2 ? ~0ull : trial_random() % 512;
	model.largest = scene == RACED || trial_random() % 2 ? 0 : random64() >> 8;
	memset(values(), 0, sizeof(*values()));
	values()->least = model.least;
	values()->largest = model.largest;
	model.known = false;
	leaves = 0;
	model.since = __builtin_ia32_rdtsc();
}

/* Another thread changes what the pad is about to exchange. */
static void race(u64 ip)
{
	static const u8 cmpxchg[] = { 0xf0, 0x48, 0x0f, 0xb1 };
	const u8 *insn = region_of(REGION_SLOT) + (ip - layout.at[REGION_SLOT]);

	if (ip - at >= PAD_MAX || memcmp(insn, cmpxchg, sizeof(cmpxchg)))
		return;
	if (scene == RACED && insn[4] != 0x11) {
		model.largest = values()->largest ^= 1;
		model.least = values()->least ^= 1;
	} else if (scene == TAKEN && insn[4] == 0x11) {
		slot()->key = begins() || trial_random() % 2 ? other_key() : 0;
		model.slots[pad_slot_of(model.key)] = *slot();
	}
}

/* Check whether the pad has counted the hit. */
static bool committed(void)
{
	if (begins())
		return (slot()->key & ~PAD_SLOT_BUSY) == model.key && scene == FREE;
	return !slot()->key && scene == OWN;
}

/* Complete a hit, as the module does. */
static void pay(const struct pad_debt *debt, struct outcome *o)
{
	owed[debt->owes]++;
	if (debt->owes == PAD_OWES_BEGIN)
		o->slot = (struct pad_slot) { model.key, __builtin_ia32_rdtsc() };
	if (debt->owes == PAD_OWES_VALUE)
		o->values.buckets[pads_bucket_of(debt->value)]++;
	if (debt->owes == PAD_OWES_VALUE || debt->owes == PAD_OWES_SUM)
		o->values.sum += debt->value;
}

static u64 took(u64 now)
{
	u64 ticks = now - model.slots[pad_slot_of(model.key)].began;

	return (u64)((__uint128_t)ticks * pad_action(pad)->timing.ns >> 32);
}

static bool is_extreme(u64 now, u64 is, u64 before, u64 value)
{
	if (is == before)
		return true;
	return model.known ? is == value : is >= took(model.since) && is <= took(now);
}

/* Compare what a hit leaves that is counted, and completed. */
static bool same_counted(const struct outcome *o)
{
	u64 now = __builtin_ia32_rdtsc(), value = o->values.sum, n = 0;

	if (begins())
		return o->slot.key == model.key && o->slot.began >= model.since &&
		       o->slot.began <= now && !value;
	for (int i = 0; i < PAD_BUCKETS; i++)
		n += o->values.buckets[i];
	if (model.known && value != model.value)
		return false;
	model.known = true;
	model.value = value;
	return !o->slot.key && n == 1 && o->values.buckets[pads_bucket_of(value)] == 1 &&
	       value >= took(model.since) && value <= took(now) &&
	       o->values.least == (value < model.least ? value : model.least) &&
	       o->values.largest == (value > model.largest ? value : model.largest);
}

/* Compare what a hit leaves that the pad has not counted: only the extremes may have its value. */
static bool same_uncounted(const struct outcome *o)
{
	const struct pad_slot *own = &model.slots[pad_slot_of(model.key)];
	u64 now = __builtin_ia32_rdtsc();

	for (int i = 0; i < PAD_BUCKETS; i++)
		if (o->values.buckets[i])
			return false;
	return !memcmp(&o->slot, own, sizeof(*own)) && !o->values.sum &&
	       is_extreme(now, o->values.least, model.least, model.value) &&
	       is_extreme(now, o->values.largest, model.largest, model.value);
}

/* Check that the rest of the table is as before. */
static bool same_table(void)
{
	unsigned int nr = pad_slot_of(model.key);

	return !memcmp(table, model.slots, nr * sizeof(*table)) &&
	       !memcmp(table + nr + 1, model.slots + nr + 1,
		       (PAD_SLOTS - nr - 1) * sizeof(*table));
}

/* Compare memory, except for what a pad may push. */
static bool same_memory(void)
{
	u64 pushed = trial.cpu.regs.rsp - 128 - 5 * 8;

	for (int i = 0; i < 3; i++) {
		const u8 *b = region_of(regions[i]);

		for (u64 k = 0; b && k < DATA_SIZE; k++)
			if (native.memory[i][k] != b[k] &&
			    layout.at[regions[i]] + k - pushed >= 5 * 8)
				return differs("byte %#llx of region %d", k + 0ull, regions[i]);
	}
	return true;
}

static bool in_text(u64 ip)
{
	return ip - trial.addr < pad->pun.len;
}

/* Step through the covered instructions, as they are in the program. */
static bool run_native(void)
{
	static struct stop stop;
	u8 *code = region_of(REGION_CODE);

	memset(code, 0xcc, CODE_SIZE);
	memcpy(code + (trial.addr - layout.at[REGION_CODE]), text, sizeof(text));
	trial_load_memory(&trial);
	stop.cpu = trial.cpu;
	native.nr = 0;
	for (;;) {
		native.regs[native.nr++] = stop.cpu.regs;
		if (!in_text(stop.cpu.regs.rip))
			break;
		stop.cpu.regs.orig_rax = ~0ull;
		if (native.nr == 8 || !machine_run(&stop.cpu, true, &stop) ||
		    stop.info.si_code != TRAP_TRACE)
			return false;
	}
	for (int i = 0; i < 3; i++)
		if (region_of(regions[i]))
			memcpy(native.memory[i], region_of(regions[i]), DATA_SIZE);
	return true;
}

/*
 * Check the state at which a thread is stopped.  Sometimes take it out of the pad, as if it got a
 * signal there.
 */
static bool check(struct user_regs_struct *now)
{
	struct user_regs_struct program = *now;
	struct outcome o = { *slot(), *values() };
	struct pad_state state;
	struct pad_debt debt;
	unsigned int i = 0;
	bool handled;

	if (!pads_leave(pad, at, &program, (const u64 *)(region_of(REGION_STACK) +
			(now->rsp - layout.at[REGION_STACK])), &state, &debt))
		return differs("no state at %#llx of the pad", now->rip - at);
	while (i < native.nr && !pads_same_registers(pad, &native.regs[i], &program))
		i++;
	if (i == native.nr)
		return differs("no such registers at %#llx of the pad", now->rip - at);
	handled = committed() || (passes && pad_in_copies(&parts, now->rip - at));
	if ((state.counted && passes) != (handled && state.ip == pad->addr) ||
	    (debt.owes && !committed()))
		return differs("wrong about the hit at %#llx of the pad", now->rip - at);
	pay(&debt, &o);
	if (!same_table() || !(committed() ? same_counted(&o) : same_uncounted(&o)))
		return differs("another outcome at %#llx of the pad, which owes %d",
			       now->rip - at, debt.owes);
	if (state.ip != pad->addr || leaves == LEAVES || trial_random() % 64)
		return true;
	leaves++;
	left[state.counted]++;
	*now = program;
	now->rip = state.counted && passes ? at + parts.copies[0] : at;
	*slot() = o.slot;
	*values() = o.values;
	/* The next time, the call takes longer; the time until now may stay an extreme. */
	if (!committed()) {
		model.least = o.values.least;
		model.largest = o.values.largest;
	}
	return true;
}

/* The thread is at the trap of the pad.  Let it go on as the module does. */
static bool run_trap(struct stop *stop)
{
	struct user_regs_struct program = stop->cpu.regs;

	program.rip = pad->addr;
	if (!passes || completes() || !pads_same_registers(pad, &native.regs[0], &program))
		return differs("it traps, or with other registers");
	if (!machine_run(&stop->cpu, false, stop) || stop->sig != SIGTRAP ||
	    stop->cpu.regs.rip - at != parts.trap + 1u)
		return differs("it does not trap where it should");
	stop->cpu.regs.rip = at + parts.copies[0];
	trapped++;
	return true;
}

/* Step through the pad; @traps: it has its trap. */
static bool run_pad(int len, bool traps)
{
	static struct stop stop;
	struct outcome o;

	trial_load_memory(&trial);
	reset();
	stop.cpu = trial.cpu;
	stop.cpu.regs.rip = at;
	for (int steps = 0; stop.cpu.regs.rip - at < (u64)len; steps++) {
		if (steps == STEPS)
			return differs("the pad does not end");
		stop.cpu.regs.orig_rax = ~0ull;
		if (!check(&stop.cpu.regs))
			return false;
		if (traps && stop.cpu.regs.rip - at == parts.trap && !run_trap(&stop))
			return false;
		stop.cpu.regs.orig_rax = ~0ull;
		race(stop.cpu.regs.rip);
		if (!machine_run(&stop.cpu, true, &stop) || stop.info.si_code != TRAP_TRACE)
			return differs("signal %d at %#llx of the pad", stop.sig,
				       stop.cpu.regs.rip - at);
		stepped++;
	}
	o = (struct outcome) { *slot(), *values() };
	if (!pads_same_registers(pad, &native.regs[native.nr - 1], &stop.cpu.regs))
		return differs("it ends with other registers, at %#llx", stop.cpu.regs.rip);
	if (committed() != (passes && completes()) || !same_table() ||
	    !(committed() ? same_counted(&o) : same_uncounted(&o)))
		return differs("another outcome in the end");
	ended += committed();
	rejected += !passes;
	return same_memory();
}

/* Try a pad, as it is while the module is there, or as it is without the module. */
static void try_pad(void)
{
	u8 *code = region_of(REGION_CODE), *out = region_of(REGION_SLOT), buf[PAD_MAX];
	bool traps = trial_random() % 4;
	int n = pad_emit(pad, at, buf, &parts);

	if (n < 0 || n > PAD_MAX - 24 || n > (int)pad_guess(pad)) {
		differs("the pad has %d bytes, and is said to have %u", n, pad_guess(pad));
		return;
	}
	largest_pad = largest_pad > (unsigned int)n ? largest_pad : (unsigned int)n;
	if (!traps)
		buf[parts.trap] = PAD_NO_TRAP;
	memset(code, 0xcc, CODE_SIZE);
	memcpy(code + (trial.addr - layout.at[REGION_CODE]), text, sizeof(text));
	memset(out, 0xcc, CODE_SIZE);
	memcpy(out + (at - layout.at[REGION_SLOT]), buf, (size_t)n);
	runs++;
	run_pad(n, traps);
}

static void try_site(const u8 *bytes)
{
	/* The pad is to have a histogram for each processor. */
	bool each = have_rdpid && trial_random() % 3 == 0;
	struct pad_filter filter;
	struct uinsn insn;
	u64 word;

	memset(text, 0x90, sizeof(text));
	memcpy(text, bytes, sizeof(texts[0]));
	if (uinsn_decode(&insn, text, sizeof(text), UINSN_MODE_64))
		return;
	trial_make(&trial, &layout, &insn, text);
	trial.cpu.regs.eflags &= ~(u64)FLAGS_TF;
	word = trial.cpu.regs.rsp - layout.at[REGION_STACK];
	uinsn_put64(trial.memory[1] + word, layout.at[REGION_OUT] + 256);
	if (pun_decide(&pad->pun, text, sizeof(text)) || !run_native()) {
		differs("it cannot be tried");
		return;
	}
	pad->addr = trial.addr;
	at = layout.at[REGION_SLOT] + 512 + trial_random() % 64;
	passes = pads_filter_make(&filter, &trial.cpu.regs);
	/* Calls are not timed under conditions: with four of these, such a pad would be too large. */
	if (each) {
		filter.nr = 0;
		passes = true;
	}
	pad_set_steps(pad, &filter, trial_random() % 2 ? PAD_BEGIN : PAD_END);
	pad->steps[pad->nr - 1].timing = (struct pad_timing) {
		.table = TABLE, .at = VALUES,
		.id = (u16)(1 + trial_random() % (PAD_FUNCTIONS - 1)),
		.ns = random64() >> (31 + trial_random() % 4),
	};
	if (each && !begins()) {
		pad->steps[0].timing.at = PADS_COPY(PADS);
		pad->steps[0].timing.mask = PADS_COPIES - 1;
		apart++;
	}
	/* The pad completes the hit in half of the runs. */
	scene = trial_random() % 2 ? begins() ? FREE : OWN : trial_random() % SCENES;
	if (begins() && scene == RACED)
		scene = FREE;
	for (int saves = pad_saves(pad, text, sizeof(text)); saves < 2; saves++) {
		pad->saves = saves;
		if (pad_filter_fits(pad))
			try_pad();
	}
}

int main(int argc, char **argv)
{
	unsigned long seed = 1, n = 400;
	struct timed_threads threads;
	int opt;

	while ((opt = getopt(argc, argv, "s:n:")) != -1) {
		if (opt == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (opt == 'n')
			n = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	ktap_plan(4);
	timed_threads(&threads);
	ktap_note("%lu calls: %lu counted, %lu trapped at the entry, %lu at the return",
		  threads.calls, threads.counted, threads.begins, threads.ends);
	ktap_note("signals took threads out of pads %lu times, and %lu hits owed something",
		  threads.left, threads.owed);
	ktap_ok(threads.counted + threads.ends == threads.calls &&
		threads.counted > threads.ends && threads.ends >= threads.begins, "each call of threads is counted, or traps");
	ktap_ok(!threads.kept, "no call stays in the table");
	ktap_ok(threads.sane, "calls do not take longer than they do");
	trial_seed(seed);
	pad = calloc(1, sizeof(*pad) + PAD_STEPS * sizeof(struct pad_step));
	if (!pad || mmap(table, sizeof(model.slots), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != table)
		return 2;
	for (unsigned int i = 0; i < PAD_SLOTS; i++)
		model.slots[i] = (struct pad_slot) { random64(), random64() };
	if (!machine_start(&layout))
		return 2;
	have_rdpid = pads_have_rdpid(layout.at[REGION_CODE]);
	for (unsigned long i = 0; i < n; i++)
		try_site(texts[trial_random() % (sizeof(texts) / sizeof(texts[0]))]);
	ktap_ok(!wrong && runs > n && ended > n / 4 && trapped > n / 8 && rejected && left[0] &&
		left[1] && (apart || !have_rdpid) && owed[PAD_OWES_BEGIN] &&
		owed[PAD_OWES_VALUE] && owed[PAD_OWES_SUM],
		"wherever a thread is stopped in %lu pads, each call is timed once", runs);
	ktap_note("%lu steps; %lu hits counted, %lu trapped, %lu failed a condition", stepped,
		  ended, trapped, rejected);
	ktap_note("threads left pads %lu times before the hit was counted, %lu times after that",
		  left[0], left[1]);
	ktap_note("hits owed their beginning %lu times, their value %lu times, the sum %lu times",
		  owed[PAD_OWES_BEGIN], owed[PAD_OWES_VALUE], owed[PAD_OWES_SUM]);
	ktap_note("the largest pad has %u bytes; %u sites had a histogram for each processor",
		  largest_pad, apart);
	free(pad);
	machine_end();
	return ktap_finish();
}
