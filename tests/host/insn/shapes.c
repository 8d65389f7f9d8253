// SPDX-License-Identifier: GPL-2.0
/*
 * Every opcode of every map with every ModRM byte, under sets of prefixes and
 * in both modes, compared with Zydis; and every SIB byte under every ModRM that
 * has one. Enumerates the encodings, not the table.
 */
#include <stdio.h>

#include "agree.h"
#include "ktap.h"

static unsigned long compared, valid, excused[AGREE_NR];
static int reported;

static void compare(const u8 *text, size_t len, enum uinsn_mode mode)
{
	enum agree_excuse excuse;
	struct uinsn insn;
	char why[200], line[200];
	int ret;

	compared++;
	if (!agree(text, len, mode, &insn, &ret, &excuse, why, sizeof(why))) {
		if (++reported <= 20) {
			agree_reproducer(text, len, mode, line, sizeof(line));
			ktap_note("%s: %s", line, why);
		}
		return;
	}
	excused[excuse]++;
	valid += !ret;
}

/* The bytes behind the opcode: ModRM, then what displacements and immediates may take. */
static void all_modrm(const u8 *head, size_t n, enum uinsn_mode mode)
{
	u8 text[UINSN_MAX_LEN];

	memset(text, 0x85, sizeof(text));
	memcpy(text, head, n);
	for (int modrm = 0; modrm < 256; modrm++) {
		text[n] = (u8)modrm;
		compare(text, sizeof(text), mode);
	}
}

/*
 * Opcodes whose operands can be judged by a few SIB bytes; the SIB byte says
 * nothing about the opcode, so that all of them are tried with one opcode per
 * map and size of immediate.
 */
static void all_sib(const u8 *head, size_t n, enum uinsn_mode mode)
{
	u8 text[UINSN_MAX_LEN];

	memset(text, 0x85, sizeof(text));
	memcpy(text, head, n);
	for (int modrm = 4; modrm < 0xc0; modrm += 8)
		for (int sib = 0; sib < 256; sib++) {
			text[n] = (u8)modrm;
			text[n + 1] = (u8)sib;
			compare(text, sizeof(text), mode);
		}
}

static const struct {
	u8 byte[4];
	u8 n;
} prefixes[] = {
	{ { 0 }, 0 }, { { 0x66 }, 1 }, { { 0xf2 }, 1 }, { { 0xf3 }, 1 },
	{ { 0x67 }, 1 }, { { 0xf0 }, 1 }, { { 0x2e }, 1 }, { { 0x65 }, 1 },
	{ { 0x66, 0xf2 }, 2 }, { { 0xf3, 0x66 }, 2 }, { { 0xf2, 0xf3 }, 2 },
	{ { 0xf3, 0xf2 }, 2 }, { { 0x67, 0x66 }, 2 }, { { 0x66, 0x66, 0x67 }, 3 },
	{ { 0x48 }, 1 }, { { 0x41 }, 1 }, { { 0x66, 0x48 }, 2 }, { { 0xf3, 0x4f }, 2 },
	{ { 0xf2, 0x42 }, 2 }, { { 0x67, 0x49 }, 2 }, { { 0x48, 0x66 }, 2 },
	{ { 0x48, 0xf3 }, 2 }, { { 0x40, 0x4c }, 2 }, { { 0x66, 0x4c, 0x2e }, 3 },
};

static const struct {
	u8 byte[2];
	u8 n;
} escapes[] = {
	{ { 0 }, 0 }, { { 0x0f }, 1 }, { { 0x0f, 0x38 }, 2 }, { { 0x0f, 0x3a }, 2 },
};

static void legacy(enum uinsn_mode mode)
{
	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++)
		for (size_t e = 0; e < ARRAY_SIZE(escapes); e++)
			for (int op = 0; op < 256; op++) {
				u8 head[8];
				size_t n = prefixes[p].n;

				memcpy(head, prefixes[p].byte, n);
				memcpy(head + n, escapes[e].byte, escapes[e].n);
				n += escapes[e].n;
				head[n++] = (u8)op;
				all_modrm(head, n, mode);
			}
}

