// SPDX-License-Identifier: GPL-2.0
/*
 * insn_run [-m 32|64] [-l LAYOUT] [-w WAY] [-s SEED] [-n ONE_IN] [-r TIMES] [-c AT_LEAST]
 * insn_run -m 32|64 -l LAYOUT -w WAY -s SEED -t TRIAL BYTE...
 *
 * Run instructions natively and out of line, both from the same random registers, flags and
 * memory.  Compare everything that a program or its signal handler can see: registers, flags,
 * vector and x87 state, memory, signal number, si_code, si_addr, and the ip.
 *
 * LAYOUT determines where text, slots and data are (low, high, far).  WAY is one of
 *
 *   slot    run the slot to its end
 *   unwind  leave the slot at every address inside it, and resume in the original text with the
 *           state of ssol_unwind(): this must end like the native run
 *   step    run the plain copy under TF
 *
 * This tries one of ONE_IN plain copies.  It tries each other encoding TIMES times (4), from
 * different states.  The second form repeats one trial.  At least AT_LEAST encodings must
 * complete.  With -w step in layout far, at least AT_LEAST / 20 steps must borrow a register.
 *
 * Exit status 0: all agree; 77: this machine runs no code of this mode.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "encodings.h"
#include "ktap.h"
#include "ssol.h"
#include "ssol_emit.h"
#include "trial.h"

#define FLAGS_TF	0x100
#define FLAGS_RF	0x10000
#define FLAGS_ID	0x200000

#define EXIT_CANNOT	77

static const struct layout layouts[] = {
	{ "low", { 0x20000000, 0x21000000, 0x28000000, 0x30000000, 0x31000000, 0x8000 } },
	{ "high", { 0x123400000000, 0x123401000000, 0x123420000000, 0x123440000000,
		    0x123441000000, 0x8000 } },
	{ "far", { 0x20000000, 0x523400000000, 0x28000000, 0x30000000, 0x31000000, 0x8000 } },
};

enum way { WAY_SLOT, WAY_UNWIND, WAY_STEP, NR_WAYS };
static const char * const way_names[NR_WAYS] = { "slot", "unwind", "step" };

static const struct layout *layout;
static enum way way;
static u64 seed = 1, trials;
static unsigned long at_least;
static u32 one_in = 1;
static int special_times = 4;
static int reported;
static struct {
	unsigned long encodings, compared, completed, faulted, undefined;
	unsigned long out_of_reach, refused, stepped, scratch, unresumed;
	unsigned long kinds[SSOL_NR_KINDS];
} counts;

static struct trial trial;
static struct ssol_plan plan;
static struct stop native, other;
static u8 after[3][DATA_SIZE];

static const enum region memory_regions[] = { REGION_DATA, REGION_STACK, REGION_LOW };

static void save_memory(u8 to[3][DATA_SIZE])
{
	for (int i = 0; i < 3; i++)
		if (region_of(memory_regions[i]))
			memcpy(to[i], region_of(memory_regions[i]), DATA_SIZE);
}

static void load_memory(u8 from[3][DATA_SIZE])
{
	for (int i = 0; i < 3; i++)
		if (region_of(memory_regions[i]))
			memcpy(region_of(memory_regions[i]), from[i], DATA_SIZE);
}

/* Write the original text, with or without a breakpoint in place of its first byte. */
static void put_text(bool breakpoint)
{
	u8 *code = region_of(REGION_CODE);
	u64 at = trial.addr - layout->at[REGION_CODE];

	memset(code, 0xcc, CODE_SIZE);
	memcpy(code + at, trial.text, trial.insn.len);
	if (breakpoint)
		code[at] = 0xcc;
}

static u64 slot_address(void)
{
	return layout->at[REGION_SLOT] + 64 * (trials % 16 + 16);
}

static u8 *slot_view(void)
{
	return region_of(REGION_SLOT) + (slot_address() - layout->at[REGION_SLOT]);
}

/*
 * Return: true for an instruction whose result depends on the time, or that would disturb the
 * tracer or reach outside of this machine.
 */
