// SPDX-License-Identifier: GPL-2.0
/* insn_show 32|64 BYTE...: print how the analyzer and Zydis decode these bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "agree.h"
#include "ssol.h"
#include "ssol_emit.h"

int main(int argc, char **argv)
{
	u8 text[64], slot[SSOL_SLOT_MAX];
	char why[200] = "";
	enum agree_excuse excuse;
	enum ssol_refusal refusal;
	struct ssol_plan plan;
	struct uinsn insn;
	size_t len = 0;
	int mode, ret, n;

	if (argc < 3) {
		fprintf(stderr, "usage: insn_show 32|64 BYTE...\n");
		return 2;
	}
	mode = atoi(argv[1]) == 64 ? UINSN_MODE_64 : UINSN_MODE_32;
	for (int i = 2; i < argc && len < sizeof(text); i++)
		text[len++] = (u8)strtoul(argv[i], NULL, 16);

	if (!agree(text, len, mode, &insn, &ret, &excuse, why, sizeof(why)))
		printf("the reference disagrees: %s\n", why);
	else if (excuse)
		printf("the reference is excused: %s\n", agree_excuse_name(excuse));
	if (ret) {
		printf("%s\n", strerror(-ret));
		return 1;
	}
	printf("len %u class %s encoding %u map %u opcode %02x at %u ",
	       insn.len, uinsn_class_name(insn.class), insn.encoding, insn.map, insn.opcode,
	       insn.opcode_at);
	printf("flags %#x rex %x pp %u vl %u prefixes %#x\n", insn.flags, insn.rex, insn.pp,
	       insn.vl, insn.prefixes);
	printf("modrm %02x at %u sib %02x disp %d (%u at %u) imm %u at %u rel %d\n",
	       insn.modrm, insn.modrm_at, insn.sib, insn.disp, insn.disp_size, insn.disp_at,
	       insn.imm_size, insn.imm_at, insn.rel);
	ret = ssol_plan_insn(&plan, text, len, mode, &refusal);
	if (ret) {
		printf("refused: %s\n", ssol_refusal_name(refusal));
		return 1;
	}
	n = ssol_emit(&plan, 0x401000, 0x10000, slot);
	printf("%s, slot for 401000 at 10000:", ssol_kind_name(plan.kind));
	for (int i = 0; i < n; i++)
		printf(" %02x", slot[i]);
	putchar('\n');
	return 0;
}
