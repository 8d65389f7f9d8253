// SPDX-License-Identifier: GPL-2.0
/*
 * Check what addresses inside slots stand for, and what is corrected after a step, in cases that
 * no run on the host leads to.
 */
#include <stdio.h>

#include "ktap.h"
#include "ssol.h"
#include "ssol_emit.h"

#define ADDR	0x401000
#define SLOT	0x10000

static const u8 syscall_text[] = { 0x0f, 0x05 };
static const u8 call_text[] = { 0xe8, 0x00, 0x10, 0x00, 0x00 };
static const u8 pushf_text[] = { 0x9c };
static const u8 movs_text[] = { 0xf3, 0xa4 };
static const u8 xbegin_text[] = { 0xc7, 0xf8, 0x00, 0x10, 0x00, 0x00 };

static struct ssol_plan plan_of(const u8 *text, size_t len, enum uinsn_mode mode)
{
	struct ssol_plan plan;

	if (ssol_plan_insn(&plan, text, len, mode, NULL))
		abort();
	return plan;
}

#define PLAN(text) plan_of(text, sizeof(text), UINSN_MODE_64)

/*
 * A signal has interrupted a system call: the kernel has moved ip back to it, but not restored
 * rcx.
 */
static void restarted_syscall(void)
{
	struct ssol_plan plan = PLAN(syscall_text);
	struct ssol_state state;

	ktap_ok(ssol_unwind(&plan, ADDR, SLOT, SLOT, &state) && state.ip == ADDR &&
		!state.done && !state.set_cx && state.set_cx_if &&
		state.old_cx == SLOT + 2 && state.cx == ADDR + 2,
		"rcx is corrected for a restarted syscall, but not for one that did not run yet");
	ktap_ok(ssol_unwind(&plan, ADDR, SLOT, SLOT + 2, &state) && state.ip == ADDR + 2 &&
		state.done && state.set_cx && state.cx == ADDR + 2,
		"behind a syscall rcx is corrected");
	ktap_ok(ssol_unwind(&plan, ADDR, SLOT, SLOT + 12, &state) && state.ip == ADDR + 2 &&
		state.done && !state.set_cx && !state.set_cx_if,
		"if the slot has corrected rcx, it is not corrected again");
}

static void stepped_syscall(void)
{
	struct ssol_plan plan = PLAN(syscall_text);
	struct ssol_regs regs = { .sp = 0x7000, .flags = 0x246, .cx = 1, .r11 = 2 };
	struct ssol_step step;
	struct ssol_poke poke;

	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	ktap_ok(regs.ip == SLOT && regs.flags == 0x346 && regs.cx == 1, "a step sets TF and ip");
	ssol_abort_step(&plan, ADDR, SLOT, &step, &regs);
	ktap_ok(regs.ip == ADDR && regs.flags == 0x246 && regs.cx == 1 && regs.r11 == 2,
		"a step that did not begin changes no register");

	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	regs.cx = SLOT + 2;
	regs.r11 = 0x346;
	ssol_abort_step(&plan, ADDR, SLOT, &step, &regs);
	ktap_ok(regs.ip == ADDR && regs.cx == ADDR + 2 && regs.r11 == 0x246,
		"rcx and r11 are corrected for a stepped syscall that will be restarted");

	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	regs.ip = SLOT + 2;
	regs.cx = SLOT + 2;
	regs.r11 = 0x346;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) && regs.ip == ADDR + 2 &&
		regs.cx == ADDR + 2 && regs.r11 == 0x246 && regs.flags == 0x246 && !poke.size,
		"rcx and r11 are corrected for a stepped syscall");

	/* The trap comes one instruction late: the jump back is already executed. */
	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	regs.ip = ADDR + 2;
	regs.cx = SLOT + 2;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) && regs.ip == ADDR + 2 &&
		regs.cx == ADDR + 2, "rcx is corrected if the trap of a stepped syscall is late");
}