static bool cannot_compare(const struct uinsn *insn)
{
	switch (insn->map) {
	case UINSN_MAP_1:
		/* Only the chosen system calls and interrupts are harmless. */
		return (insn->opcode == 0xcd && trial.text[insn->imm_at] > 4 &&
			trial.text[insn->imm_at] != 0x80);
	case UINSN_MAP_0F:
		switch (insn->opcode) {
		case 0x00:
			/*
			 * verr and verw with LOCK are undefined (SDM vol. 2). But a virtual
			 * machine (PVM) executes them in most runs.
			 */
			return insn->prefixes & UINSN_PREFIX_LOCK;
		case 0x01:	/* vmcall, monitorx, mwaitx, vmmcall, rdtscp, rdpru, wrpkru */
			return insn->modrm == 0xc1 || insn->modrm == 0xd9 ||
			       insn->modrm == 0xf9 || insn->modrm == 0xfa ||
			       insn->modrm == 0xfb || insn->modrm == 0xfd ||
			       insn->modrm == 0xef;
		case 0x31:	/* rdtsc */
			return true;
		case 0x34:	/* sysenter returns to the vdso of 32-bit tasks */
			return true;
		case 0x05:
			return insn->mode == UINSN_MODE_32;
		case 0xae:	/* umonitor, umwait, tpause: depend on interrupts */
			return insn->modrm >= 0xf0 && insn->modrm <= 0xf7;
		case 0xc7:	/* rdrand, rdseed */
			return insn->modrm >= 0xf0;
		}
	}
	return false;
}

static void reproducer(char *line, size_t size)
{
	int n = snprintf(line, size, "insn_run -m %d -l %s -w %s -s %llu -t %llu",
			 trial.insn.mode == UINSN_MODE_64 ? 64 : 32, layout->name, way_names[way],
			 (unsigned long long)seed, (unsigned long long)trials);

	for (int i = 0; i < trial.insn.len; i++)
		n += snprintf(line + n, size - (size_t)n, " %02x", trial.text[i]);
}

__attribute__((format(printf, 1, 2)))
static void differs(const char *fmt, ...)
{
	char line[200], why[200];
	va_list ap;

	if (++reported > 20)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	reproducer(line, sizeof(line));
	ktap_note("%s: %s %s: %s", line, uinsn_class_name(trial.insn.class),
		  ssol_kind_name(plan.kind), why);
}

/*
 * Return: true if rax can be the status of an aborted transaction. Every transaction here aborts,
 * wherever it continues: by the breakpoint that is its text, or by an earlier interrupt. In the
 * second case, the status is 0 (SDM vol. 1, 16.3.5).
 */
static bool transaction_status(u64 rax)
{
	return !(rax & ~0xff00003full);
}

static bool same_registers(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	enum { NAMED_IN_32BIT = 9 };	/* the first of @fields */
	static const struct {
		const char *name;
		size_t at;
	} fields[] = {
#define FIELD(name) { #name, offsetof(struct user_regs_struct, name) }
		FIELD(rip), FIELD(rsp), FIELD(rax), FIELD(rcx), FIELD(rdx), FIELD(rbx),
		FIELD(rbp), FIELD(rsi), FIELD(rdi), FIELD(r8), FIELD(r9), FIELD(r10),
		FIELD(r11), FIELD(r12), FIELD(r13), FIELD(r14), FIELD(r15), FIELD(cs),
		FIELD(ss), FIELD(ds), FIELD(es), FIELD(fs), FIELD(gs), FIELD(fs_base),
		FIELD(gs_base),
#undef FIELD
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		u64 x, y;

		memcpy(&x, (const u8 *)a + fields[i].at, 8);
		memcpy(&y, (const u8 *)b + fields[i].at, 8);
		/*
		 * In 32-bit code the upper halves of the registers that it can name are undefined
		 * (SDM vol. 1, 3.4.1.1). Some processors let kmovq write all of %rsp, and a later
		 * interrupt can clear the half again.
		 */
		if (trial.insn.mode != UINSN_MODE_64 && i < NAMED_IN_32BIT) {
			x = (u32)x;
			y = (u32)y;
		}
		if (trial.insn.class == UINSN_XBEGIN && native.sig != SIGILL &&
		    fields[i].at == offsetof(struct user_regs_struct, rax) &&
		    transaction_status(x) && transaction_status(y))
			continue;
		if (x != y) {
			differs("%s is %#llx, natively %#llx", fields[i].name,
				(unsigned long long)y, (unsigned long long)x);
			return false;
		}
	}
	if ((a->eflags ^ b->eflags) & ~(u64)FLAGS_RF) {
		differs("flags are %#llx, natively %#llx", b->eflags, a->eflags);
		return false;
	}
	return true;
}

