// SPDX-License-Identifier: GPL-2.0
/*
 * insn_epilogues
 *
 * Look for the place in front of a return instruction where a jump has room.  Each function here
 * begins at 0x1000, and ends with the return.
 */
#include <string.h>

#include "ktap.h"
#include "probe/epilogue.h"

#define START 0x1000

/**
 * struct sample - a function
 * @len: number of its bytes
 * @code: its bytes
 * @at: where the place is
 * @below: by how much the stack pointer is there below that at the return
 * @what: why
 */
struct sample {
	size_t len;
	const char *code;
	unsigned int at;
	unsigned int below;
	const char *what;
};

#define SAMPLE(text, ...) { sizeof(text) - 1, text, __VA_ARGS__ }

/* nop5 is in front, so that no place is the entry. */
#define NOP5 "\x0f\x1f\x44\x00\x00"

static const struct sample samples[] = {
	SAMPLE(NOP5 "\x48\x83\xc4\x18\x5b\x5d\xc3", 6 + 3 - 4, 0x28, "add $24; pop; pop"),
	SAMPLE(NOP5 "\x48\x83\xc4\x08\x5b\x5d\x41\x5c\xc3", 9, 24,
	       "the nearest place is taken"),
	SAMPLE(NOP5 "\x48\x81\xc4\x88\x00\x00\x00\xc3", 5, 0x88, "add with a long number"),
	SAMPLE(NOP5 "\x48\x83\xec\x80\xc3", 5, 128, "sub $-128"),
	SAMPLE(NOP5 "\x48\x8d\x64\x24\x10\xc3", 5, 16, "lea 16(%rsp), %rsp"),
	SAMPLE(NOP5 "\x48\x8d\x65\xf8\x5b\xc3", 10, 0, "lea -8(%rbp), %rsp: not known"),
	SAMPLE(NOP5 "\x48\x89\xd8\x5b\xc3", 5, 8, "mov; pop"),
	SAMPLE(NOP5 "\xb8\x01\x00\x00\x00\x5b\xc3", 5, 8, "mov of a number"),
	SAMPLE(NOP5 "\xbc\x01\x00\x00\x00\x5b\xc3", 11, 0, "mov of a number to esp"),
	SAMPLE(NOP5 "\x49\x89\xdc\x41\x5c\xc3", 5, 8, "r12 is not the stack pointer"),
	SAMPLE(NOP5 "\x48\x89\xec\x5d\xc3", 9, 0, "mov %rbp, %rsp: not known"),
	SAMPLE(NOP5 "\x31\xc0\x90\x90\xc9\xc3", 10, 0, "leave: not known"),
	SAMPLE(NOP5 "\x31\xc0\x90\x90\x5c\xc3", 10, 0, "pop %rsp: not known"),
	SAMPLE(NOP5 "\x31\xc0\x31\xd2\x53\xc3", 10, 0, "push: not known"),
	SAMPLE(NOP5 "\x48\x83\xe4\xf0\x5b\xc3", 10, 0,
	       "and with the stack pointer: not known"),
	SAMPLE(NOP5 "\xe8\x00\x00\x00\x00\x5b\xc3", 11, 0, "a call may not return"),
	SAMPLE(NOP5 "\xff\xd0\x5b\x5d\xc3", 9, 0, "likewise through a register"),
	SAMPLE(NOP5 "\x0f\x05\x5b\x5d\xc3", 9, 0, "a system call may not return"),
	SAMPLE(NOP5 "\xc5\xf8\x77\x5b\x5d\xc3", 5, 16, "vzeroupper; pop; pop"),
	SAMPLE(NOP5 "\x74\x04\x31\xc0\x31\xd2\x5b\xc3", 12, 0,
	       "a branch that leads behind the place"),
	SAMPLE(NOP5 "\x74\x02\x31\xc0\x31\xd2\x5b\x5d\xc3", 9, 16,
	       "a branch may lead to the place itself"),
	SAMPLE(NOP5 "\x74\x05\x31\xc0\x31\xd2\x5b\xc3", 12, 0,
	       "a branch that leads to the return"),
	SAMPLE("\x48\x83\xc4\x18\x5b\xc3", 5, 0, "the entry is no such place"),
	SAMPLE(NOP5 "\x48\x83\xc4\x18\xc2\x08\x00", 5, 24,
	       "a return that takes words off the stack"),
	SAMPLE("\xc3", 0, 0, "only a return"),
};

static void try(const struct sample *s)
{
	struct epilogues epilogues = { 0 };
	u64 ret = START + s->len - 1, at;
	u16 below;

	if ((u8)s->code[s->len - 1] != 0xc3)
		ret -= 2;
	epilogues_scan(&epilogues, (const u8 *)s->code, s->len, START);
	at = epilogues_find(&epilogues, ret, START, &below);
	if (!ktap_ok(at == START + s->at && below == s->below, "%s", s->what))
		ktap_note("0x%llx, %u", (unsigned long long)(at - START), below);
	epilogues_free(&epilogues);
}

/* Check whether a branch of a function leads to its entry. */
static bool comes_back(const char *code, size_t len)
{
	struct epilogues epilogues = { 0 };
	bool comes;

	epilogues_scan(&epilogues, (const u8 *)code, len, START);
	comes = epilogues_branch_to(&epilogues, START);
	epilogues_free(&epilogues);
	return comes;
}

int main(void)
{
	ktap_plan(sizeof(samples) / sizeof(samples[0]) + 2);
	ktap_ok(comes_back("\x31\xc0\x75\xfc\xc3", 5), "a loop may begin with the first instruction");
	ktap_ok(!comes_back("\x31\xc0\xe8\xf9\xff\xff\xff\xc3", 8), "a recursive call is no loop");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		try(&samples[i]);
	return ktap_finish();
}
