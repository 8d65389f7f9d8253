// SPDX-License-Identifier: GPL-2.0
/*
 * insn_puns FILE...
 *
 * Where a jump can stand: known cases, the bytes of jumps, and how many function entries and
 * instructions of object files can have one. Of function entries, say for each reason how many have
 * none if all are probed, and where one is.
 */
#include <stdio.h>

#include "ktap.h"
#include "pad.h"
#include "sections.h"
#include "status.h"

#define ADDR	0x401000ull

struct golden {
	const char *what;
	u8 text[24];
	enum pun_refusal why;
	u8 traps, len;
};

static const struct golden goldens[] = {
	{ "mov of five bytes", { 0xb8, 1, 0, 0, 0 }, PUN_OK, 0, 5 },
	{ "endbr64, push", { 0xf3, 0x0f, 0x1e, 0xfa, 0x55 }, PUN_OK, 0x10, 5 },
	{ "push, mov, sub", { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10 }, PUN_OK, 0x12, 8 },
	{ "five pushes", { 0x50, 0x51, 0x52, 0x53, 0x55 }, PUN_OK, 0x1e, 5 },
	{ "jcc forwards, nop", { 0x74, 0x10, 0x0f, 0x1f, 0x00 }, PUN_OK, 0x04, 5 },
	{ "xor, ret, padding", { 0x31, 0xc0, 0xc3, 0x66, 0x90 }, PUN_OK, 0x0c, 5 },
	{ "lock inc: the prefix counts", { 0xf0, 0xff, 0x00, 0x90, 0x90 }, PUN_OK, 0x1a, 5 },
	{ "a call at the end", { 0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4 }, PUN_OK, 0x0e, 8 },
	{ "loop at the end", { 0x90, 0x90, 0x90, 0xe2, 0xf0 }, PUN_OK, 0x0e, 5 },
	{ "a system call", { 0x0f, 0x05, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "a system call behind", { 0x90, 0x90, 0x0f, 0x05, 0x90 }, PUN_COVERED, 0, 0 },
	{ "pushf", { 0x9c, 0x90, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "popf", { 0x9d, 0x90, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "int $0x80", { 0xcd, 0x80, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "sysenter", { 0x0f, 0x34, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "mov to ss", { 0x8e, 0xd0, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "far jmp", { 0xff, 0x28, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "iret", { 0x48, 0xcf, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "xbegin", { 0xc7, 0xf8, 0x00, 0x00, 0x00, 0x00 }, PUN_FIRST, 0, 0 },
	{ "lock call", { 0xf0, 0xe8, 0x01, 0x02, 0x03, 0x04 }, PUN_FIRST, 0, 0 },
	{ "lock jcc behind", { 0x90, 0xf0, 0x74, 0x10, 0x90 }, PUN_COVERED, 0, 0 },
	{ "ud2", { 0x0f, 0x0b, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "int3 behind", { 0x90, 0xcc, 0x90, 0x90, 0x90 }, PUN_COVERED, 0, 0 },
	{ "a call that returns to nop", { 0xff, 0xd0, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "such a call behind", { 0x90, 0xff, 0xd0, 0x90, 0x90 }, PUN_COVERED, 0, 0 },
	{ "loop with more behind", { 0xe2, 0xf0, 0x90, 0x90, 0x90 }, PUN_FIRST, 0, 0 },
	{ "ret, the next function", { 0xc3, 0x55, 0x48, 0x89, 0xe5 }, PUN_ENDS, 0, 0 },
	{ "ret, zeroes", { 0xc3 }, PUN_ENDS, 0, 0 },
	{ "ret, int3", { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc }, PUN_ENDS, 0, 0 },
	{ "jmp, data", { 0xeb, 0x10, 0x01, 0x02, 0x03 }, PUN_ENDS, 0, 0 },
	{ "ret, a signature in a nop", { 0xc3, 0x0f, 0x1f, 0x05, 1, 2, 3, 4 }, PUN_ENDS, 0, 0 },
	{ "ret, one in ud1", { 0xc3, 0x0f, 0xb9, 0x3d, 1, 2, 3, 4 }, PUN_ENDS, 0, 0 },
	{ "one in a nop behind", { 0x90, 0x0f, 0x1f, 0x05, 1, 2, 3, 4 }, PUN_COVERED, 0, 0 },
	{ "one in the nop", { 0x66, 0x0f, 0x1f, 0x05, 1, 2, 3, 4 }, PUN_FIRST, 0, 0 },
	{ "ret, another long nop", { 0xc3, 0x0f, 0x1f, 0x80, 0, 0, 0, 0 }, PUN_OK, 0x02, 8 },
	{ "lock behind another prefix", { 0x66, 0xf0, 0xff, 0x00, 0x90 }, PUN_FIRST, 0, 0 },
};

static void known_cases(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(goldens); i++) {
		const struct golden *golden = &goldens[i];
		struct pun pun;
		enum pun_refusal why = pun_decide(&pun, golden->text, sizeof(golden->text));

		ktap_ok(why == golden->why && (why || (pun.traps == golden->traps &&
						       pun.len == golden->len)),
			"%s: %s", golden->what, pun_refusal_name(why));
	}
}

static void text_ends(void)
{
	static const u8 text[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10 };
	struct pun pun;
	size_t len;
	bool unlocked;

	for (len = 0; len < sizeof(text); len++)
		if (pun_decide(&pun, text, len) != PUN_SHORT)
			break;
	ktap_ok(len == sizeof(text) && !pun_decide(&pun, text, len),
		"all of the covered instructions must be known");
	ktap_ok(pun_insn_at(&pun, 0, &unlocked) == 0 && pun_insn_at(&pun, 1, &unlocked) == 1 &&
		pun_insn_at(&pun, 4, &unlocked) == 2 && !unlocked &&
		pun_insn_at(&pun, 2, &unlocked) == -1 && pun_insn_at(&pun, 5, &unlocked) == -1,
		"the instruction that begins at an offset is found");
	pun_decide(&pun, (const u8 *)"\x90\xf0\xff\x00\x90", 5);
	ktap_ok(pun_insn_at(&pun, 1, &unlocked) == 1 && !unlocked &&
		pun_insn_at(&pun, 2, &unlocked) == 1 && unlocked &&
		pun_insn_at(&pun, 3, &unlocked) == -1,
		"so is the one behind a LOCK prefix");
	pun_decide(&pun, (const u8 *)"\x90\x90\x90\x90\xf0\xff\x00", 7);
	ktap_ok(pun_insn_at(&pun, 4, &unlocked) == 4 && !unlocked &&
		pun_insn_at(&pun, 5, &unlocked) == -1, "none begins behind the jump");
	ktap_ok(!pun_decide(&pun, (const u8 *)"\xe8\x01\x02\x03\x04", 5) && pun.calls &&
		!pun_decide(&pun, (const u8 *)"\xe9\x01\x02\x03\x04", 5) && !pun.calls,
		"a call is told as such");
}

/* Take one displacement for each combination of low, trapping and other bytes. */
static void known_jumps(void)
{
	static const u8 some[] = { 0x00, 0x01, 0x06, 0x61, 0x62, 0x80, 0xcc, 0xcd, 0xd6, 0xff };
	unsigned long wrong = 0, taken = 0, tried = 0;
	struct pun pun;
	u8 jump[PUN_LEN];

	pun_decide(&pun, (const u8 *)"\x55\x48\x89\xe5\x48\x83\xec\x10", 8);
	for (unsigned int i = 0; i < 10000; i++) {
		u8 d[4] = { some[i % 10], some[i / 10 % 10], some[i / 100 % 10], some[i / 1000] };
		bool good = true, took;

		for (int k = 1; k < PUN_LEN; k++)
			if (pun.traps >> k & 1)
				good &= d[k - 1] == 0x06 || d[k - 1] == 0x61 || d[k - 1] == 0xcc;
		took = pun_jump(&pun, ADDR, ADDR + 5 + (u64)(s64)(s32)uinsn_get32(d), jump);
		wrong += took != good || (took && (jump[0] != 0xe9 || memcmp(jump + 1, d, 4)));
		taken += took;
		tried++;
	}
	ktap_ok(!wrong && taken, "%lu of %lu displacements trap where they must", taken, tried);
	pun_decide(&pun, (const u8 *)"\xb8\x01\x00\x00\x00", 5);
	ktap_ok(pun_jump(&pun, ADDR, ADDR + 5 + 0x7fffffff, jump) &&
		!pun_jump(&pun, ADDR, ADDR + 5 + 0x80000000, jump) &&
		pun_jump(&pun, 1ull << 32, (1ull << 32) + 5 - 0x80000000, jump) &&
		!pun_jump(&pun, 1ull << 32, (1ull << 32) + 4 - 0x80000000, jump),
		"the target is within 2 GiB");
}

/* Text, and the flags that it may still use. */
static const struct {
	const char *what;
	u8 text[16];
	size_t len;
	unsigned int live;
} uses[] = {
	{ "xor", { 0x31, 0xc0 }, 2, 0 },
	{ "mov, the end", { 0x89, 0xc8 }, 2, STATUS_ALL },
	{ "nop, ret", { 0x90, 0xc3, 0x31, 0xc0 }, 4, STATUS_ALL },
	{ "call, xor", { 0xe8, 0, 0, 0, 0, 0x31, 0xc0 }, 7, STATUS_ALL },
	{ "jmp, xor", { 0xeb, 0, 0x31, 0xc0 }, 4, STATUS_ALL },
	{ "syscall, xor", { 0x0f, 0x05, 0x31, 0xc0 }, 4, STATUS_ALL },
	{ "inc, jo", { 0xff, 0xc0, 0x70, 0x10 }, 4, STATUS_CF },
	{ "jo, xor", { 0x70, 0x10, 0x31, 0xc0 }, 4, STATUS_ALL },
	{ "adc", { 0x11, 0xc8 }, 2, STATUS_CF },
	{ "sete, xor", { 0x0f, 0x94, 0xc0, 0x31, 0xc0 }, 5, STATUS_ZF },
	{ "cmovl, sub", { 0x0f, 0x4c, 0xc1, 0x29, 0xc8 }, 5, STATUS_SF | STATUS_OF },
	{ "shl $0, xor", { 0xc1, 0xe0, 0x00, 0x31, 0xc0 }, 5, 0 },
	{ "shl $0, the end", { 0xc1, 0xe0, 0x20 }, 3, STATUS_ALL },
	{ "rcl $9, sahf, jo", { 0xc0, 0xd0, 9, 0x9e, 0x70, 5 }, 6, STATUS_CF | STATUS_OF },
	{ "imul, js", { 0x0f, 0xaf, 0xc1, 0x78, 5 }, 5, STATUS_ALL & ~(STATUS_CF | STATUS_OF) },
	{ "lahf, xor", { 0x9f, 0x31, 0xc0 }, 3, STATUS_ALL & ~STATUS_OF },
	{ "rep cmpsb, xor", { 0xf3, 0xa6, 0x31, 0xc0 }, 4, 0 },
	{ "rep cmpsb, the end", { 0xf3, 0xa6 }, 2, STATUS_ALL },
	{ "no instruction", { 0x06, 0x31, 0xc0 }, 3, STATUS_ALL },
};

static const struct pad counts = { .nr = 1, .steps = { { .kind = PAD_COUNT } } };
static const struct pad checks = { .nr = 2, .steps = { { .kind = PAD_CHECK }, { PAD_COUNT } } };
static const struct pad records = { .nr = 1, .steps = { { .kind = PAD_RECORD } } };
static const struct pad adds = { .nr = 1, .steps = { { .kind = PAD_ADD } } };
static const struct pad begins = { .nr = 1, .steps = { { .kind = PAD_BEGIN } } };
static const struct pad ends = { .nr = 1, .steps = { { .kind = PAD_END } } };

static void known_uses(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		unsigned int live = status_live(uses[i].text, uses[i].len);

		ktap_ok(live == uses[i].live, "%s: the flags %#x are of use", uses[i].what, live);
	}
	ktap_ok(!pad_saves(&counts, uses[6].text, uses[6].len) &&
		pad_saves(&counts, uses[9].text, uses[9].len),
		"a pad saves flags if one is of use that counting changes");
	ktap_ok(pad_saves(&checks, uses[6].text, uses[6].len),
		"a pad with a filter saves flags if any is of use");
	ktap_ok(pad_saves(&records, uses[6].text, uses[6].len), "so does a pad that records");
	ktap_ok(pad_saves(&adds, uses[6].text, uses[6].len), "and one with a histogram");
	ktap_ok(pad_saves(&begins, uses[6].text, uses[6].len) &&
		pad_saves(&ends, uses[6].text, uses[6].len), "and those that time calls");
}

/* Have a pad check the largest filter, with values that are no immediates. */
static void check_widely(struct pad *pad, enum pad_step_kind action)
{
	struct pad_filter filter = { .nr = PAD_CONDITIONS };

	for (int i = 0; i < PAD_CONDITIONS; i++)
		filter.conditions[i] = (struct pad_condition) {
			.value = 1ull << 40, .reg = 9, .size = 8
		};
	pad_set_steps(pad, &filter, action);
}

static void known_filters(struct pad *pad)
{
	check_widely(pad, PAD_TO_TRAP);
	pad->saves = true;
	ktap_ok(pad_filter_fits(pad), "a saving pad can compare r9 with eight bytes");
	pad->steps[1].check.reg = 0;
	ktap_ok(!pad_filter_fits(pad), "it cannot compare rax with them");
	pad->steps[1].check.value = 1;
	ktap_ok(pad_filter_fits(pad), "it can compare rax with a smaller number");
	pad->steps[1].check.reg = 4;
	ktap_ok(!pad_filter_fits(pad), "it cannot compare rsp");
	pad->saves = false;
	ktap_ok(pad_filter_fits(pad), "a bare pad can");
	pad->steps[pad->nr - 1].kind = PAD_RECORD;
	ktap_ok(!pad_filter_fits(pad), "a pad that records cannot, as it uses the stack");
	pad->steps[pad->nr - 1].kind = PAD_ADD;
	ktap_ok(!pad_filter_fits(pad), "nor can one with a histogram");
}

/* Records with all that they can load: those that have room are not longer than a buffer. */
static void largest_loads(struct pad *pad, u64 at)
{
	static const struct pad_load loads[PAD_LOADS] = {
		{ { 1 << 20, 1 << 20, 1 << 20 }, 31, 3, 64, true },
		{ { 1 << 20, 1 << 20, 1 << 20 }, 30, 3, 8, false },
		{ { 1 << 20, 1 << 20, 1 << 20 }, 29, 3, 8, false },
		{ { 1 << 20, 1 << 20, 1 << 20 }, 28, 3, 8, false },
	};
	unsigned int fitting = 0, longer = 0;
	struct pad_layout layout;
	u8 buf[2 * PAD_MAX];
	bool most_fits;

	check_widely(pad, PAD_RECORD);
	/* The values of the conditions differ, so each takes room. */
	for (int i = 0; i < PAD_CONDITIONS; i++)
		pad->steps[i].check.value += (u64)i << 40;
	pad->steps[pad->nr - 1].recording.loads = loads;
	for (u8 nr = 0; nr <= PAD_VALUES; nr++)
		for (u8 n = 0; n <= PAD_LOADS; n++) {
			struct pad_recording *r = &pad->steps[pad->nr - 1].recording;
			int len;

			r->nr = nr;
			r->nr_loads = n;
			for (u8 k = 0; k < nr; k++)
				r->regs[k] = (u8)(PAD_WORD + k);
			len = pad_emit(pad, at, buf, &layout);
			longer += len > (int)pad_guess(pad) + PAD_COPIES_MORE;
			fitting += pad_fits(pad) && len <= PAD_MAX;
			most_fits = pad_fits(pad);
		}
	ktap_ok(!longer && !most_fits, "the longest record has no room, and that is known");
	ktap_ok(fitting > PAD_VALUES, "%u smaller ones have room", fitting);
}

/* The largest pads of each kind have room; @plain: the size of one that counts without conditions. */
static void largest_pads(struct pad *pad, u64 at, int plain)
{
	struct pad_layout layout;
	u8 buf[PAD_MAX];
	int n;

	pad->saves = true;
	check_widely(pad, PAD_TO_TRAP);
	n = pad_emit(pad, at, buf, &layout);
	ktap_ok(n > plain && n <= PAD_MAX && buf[layout.trap] == PAD_TRAP,
		"with the largest filter, it has %d bytes", n);
	check_widely(pad, PAD_RECORD);
	pad->steps[pad->nr - 1].recording.nr = PAD_VALUES;
	memcpy(pad->steps[pad->nr - 1].recording.regs, (const u8 []) { 0, 4, 8, 16, 17, 31 },
	       PAD_VALUES);
	n = pad_emit(pad, at, buf, &layout);
	ktap_ok(n > plain && n <= PAD_MAX && buf[layout.trap] == PAD_TRAP,
		"with the largest record, it has %d bytes", n);
	largest_loads(pad, at);
	check_widely(pad, PAD_ADD);
	pad->steps[pad->nr - 1].histogram = (struct pad_histogram) {
		.at = at + 0x10000, .value = { 31, 1, true },
	};
	n = pad_emit(pad, at, buf, &layout);
	ktap_ok(n > plain && n <= PAD_MAX && buf[layout.trap] == PAD_TRAP,
		"with a histogram, it has %d bytes", n);
	ktap_ok(pad_emit(pad, ADDR, buf, &layout) == -ERANGE, "no pad reaches one so far away");
	pad->steps[pad->nr - 1].histogram.key = (struct pad_operand) { 30, 1, true };
	ktap_ok(pad_emit(pad, ADDR, buf, &layout) > plain,
		"histograms for keys can be anywhere");
	n = pad_emit(pad, at, buf, &layout);
	ktap_ok(n > plain && n <= PAD_MAX && buf[layout.trap] == PAD_TRAP,
		"with histograms for keys, it has %d bytes", n);
	pad->steps[pad->nr - 1].histogram.value = (struct pad_operand) { 0, 1, true, 2 };
	pad->steps[pad->nr - 1].histogram.key = (struct pad_operand) { 0, 1, true, 1 };
	pad->steps[pad->nr - 1].histogram.nr_loads = 2;
	pad->steps[pad->nr - 1].histogram.loads = (const struct pad_load []) {
		{ { 1 << 20, 1 << 20, 1 << 20 }, 31, 3, 1, false },
		{ { 1 << 20, 1 << 20, 1 << 20 }, 30, 3, 1, false },
	};
	n = pad_emit(pad, at, buf, &layout);
	ktap_ok(n > plain && n <= (int)pad_guess(pad) + PAD_COPIES_MORE && pad_fits(pad) &&
		buf[layout.trap] == PAD_TRAP, "with both in memory, it has %d bytes", n);
	check_widely(pad, PAD_END);
	pad->steps[pad->nr - 1].timing = (struct pad_timing) { .at = at + 0x10000, .id = 1 };
	n = pad_emit(pad, at, buf, &layout);
	ktap_ok(n > plain && n <= PAD_MAX && buf[layout.trap] == PAD_TRAP,
		"at the end of a timed call, it has %d bytes", n);
	ktap_ok(pad_emit(pad, ADDR, buf, &layout) == -ERANGE, "no such pad reaches its histogram");
	check_widely(pad, PAD_BEGIN);
	ktap_ok(pad_emit(pad, ADDR, buf, &layout) > plain, "a table of calls can be anywhere");
}

/* Pads far from what they name. */
static void known_pads(void)
{
	static const u8 widest[] = {
		0x74, 0x10, 0x75, 0x10, 0xff, 0x94, 0x24, 0x00, 0x01, 0x00, 0x00
	};
	struct pad *pad = calloc(1, sizeof(*pad) + PAD_STEPS * sizeof(*pad->steps));
	u64 near = ADDR + 0x20000, far = ADDR + (1ull << 46);
	struct pad_layout layout;
	u8 buf[PAD_MAX];
	int n;

	if (!pad)
		abort();
	pad->addr = ADDR;
	pad->saves = true;
	pad_set_steps(pad, &(struct pad_filter) {}, PAD_COUNT);
	pad->steps[0].counter.at = ADDR + 0x10000;
	pun_decide(&pad->pun, widest, sizeof(widest));
	n = pad_emit(pad, near, buf, &layout);
	ktap_ok(n > 0 && layout.copies[0] == 30 && layout.copies[1] == 36 && layout.copies[2] == 42,
		"a pad has the copies where it says");
	ktap_ok(pad_emit(pad, far, buf, &layout) == -ERANGE, "no pad reaches a counter so far away");
	pad->steps[0].counter.at = far + 0x10000;
	n = pad_emit(pad, far, buf, &layout);
	ktap_ok(n > 100 && n <= PAD_MAX, "a pad with long jumps has %d bytes", n);
	known_filters(pad);
	largest_pads(pad, far, n);
	pad_set_steps(pad, &(struct pad_filter) {}, PAD_TO_TRAP);
	pun_decide(&pad->pun, (const u8 *)"\x8b\x05\x00\x00\x00\x00", 6);
	ktap_ok(pad_emit(pad, far, buf, &layout) == -ERANGE,
		"no pad reaches an operand so far away");
	free(pad);
}

/* More reasons, which the text does not show; and why one may have none on some processors. */
enum { AT_PAGE_END = PUN_NR_REFUSALS, NEIGHBOUR, CALL, NR_REASONS };

static const char *reason_name(unsigned int why)
{
	switch (why) {
	case AT_PAGE_END:
		return "a jump would cross the end of a page";
	case NEIGHBOUR:
		return "another function begins under the jump";
	case CALL:
		return "none, unless there is a user shadow stack: the jump covers a call";
	default:
		return pun_refusal_name(why);
	}
}

struct sweep {
	unsigned long sites, fit, bare, why[NR_REASONS], wrong;
	u64 example[NR_REASONS];
};

/* Check a decision against the instructions as they are decoded one after the other. */
static bool plausible(const struct pun *pun, const u8 *text)
{
	size_t at = 0;
	u8 traps = 0;

	for (unsigned int i = 0; i < pun->nr; i++) {
		struct uinsn insn;

		if (pun->at[i] != at || uinsn_decode(&insn, text + at, 15, UINSN_MODE_64))
			return false;
		traps |= at ? (u8)(1 << at) : 0;
		if ((insn.prefixes & UINSN_PREFIX_LOCK) && at + 1 < PUN_LEN)
			traps |= (u8)(1 << (at + 1));
		at += insn.len;
	}
	return at == pun->len && at >= PUN_LEN && traps == pun->traps &&
	       !memcmp(pun->text, text, at);
}

static void note_reason(struct sweep *sweep, unsigned int why, u64 addr)
{
	if (!sweep->why[why]++)
		sweep->example[why] = addr;
}

/* Look at a place. @next: address of the next one, if it is a function. */
static void site(const u8 *text, size_t len, u64 addr, u64 next, struct sweep *sweep)
{
	unsigned int why;
	struct pun pun;

	sweep->sites++;
	why = pun_decide(&pun, text, len);
	if (!why && next && addr % 4096 > 4096 - PUN_LEN)
		why = AT_PAGE_END;
	else if (!why && next && next - addr < PUN_LEN)
		why = NEIGHBOUR;
	note_reason(sweep, why, addr);
	if (why)
		return;
	if (pun.calls)
		note_reason(sweep, CALL, addr);
	sweep->fit++;
	sweep->bare += !pad_saves(&counts, text, len);
	sweep->wrong += len >= 64 && !plausible(&pun, text);
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

struct entries {
	u64 *addr;
	size_t nr, room;
};

static void keep_entry(u64 addr, void *data)
{
	struct entries *entries = data;

	if (entries->nr == entries->room) {
		entries->room = entries->room ? 2 * entries->room : 1024;
		entries->addr = realloc(entries->addr, entries->room * sizeof(u64));
		if (!entries->addr)
			abort();
	}
	entries->addr[entries->nr++] = addr;
}

/* visit_code_sections() closes the file, so visit the entries of each section within it. */
static struct entries entries;

static void sweep_entries(const struct code_section *section, void *data)
{
	if (section->mode != UINSN_MODE_64 || !strncmp(section->name, ".plt", 4))
		return;
	for (size_t i = 0; i < entries.nr; i++) {
		u64 at = entries.addr[i] - section->addr;
		u64 next = i + 1 < entries.nr ? entries.addr[i + 1] : ~0ull;

		if (at < section->size && entries.addr[i] != next)
			site(section->text + at, section->size - at, entries.addr[i], next, data);
	}
}

static void sweep_insns(const struct code_section *section, void *data)
{
	struct uinsn insn;

	for (size_t at = 0; at < section->size; at += insn.len) {
		if (uinsn_decode(&insn, section->text + at, section->size - at, section->mode)) {
			insn.len = 1;
			continue;
		}
		site(section->text + at, section->size - at, section->addr + at, 0, data);
	}
}

static void tell(const char *path, const char *what, const struct sweep *sweep, double least)
{
	double all = sweep->sites ? (double)sweep->sites : 1;

	for (unsigned int i = 1; i < NR_REASONS; i++)
		if (sweep->why[i])
			ktap_note("%12lu %s (%#llx)", sweep->why[i], reason_name(i),
				  (unsigned long long)sweep->example[i]);
	ktap_ok(!sweep->wrong && (double)sweep->fit / all >= least,
		"%s: of %lu %s %.2f %% can have a jump, %.1f %% a pad that saves nothing", path,
		sweep->sites, what, 100 * (double)sweep->fit / all,
		100 * (double)sweep->bare / all);
}

int main(int argc, char **argv)
{
	ktap_plan((int)(ARRAY_SIZE(goldens) + ARRAY_SIZE(uses)) + 35 + 2 * (argc - 1));
	known_cases();
	known_uses();
	known_pads();
	text_ends();
	known_jumps();
	for (int i = 1; i < argc; i++) {
		struct sweep at_entries = { 0 }, at_insns = { 0 };

		entries.nr = 0;
		if (visit_functions(argv[i], keep_entry, &entries) < 0) {
			ktap_skip("%s: it is no x86 object file", argv[i]);
			ktap_skip("%s: it is no x86 object file", argv[i]);
			continue;
		}
		qsort(entries.addr, entries.nr, sizeof(u64), compare);
		visit_code_sections(argv[i], sweep_entries, &at_entries);
		tell(argv[i], "function entries", &at_entries, 0.98);
		visit_code_sections(argv[i], sweep_insns, &at_insns);
		tell(argv[i], "instructions", &at_insns, 0.85);
	}
	return ktap_finish();
}