/* Compare the extended state, except for the address of the last x87 instruction and the header. */
static bool same_xstate(const struct cpu *a, const struct cpu *b)
{
	for (size_t i = 0; i < a->xsize; i++) {
		if ((i >= 8 && i < 16) || (i >= 512 && i < 576))
			continue;
		if (a->xstate[i] != b->xstate[i]) {
			differs("byte %zu of the extended state is %02x, natively %02x", i,
				b->xstate[i], a->xstate[i]);
			return false;
		}
	}
	return true;
}

/*
 * Return: true for the word of the return address if a call to an address that is not canonical
 * has failed. Natively, the call faults before it pushes, or it has pushed and keeps the stack
 * pointer. A slot has pushed by then, and a step has pushed the address behind its copy. The word
 * is below the stack pointer, where no program keeps anything across a call.
 */
static bool dead_word(u64 at)
{
	u64 sp = native.cpu.regs.rsp;

	return trial.insn.class == UINSN_ICALL &&
	       native.sig == SIGSEGV && native.info.si_code == SI_KERNEL &&
	       at < sp && sp - at <= 8;
}

static bool same_memory(u8 a[3][DATA_SIZE])
{
	for (int i = 0; i < 3; i++) {
		const u8 *b = region_of(memory_regions[i]);

		for (size_t k = 0; b && k < DATA_SIZE; k++)
			if (a[i][k] != b[k] &&
			    !dead_word(layout->at[memory_regions[i]] + k)) {
				differs("memory at %#llx is %02x, natively %02x",
					(unsigned long long)layout->at[memory_regions[i]] + k,
					b[k], a[i][k]);
				return false;
			}
	}
	return true;
}

static bool same_signal(const siginfo_t *a, const siginfo_t *b, u64 addr_b)
{
	if (a->si_signo != b->si_signo || a->si_code != b->si_code) {
		differs("signal %d code %d, natively %d code %d", b->si_signo, b->si_code,
			a->si_signo, a->si_code);
		return false;
	}
	if (a->si_signo != SIGTRAP && (u64)a->si_addr != addr_b) {
		differs("si_addr is %#llx, natively %p", (unsigned long long)addr_b, a->si_addr);
		return false;
	}
	return true;
}

static void compare(const siginfo_t *info, u64 fault_addr)
{
	if (!(same_signal(&native.info, info, fault_addr) &&
	      same_registers(&native.cpu.regs, &other.cpu.regs) &&
	      same_xstate(&native.cpu, &other.cpu)))
		return;
	same_memory(after);
}

/* Convert the registers of a thread that was stopped in the slot to those in the original text. */
static bool unwind(struct user_regs_struct *regs, u64 *fault_addr)
{
	struct ssol_state state;

	*fault_addr = ssol_original_ip(&plan, trial.addr, slot_address(), *fault_addr);
	if (!ssol_unwind(&plan, trial.addr, slot_address(), regs->rip, &state))
		return false;
	regs->rip = state.ip;
	regs->rsp += (u64)(s64)state.sp;
	if (trial.insn.mode == UINSN_MODE_32)
		regs->rsp = (u32)regs->rsp;
	if (state.set_cx)
		regs->rcx = state.cx;
	return true;
}