static void sib(enum uinsn_mode mode)
{
	static const u8 head[][4] = {
		{ 0x8b }, { 0x81 }, { 0x80 }, { 0x0f, 0xaf }, { 0x0f, 0x38, 0xf0 },
		{ 0x0f, 0x3a, 0x0f }, { 0x67, 0x8b }, { 0xff },
	};
	static const u8 len[] = { 1, 1, 1, 2, 3, 3, 2, 1 };

	for (size_t i = 0; i < sizeof(len); i++) {
		all_sib(head[i], len[i], mode);
		for (u8 rex = 0x40; rex < 0x50; rex++) {
			u8 with[5] = { rex };

			if (mode == UINSN_MODE_32 || head[i][0] == 0x67)
				break;
			memcpy(with + 1, head[i], 4);
			all_sib(with, len[i] + 1u, mode);
		}
	}
}

static void three_d_now(enum uinsn_mode mode)
{
	u8 text[UINSN_MAX_LEN] = { 0x0f, 0x0f };

	for (int suffix = 0; suffix < 256; suffix++) {
		text[2] = 0xc1;
		text[3] = (u8)suffix;
		compare(text, sizeof(text), mode);
		text[2] = 0x44;
		text[3] = 0x91;
		text[4] = 0x10;
		text[5] = (u8)suffix;
		compare(text, sizeof(text), mode);
	}
}

static void vex2(enum uinsn_mode mode)
{
	for (int payload = 0; payload < 256; payload++)
		for (int op = 0; op < 256; op++) {
			u8 head[] = { 0xc5, (u8)payload, (u8)op };

			/* vvvv: none, and the register that none can be mistaken for */
			if ((payload & 0x78) == 0x78 || (payload & 0x78) == 0x10)
				all_modrm(head, sizeof(head), mode);
		}
}

/* C4 and 8F: map, W, vvvv, L and pp; inverted R, X, B in two settings. */
static void vex3(enum uinsn_mode mode, u8 first)
{
	static const u8 rxb[] = { 0xe0, 0xc0 };

	for (int i = 0; i < 2; i++)
		for (int map = 0; map < 32; map++)
			for (int payload = 0; payload < 256; payload++) {
				if ((payload & 0x78) != 0x78 && (payload & 0x78) != 0x10)
					continue;
				/* Undefined maps need no more than a few opcodes. */
				for (int op = 0; op < 256; op += map > 10 ? 37 : 1) {
					u8 head[] = {
						first, rxb[i] | (u8)map, (u8)payload, (u8)op,
					};

					all_modrm(head, sizeof(head), mode);
				}
			}
}

/* 62: map, W and pp; the length and rounding bits, mask zero and one. */
static void evex(enum uinsn_mode mode)
{
	static const u8 third[] = { 0x08, 0x09, 0x28, 0x49, 0x69, 0x18, 0x19, 0x38, 0x78, 0x00 };

	for (int map = 0; map < 8; map++)
		for (int second = 0; second < 8; second++)
			for (size_t i = 0; i < sizeof(third); i++)
				for (int op = 0; op < 256; op++) {
					u8 head[] = {
						0x62, 0xf0 | (u8)map,
						(u8)(0x7c | (second & 4) << 5 | (second & 3)),
						third[i], (u8)op,
					};

					if (map == 4)
						continue;
					all_modrm(head, sizeof(head), mode);
					/* A used vvvv is a rule of operands, not of opcodes. */
					head[2] &= 0x8f;
					if (i < 2)
						all_modrm(head, sizeof(head), mode);
				}
}

static void result(const char *what)
{
	ktap_ok(!reported, "%s: %lu encodings, %lu of them instructions", what, compared, valid);
	for (int i = 1; i < AGREE_NR; i++)
		if (excused[i])
			ktap_note("%lu excused: %s", excused[i], agree_excuse_name(i));
	compared = valid = 0;
	reported = 0;
	memset(excused, 0, sizeof(excused));
}

int main(void)
{
	static const char * const names[] = { "32-bit", "64-bit" };

	ktap_plan(12);
	for (int mode = UINSN_MODE_32; mode <= UINSN_MODE_64; mode++) {
		char what[80];
#define RESULT(name) (snprintf(what, sizeof(what), "%s %s", names[mode], name), result(what))

		legacy(mode);
		three_d_now(mode);
		RESULT("legacy opcodes, prefix sets, ModRM");
		sib(mode);
		RESULT("SIB under ModRM");
		vex2(mode);
		RESULT("two-byte VEX");
		vex3(mode, 0xc4);
		RESULT("three-byte VEX");
		vex3(mode, 0x8f);
		RESULT("XOP");
		evex(mode);
		RESULT("EVEX");
	}
	return ktap_finish();
}
