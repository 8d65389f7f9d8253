// SPDX-License-Identifier: GPL-2.0
/*
 * Check each reason to refuse an instruction: which instructions get it, which similar ones are
 * not refused, and that it has a text.
 */
#include <stdio.h>

#include "ktap.h"
#include "ssol.h"

static const struct {
	enum uinsn_mode mode;
	int ret;
	enum ssol_refusal why;
	u8 text[8];
	const char *what;
} cases[] = {
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_INT3, { 0xcc }, "int3" },
	{ UINSN_MODE_32, -EPERM, SSOL_REFUSED_INT3, { 0xcc }, "int3, 32-bit" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_INT3, { 0x66, 0xcc }, "int3 with a prefix" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0xcd, 0x03 }, "int $3" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0xf1 }, "int1" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x0f, 0x0b }, "ud2" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0xf4 }, "hlt" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0xfa }, "cli" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x0f, 0x30 }, "wrmsr" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0xf0, 0xc3 }, "lock before ret" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0xf0, 0x48, 0x0f, 0xb1, 0x0f }, "lock cmpxchg" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0xc5, 0xf9, 0xef, 0xc0 }, "vpxor" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x66, 0x2e, 0x0f, 0x1f, 0x04, 0x00 }, "66 2e nop" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x3e, 0xff, 0xe0 }, "notrack jmp *%rax" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_VENDOR, { 0x66, 0xe9 }, "data16 jmp" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_VENDOR, { 0x66, 0xeb }, "data16 short jmp" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_VENDOR, { 0x66, 0xe8 }, "data16 call" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_VENDOR, { 0x66, 0x74, 0x10 }, "data16 je" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_VENDOR, { 0x66, 0x0f, 0x84 }, "data16 je, near" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_VENDOR, { 0x66, 0xe2, 0x10 }, "data16 loop" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x66, 0x48, 0xe8 }, "data16 rex.W call" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x66, 0xff, 0xd0 }, "data16 call *%rax" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x66, 0xc3 }, "data16 ret" },
	{ UINSN_MODE_32, 0, SSOL_OK, { 0x66, 0xe9 }, "jmpw, 32-bit" },
	{ UINSN_MODE_32, 0, SSOL_OK, { 0x66, 0xe8 }, "callw, 32-bit" },
	{ UINSN_MODE_64, -EPERM, SSOL_REFUSED_ENCLAVE, { 0x0f, 0x01, 0xd7 }, "enclu" },
	{ UINSN_MODE_32, -EPERM, SSOL_REFUSED_ENCLAVE, { 0x0f, 0x01, 0xd7 }, "enclu, 32-bit" },
	{ UINSN_MODE_64, 0, SSOL_OK, { 0x0f, 0x01, 0xcf }, "encls" },
	{ UINSN_MODE_64, -EILSEQ, SSOL_OK, { 0x06 }, "no instruction" },
};

int main(void)
{
	bool covered[SSOL_NR_REFUSALS] = { [SSOL_OK] = true };
	size_t n = ARRAY_SIZE(cases);

	ktap_plan((int)n + SSOL_NR_REFUSALS);
	for (size_t i = 0; i < n; i++) {
		enum ssol_refusal why = SSOL_NR_REFUSALS;
		struct ssol_plan plan;
		int ret = ssol_plan_insn(&plan, cases[i].text, sizeof(cases[i].text),
					 cases[i].mode, &why);
		const char *words = ret ? ssol_refusal_name(why) : "not refused";

		ktap_ok(ret == cases[i].ret && why == cases[i].why, "%s: %s", cases[i].what, words);
		covered[cases[i].why] = true;
	}
	for (int why = SSOL_OK; why < SSOL_NR_REFUSALS; why++)
		ktap_ok(covered[why] && strlen(ssol_refusal_name(why)) > 10, "reason %d: %s", why,
			ssol_refusal_name(why));
	return ktap_finish();
}