static void run_slot(void)
{
	struct cpu cpu = trial.cpu;
	u64 fault_addr;

	put_text(true);
	trial_load_memory(&trial);
	cpu.regs.rip = slot_address();
	if (!machine_run(&cpu, false, &other)) {
		differs("the slot never ends");
		return;
	}
	fault_addr = (u64)other.info.si_addr;
	unwind(&other.cpu.regs, &fault_addr);
	compare(&other.info, fault_addr);
	if (ssol_is_skip(&plan)) {
		/* Resuming behind the instruction must give the same result. */
		trial_load_memory(&trial);
		cpu.regs.rip = trial.addr + trial.insn.len;
		if (machine_run(&cpu, false, &other))
			compare(&other.info, (u64)other.info.si_addr);
	}
}

static bool can_resume(const struct cpu *cpu)
{
	if (machine_resumes(&cpu->regs))
		return true;
	counts.unresumed++;
	return false;
}

/* Leave the slot at each address that a thread can be at. */
static void run_unwind(void)
{
	static u8 before[3][DATA_SIZE];
	struct cpu cpu = trial.cpu, at;
	struct stop stop;
	u64 fault_addr;

	/* pushf would store the TF of the tracer's single-step, and int1 and the like stop. */
	if (trial.insn.class == UINSN_PUSHF || trial.insn.class == UINSN_STRING ||
	    trial.insn.class == UINSN_INT)
		return;
	trial_load_memory(&trial);
	cpu.regs.rip = slot_address();
	for (int steps = 0; steps < 8; steps++) {
		save_memory(before);
		at = cpu;
		fault_addr = 0;
		if (!unwind(&at.regs, &fault_addr) || !can_resume(&cpu) || !can_resume(&at))
			return;
		put_text(false);
		if (!machine_run(&at, false, &other)) {
			differs("resumed from %d steps into the slot, it never ends", steps);
			return;
		}
		compare(&other.info, (u64)other.info.si_addr);

		load_memory(before);
		put_text(true);
		if (!machine_run(&cpu, true, &stop) || stop.sig != SIGTRAP)
			return;
		cpu = stop.cpu;
		/* syscall stores the tracer's TF in r11, too. */
		if (trial.insn.class == UINSN_SYSCALL)
			cpu.regs.r11 &= ~(u64)FLAGS_TF;
		cpu.regs.orig_rax = ~0ull;
	}
	differs("more steps in the slot than there can be instructions");
}

static void to_ssol_regs(const struct user_regs_struct *regs, struct ssol_regs *out, int scratch)
{
	*out = (struct ssol_regs){
		.ip = regs->rip, .sp = regs->rsp, .flags = regs->eflags,
		.cx = regs->rcx, .r11 = regs->r11,
	};
	if (scratch >= 0)
		out->scratch = *trial_register((struct user_regs_struct *)regs,
					       (unsigned int)scratch);
}

static void from_ssol_regs(const struct ssol_regs *in, struct user_regs_struct *regs, int scratch)
{
	regs->rip = in->ip;
	regs->rsp = in->sp;
	regs->eflags = in->flags;
	regs->rcx = in->cx;
	regs->r11 = in->r11;
	if (scratch >= 0)
		*trial_register(regs, (unsigned int)scratch) = in->scratch;
}

static void poke(const struct ssol_poke *poke)
{
	for (int i = 0; i < 3; i++) {
		u64 at = poke->at - layout->at[memory_regions[i]];
		u8 *p = region_of(memory_regions[i]);

		if (p && at < DATA_SIZE)
			for (int k = 0; k < poke->size; k++)
				p[at + (u64)k] = (u8)(poke->value >> 8 * k);
	}
}

