// SPDX-License-Identifier: GPL-2.0
/*
 * insn_flags FILE...
 *
 * Compare with Zydis what the instructions of object files do with the status flags. The analyzer
 * may say that it does not know, or that more flags are read or fewer written.
 */
#include <stdio.h>
#include <Zydis/Zydis.h>

#include "ktap.h"
#include "sections.h"
#include "status.h"

struct sweep {
	const char *path;
	unsigned long insns, known, wrong;
};

static ZydisDecoder decoder;

static bool is_repeated(const ZydisDecodedInstruction *insn)
{
	return insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
				   ZYDIS_ATTRIB_HAS_REPNE);
}

/* Flags that Zydis calls written depend on what they were before if a count is 0. */
static bool may_write_nothing(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops)
{
	const ZydisDecodedOperand *count = &ops[insn->operand_count_visible - 1];

	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
		return insn->operand_count_visible > 1 &&
		       count->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       count->reg.value == ZYDIS_REGISTER_CL;
	default:
		return is_repeated(insn);
	}
}

/* Return: true for a shift by an immediate that changes no flag, whatever the reference says. */
static bool counts_to_zero(const struct uinsn *insn, const u8 *text)
{
	u8 mask = insn->operand_size == 8 && (insn->opcode & 1 || insn->map) ? 63 : 31;
	bool shifts = insn->map == UINSN_MAP_1 ? (insn->opcode & 0xfe) == 0xc0 :
		      insn->map == UINSN_MAP_0F && (insn->opcode == 0xa4 || insn->opcode == 0xac);

	return insn->encoding == UINSN_LEGACY && shifts && !(text[insn->imm_at] & mask);
}

static bool same(const u8 *text, size_t len, bool *known)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction reference;
	const ZydisAccessedFlags *flags;
	u32 reads = 0, writes = 0;
	struct status status;
	struct uinsn insn;

	if (uinsn_decode(&insn, text, len, UINSN_MODE_64) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, text, len, &reference, ops)))
		return true;
	*known = status_of(&insn, text, &status);
	if (!*known)
		return true;
	flags = reference.cpu_flags;
	if (flags) {
		reads = flags->tested & STATUS_ALL;
		writes = (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
			 STATUS_ALL;
	}
	switch (reference.mnemonic) {
	case ZYDIS_MNEMONIC_VPTEST:
	case ZYDIS_MNEMONIC_VTESTPS:
	case ZYDIS_MNEMONIC_VTESTPD:
		/* The reference knows no flags of these (SDM vol. 2, PTEST and VTESTPD). */
		writes = STATUS_ALL;
		break;
	default:
		break;
	}
	if (may_write_nothing(&reference, ops) || counts_to_zero(&insn, text))
		writes = 0;
	/* A repetition tests the flag that it has set itself. */
	if (is_repeated(&reference))
		reads = 0;
	return !(reads & ~status.reads) && !(status.writes & ~writes);
}

static void sweep_section(const struct code_section *section, void *data)
{
	struct sweep *sweep = data;
	size_t at = 0;

	while (at < section->size) {
		const u8 *text = section->text + at;
		bool known = false;
		struct uinsn insn;

		if (uinsn_decode(&insn, text, section->size - at, UINSN_MODE_64)) {
			at++;
			continue;
		}
		sweep->insns += insn.class == UINSN_COPY || insn.class == UINSN_NOP;
		if (!same(text, section->size - at, &known) && ++sweep->wrong <= 5) {
			printf("# %s+%#zx:", section->name, at);
			for (int i = 0; i < insn.len; i++)
				printf(" %02x", text[i]);
			putchar('\n');
		}
		sweep->known += known && (insn.class == UINSN_COPY || insn.class == UINSN_NOP);
		at += insn.len;
	}
}

/* Change opcode, ModRM and immediate of what compilers emit little of. */
static void every_opcode(void)
{
	static const u8 escapes[][3] = {
		{ 0 }, { 0x0f }, { 0x0f, 0x38 }, { 0x0f, 0x3a },
		{ 0xc5, 0xf8 }, { 0xc5, 0xf9 }, { 0xc4, 0xe2, 0x78 }, { 0xc4, 0xe2, 0x79 },
		{ 0xc4, 0xe2, 0xfb }, { 0xc4, 0xe3, 0x79 },
		{ 0x62, 0xf1, 0x7c }, { 0x62, 0xf2, 0x7d }, { 0x62, 0xf3, 0x7d },
	};
	static const u8 prefixes[] = { 0, 0x66, 0xf2, 0xf3, 0x48, 0xf0 };
	/* As counts of shifts, all but one change nothing in operands of some size. */
	static const u8 immediates[] = { 0x25, 0x00, 0x20, 0x40 };
	unsigned long wrong = 0, tried = 0;

	for (size_t e = 0; e < ARRAY_SIZE(escapes); e++) {
		for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++) {
			for (unsigned int i = 0; i < 0x10000; i++) {
				u8 text[24] = { 0 };
				size_t len = 0;
				bool known;

				if (prefixes[p] && escapes[e][0] > 0x0f)
					continue;
				if (prefixes[p])
					text[len++] = prefixes[p];
				for (int k = 0; k < 3 && escapes[e][k]; k++)
					text[len++] = escapes[e][k];
				if (escapes[e][0] == 0x62)
					text[len++] = 0x48;
				text[len++] = (u8)(i >> 8);
				text[len++] = (u8)i;
				memset(text + len, immediates[i % 4], 8);
				tried++;
				if (!same(text, sizeof(text), &known) && ++wrong <= 20) {
					printf("#");
					for (size_t k = 0; k < len + 2; k++)
						printf(" %02x", text[k]);
					putchar('\n');
				}
			}
		}
	}
	ktap_ok(!wrong, "%lu encodings read and write the flags that Zydis says", tried);
}

int main(int argc, char **argv)
{
	ktap_plan(argc);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	every_opcode();
	for (int i = 1; i < argc; i++) {
		struct sweep sweep = { .path = argv[i] };

		if (visit_code_sections(argv[i], sweep_section, &sweep) < 0) {
			ktap_skip("%s: it is no x86 object file", argv[i]);
			continue;
		}
		ktap_ok(!sweep.wrong && sweep.known > sweep.insns / 100 * 99,
			"%s: %lu instructions, the flags of %lu are known", argv[i], sweep.insns,
			sweep.known);
	}
	return ktap_finish();
}