/* Instructions that must update a shadow stack, and others that do not. */
static void shadow_stack(void)
{
	static const struct {
		u8 text[4];
		bool pushes;
	} cases[] = {
		{ { 0xe8 }, true },			/* call */
		{ { 0xff, 0xd0 }, true },		/* call *%rax */
		{ { 0xff, 0x10 }, true },		/* call *(%rax) */
		{ { 0xff, 0xd4 }, true },		/* call *%rsp: only stepped */
		{ { 0x3e, 0xff, 0xd0 }, true },		/* notrack call *%rax */
		{ { 0xff, 0x18 }, true },		/* far call */
		{ { 0xf0, 0xe8 }, false },		/* #UD */
		{ { 0xc3 }, false },			/* ret */
		{ { 0xcb }, false },			/* far ret */
		{ { 0xff, 0xe0 }, false },		/* jmp *%rax */
		{ { 0xe9 }, false },			/* jmp */
		{ { 0xff, 0x30 }, false },		/* push (%rax) */
		{ { 0x9c }, false },			/* pushf */
		{ { 0x0f, 0x05 }, false },		/* syscall */
		{ { 0xf3, 0x48, 0x0f, 0x1e }, false },	/* rdssp, when C8 follows */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ssol_plan plan;
		u8 text[UINSN_MAX_LEN] = { 0 };

		memcpy(text, cases[i].text, 4);
		if (cases[i].text[0] == 0xf3)
			text[4] = 0xc8;
		plan = PLAN(text);
		if (plan.pushes_return != cases[i].pushes)
			break;
	}
	ktap_ok(i == ARRAY_SIZE(cases),
		"only the plans of calls tell that a shadow stack must be updated");
}

static void stepped_call(void)
{
	struct ssol_plan plan = PLAN(call_text);
	struct ssol_regs regs = { .sp = 0x7000, .flags = 0x246 };
	struct ssol_step step;
	struct ssol_poke poke;

	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	regs.ip = SLOT + 0x1005;
	regs.sp -= 8;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) &&
		regs.ip == ADDR + 0x1005 && poke.at == 0x6ff8 && poke.size == 8 &&
		poke.value == ADDR + 5 && poke.is_return,
		"the return address of a stepped call is corrected");
}

static void stepped_flags(void)
{
	struct ssol_plan plan = PLAN(pushf_text);
	struct ssol_regs regs = { .sp = 0x7000, .flags = 0x10246 };
	struct ssol_step step;
	struct ssol_poke poke;

	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	regs.ip = SLOT + 1;
	regs.sp -= 8;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) && poke.at == 0x6ff8 &&
		poke.size == 8 && poke.value == 0x246 && !poke.is_return,
		"flags that a stepped instruction stored do not have the step's TF");

	/* A program that steps itself. */
	regs = (struct ssol_regs){ .sp = 0x7000, .flags = 0x346 };
	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	regs.ip = SLOT + 1;
	regs.sp -= 8;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) && poke.value == 0x346 &&
		regs.flags == 0x346, "a TF of the program itself is kept");
}

static void stepped_string(void)
{
	struct ssol_plan plan = PLAN(movs_text);
	struct ssol_regs regs = { .flags = 0x246 };
	struct ssol_step step;
	struct ssol_poke poke;

	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	ktap_ok(!ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) && regs.ip == SLOT &&
		regs.flags == 0x346, "a repeated string instruction is stepped again");
	regs.ip = SLOT + 2;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) && regs.ip == ADDR + 2 &&
		regs.flags == 0x246, "a repeated string instruction is stepped until it is done");
}

/* An abort goes to a hop: in a slot, or in a step, behind the jump back of 5 bytes. */
static void transaction(void)
{
	struct ssol_plan plan = PLAN(xbegin_text);
	struct ssol_regs regs = { .flags = 0x246 };
	struct ssol_state state;
	struct ssol_step step;
	struct ssol_poke poke;

	ktap_ok(ssol_unwind(&plan, ADDR, SLOT, SLOT + 11, &state) && state.done &&
		state.ip == ADDR + 0x1006, "the abort address of a slot becomes the original one");
	ssol_before_step(&plan, ADDR, SLOT, &step, &regs);
	regs.ip = SLOT + 11;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) &&
		regs.ip == ADDR + 0x1006, "the abort address of a step becomes the original one");
	regs.ip = ADDR + 0x1006;
	ktap_ok(ssol_after_step(&plan, ADDR, SLOT, &step, &regs, &poke) &&
		regs.ip == ADDR + 0x1006, "the abort address is right for a trap behind the hop");
	regs.ip = SLOT + 11;
	ssol_abort_step(&plan, ADDR, SLOT, &step, &regs);
	ktap_ok(regs.ip == ADDR + 0x1006, "the abort address is right for a signal on the hop");
}

int main(void)
{
	ktap_plan(18);
	restarted_syscall();
	stepped_syscall();
	shadow_stack();
	stepped_call();
	stepped_flags();
	stepped_string();
	transaction();
	return ktap_finish();
}