/* Do the same as the trap code: start the step, then handle each debug trap. */
static void run_step(void)
{
	int scratch = ssol_scratch(&plan, trial.addr, slot_address());
	struct cpu cpu = trial.cpu;
	struct ssol_step step;
	struct ssol_regs regs;
	struct ssol_poke word = { 0 };

	counts.scratch += scratch >= 0;
	/* A tracer can neither set nor clear ID: it is as an earlier popf or iret left it. */
	cpu.regs.eflags = (cpu.regs.eflags & ~(u64)FLAGS_ID) |
			  (native.cpu.regs.eflags & FLAGS_ID);
	put_text(true);
	trial_load_memory(&trial);
	to_ssol_regs(&cpu.regs, &regs, scratch);
	ssol_before_step(&plan, trial.addr, slot_address(), &step, &regs);
	from_ssol_regs(&regs, &cpu.regs, scratch);
	for (int i = 0; i < 64; i++) {
		if (!machine_run(&cpu, false, &other)) {
			differs("the step never ends");
			return;
		}
		to_ssol_regs(&other.cpu.regs, &regs, scratch);
		if (other.sig != SIGTRAP || other.info.si_code != TRAP_TRACE) {
			u64 fault_addr = (u64)other.info.si_addr;

			if (fault_addr == slot_address())
				fault_addr = trial.addr;
			ssol_abort_step(&plan, trial.addr, slot_address(), &step, &regs);
			from_ssol_regs(&regs, &other.cpu.regs, scratch);
			compare(&other.info, fault_addr);
			return;
		}
		if (ssol_after_step(&plan, trial.addr, slot_address(), &step, &regs, &word)) {
			from_ssol_regs(&regs, &other.cpu.regs, scratch);
			poke(&word);
			if (word.is_return != plan.pushes_return)
				differs("pushes a return address: %d", word.is_return);
			if (regs.ip - slot_address() < SSOL_SLOT_MAX)
				differs("after the step ip is in the slot");
			/* The native run has continued at the new ip: do the same here. */
			cpu = other.cpu;
			cpu.regs.orig_rax = ~0ull;
			if (!can_resume(&cpu))
				return;
			if (!machine_run(&cpu, false, &other)) {
				differs("after the step it never ends");
				return;
			}
			compare(&other.info, (u64)other.info.si_addr);
			return;
		}
		cpu = other.cpu;
		cpu.regs.orig_rax = ~0ull;
	}
	differs("not done after many steps");
}

static void run_trial(void)
{
	enum ssol_refusal why;
	u8 buf[SSOL_SLOT_MAX];
	int n;

	if (ssol_plan_insn(&plan, trial.text, trial.insn.len, trial.insn.mode, &why)) {
		counts.refused++;
		return;
	}
	n = ssol_emit(&plan, trial.addr, slot_address(), buf);
	if (way == WAY_STEP) {
		n = ssol_emit_step(&plan, trial.addr, slot_address(), buf);
	} else if (n == -ERANGE) {
		counts.out_of_reach++;
		return;
	} else if (n == -EOPNOTSUPP) {
		counts.stepped++;
		return;
	}
	if (n < 0 || n > SSOL_SLOT_MAX) {
		differs("emitting gives %d", n);
		return;
	}
	memset(region_of(REGION_SLOT), 0xcc, CODE_SIZE);
	memset(region_of(REGION_OUT), 0xcc, CODE_SIZE);
	memcpy(slot_view(), buf, (size_t)n);

	put_text(false);
	trial_load_memory(&trial);
	if (!machine_run(&trial.cpu, false, &native))
		return;
	save_memory(after);
	counts.compared++;
	counts.kinds[plan.kind]++;
	if (native.sig == SIGTRAP)
		counts.completed++;
	else if (native.sig == SIGILL)
		counts.undefined++;
	else
		counts.faulted++;

	if (way == WAY_SLOT)
		run_slot();
	else if (way == WAY_UNWIND)
		run_unwind();
	else
		run_step();
}

static void one_trial(const struct uinsn *insn, const u8 *text)
{
	trial_seed(seed << 32 ^ trials);
	trial_make(&trial, layout, insn, text);
	if (!cannot_compare(&trial.insn))
		run_trial();
}

static u64 pick_state;

static u32 pick(void)
{
	pick_state ^= pick_state >> 12;
	pick_state ^= pick_state << 25;
	pick_state ^= pick_state >> 27;
	return (u32)(pick_state * 0x2545f4914f6cdd1dull >> 32);
}

