// SPDX-License-Identifier: GPL-2.0
/*
 * bench_decode FILE...: measure how long our decoder takes for all code of the files, and how long
 * Zydis takes in its minimal mode for the same bytes. Rounds alternate, and the best one counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <Zydis/Zydis.h>

#include "decode.h"
#include "../host/insn/sections.h"

#define ROUNDS 7

struct code {
	u8 *text;
	size_t size;
	enum uinsn_mode mode;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static unsigned long decode_ours(const struct code *code)
{
	unsigned long insns = 0;
	size_t at = 0;

	while (at < code->size) {
		struct uinsn insn;

		if (uinsn_decode(&insn, code->text + at, code->size - at, code->mode)) {
			at++;
			continue;
		}
		insns++;
		at += insn.len;
	}
	return insns;
}

static unsigned long decode_zydis(const struct code *code)
{
	unsigned long insns = 0;
	ZydisDecoder decoder;
	size_t at = 0;

	if (code->mode == UINSN_MODE_64)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	else
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
				 ZYDIS_STACK_WIDTH_32);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	while (at < code->size) {
		ZydisDecodedInstruction insn;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code->text + at,
								code->size - at, &insn))) {
			at++;
			continue;
		}
		insns++;
		at += insn.length;
	}
	return insns;
}

/* Append the code of a section to the code of the file, most of which is .text. */
static void collect(const struct code_section *section, void *data)
{
	struct code *code = data;

	code->text = realloc(code->text, code->size + section->size);
	if (!code->text)
		abort();
	memcpy(code->text + code->size, section->text, section->size);
	code->size += section->size;
	code->mode = section->mode;
}

int main(int argc, char **argv)
{
	double total[2] = { 0 };
	int done = 0;

	for (int i = 1; i < argc; i++) {
		unsigned long insns[2] = { 0 };
		double best[2] = { 1e9, 1e9 };
		struct code code = { 0 };

		if (visit_code_sections(argv[i], collect, &code) < 1) {
			fprintf(stderr, "%s: no x86 object file\n", argv[i]);
			continue;
		}
		for (int round = 0; round < ROUNDS; round++) {
			double t[3];

			t[0] = now();
			insns[0] = decode_ours(&code);
			t[1] = now();
			insns[1] = decode_zydis(&code);
			t[2] = now();
			for (int k = 0; k < 2; k++)
				if (t[k + 1] - t[k] < best[k])
					best[k] = t[k + 1] - t[k];
		}
		printf("%s: %lu instructions, %.1f MB\n", argv[i], insns[0],
		       (double)code.size / 1e6);
		printf("  uprobes %6.2f ns each, %6.1f MB/s\n", best[0] / (double)insns[0] * 1e9,
		       (double)code.size / best[0] / 1e6);
		printf("  zydis   %6.2f ns each, %6.1f MB/s (%lu instructions)\n",
		       best[1] / (double)insns[1] * 1e9, (double)code.size / best[1] / 1e6,
		       insns[1]);
		total[0] += best[0];
		total[1] += best[1];
		free(code.text);
		done++;
	}
	if (!done)
		return 1;
	printf("decode: %.2f times as fast as Zydis's minimal mode\n", total[1] / total[0]);
	return 0;
}