static void visit_special(const struct uinsn *insn, const u8 *text, void *data)
{
	unsigned long before = counts.completed;

	(void)data;
	for (int times = 0; times < special_times; times++) {
		trials++;
		one_trial(insn, text);
	}
	counts.encodings += counts.completed != before;
}

static void visit(const struct uinsn *insn, const u8 *text, void *data)
{
	(void)data;
	/* Try an instruction that is no plain copy from several states. */
	int times = insn->class == UINSN_COPY || insn->class == UINSN_NOP ? 1 : special_times;
	unsigned long before = counts.completed;

	while (times--) {
		trials++;
		if (insn->class != UINSN_COPY || pick() % one_in == 0)
			one_trial(insn, text);
	}
	counts.encodings += counts.completed != before;
}

int main(int argc, char **argv)
{
	enum uinsn_mode mode = UINSN_MODE_64;
	unsigned long least_scratch = 0;
	u64 only = 0;
	int opt;

	layout = &layouts[0];
	while ((opt = getopt(argc, argv, "m:l:w:s:n:r:t:c:")) != -1) {
		switch (opt) {
		case 'm':
			mode = atoi(optarg) == 32 ? UINSN_MODE_32 : UINSN_MODE_64;
			break;
		case 'l':
			for (size_t i = 0; i < 3; i++)
				if (!strcmp(layouts[i].name, optarg))
					layout = &layouts[i];
			break;
		case 'w':
			for (int i = 0; i < NR_WAYS; i++)
				if (!strcmp(way_names[i], optarg))
					way = i;
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			one_in = (u32)strtoul(optarg, NULL, 0);
			break;
		case 'r':
			special_times = atoi(optarg);
			break;
		case 'c':
			at_least = strtoul(optarg, NULL, 0);
			break;
		case 't':
			only = strtoull(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	ktap_plan(1);
	if (!machine_start(layout)) {
		ktap_ok(false, "layout %s can be mapped", layout->name);
		return 1;
	}
	if (!machine_runs(mode)) {
		ktap_skip("this machine runs no 32-bit code");
		return EXIT_CANNOT;
	}
	if (only) {
		struct uinsn insn;
		u8 text[UINSN_MAX_LEN];
		size_t len = 0;

		for (int i = optind; i < argc && len < sizeof(text); i++)
			text[len++] = (u8)strtoul(argv[i], NULL, 16);
		if (uinsn_decode(&insn, text, len, mode)) {
			ktap_ok(false, "these bytes are an instruction");
			return 1;
		}
		trials = only;
		one_trial(&insn, text);
	} else {
		pick_state = seed * 0x9e3779b97f4a7c15ull | 1;
		ktap_note("insn_run -m %d -l %s -w %s -s %llu -n %u -r %d",
			  mode == UINSN_MODE_64 ? 64 : 32, layout->name, way_names[way],
			  (unsigned long long)seed, one_in, special_times);
		visit_special_encodings(mode, visit_special, NULL);
		visit_encodings(mode, pick, visit, NULL);
	}
	if (way == WAY_STEP && layout == &layouts[2])
		least_scratch = at_least / 20;
	ktap_ok(!reported && counts.encodings >= at_least && counts.scratch >= least_scratch,
		"%s, %d-bit, %s: %lu encodings, %lu runs, %lu completed, %lu faulted, %lu undefined",
		way_names[way], mode == UINSN_MODE_64 ? 64 : 32, layout->name, counts.encodings,
		counts.compared, counts.completed, counts.faulted, counts.undefined);
	for (int i = 0; i < SSOL_NR_KINDS; i++)
		ktap_note("%8lu %s", counts.kinds[i], ssol_kind_name(i));
	ktap_note("%lu refused, %lu out of reach, %lu only stepped, %lu by a borrowed register",
		  counts.refused, counts.out_of_reach, counts.stepped, counts.scratch);
	if (counts.unresumed)
		ktap_note("%lu left out: this machine does not go on with such a stack pointer",
			  counts.unresumed);
	machine_end();
	return ktap_finish();
}
