// SPDX-License-Identifier: GPL-2.0
/*
 * insn_shapes [START]
 *
 * Compare with Zydis every opcode of every map with every ModRM byte, with sets of prefixes, in
 * both modes; and every SIB byte with every ModRM byte that has one. This enumerates the
 * encodings, not the opcode table.
 *
 * These are 300 million. Without FULL, it tries one of SAMPLE opcodes with each set of prefixes,
 * beginning with START. The default of START changes with the time.
 */
#include <stdio.h>
#include <time.h>

#include "agree.h"
#include "ktap.h"

static unsigned long compared, valid, excused[AGREE_NR];
static int reported;

/*
 * Each set of prefixes has 256 opcodes, which is no multiple of SAMPLE: each opcode is tried with
 * some set.
 */
#define SAMPLE	7
static unsigned long heads, one_in = 1;

static bool in_sample(void)
{
	return heads++ % one_in == 0;
}

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

/*
 * Try the bytes behind the opcode: all ModRM bytes, SIB with and without a base register, then
 * bytes for displacements and immediates.
 */
static void all_modrm(const u8 *head, size_t n, enum uinsn_mode mode)
{
	u8 text[UINSN_MAX_LEN];

	if (!in_sample())
		return;
	memset(text, 0x85, sizeof(text));
	memcpy(text, head, n);
	for (int modrm = 0; modrm < 256; modrm++) {
		text[n] = (u8)modrm;
		text[n + 1] = 0x85;
		compare(text, sizeof(text), mode);
		if (modrm >= 0xc0 || (modrm & 7) != 4)
			continue;
		text[n + 1] = 0x24;
		compare(text, sizeof(text), mode);
	}
}

/*
 * Try all SIB bytes. They do not depend on the opcode, so one opcode for each map and size of
 * immediate is enough.
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

			/* vvvv: no register, and one that cannot be mistaken for none */
			if ((payload & 0x78) == 0x78 || (payload & 0x78) == 0x10)
				all_modrm(head, sizeof(head), mode);
		}
}

/* C4 and 8F: map, W, vvvv, L and pp; two values of the inverted R, X, B. */
static void vex3(enum uinsn_mode mode, u8 first)
{
	static const u8 rxb[] = { 0xe0, 0xc0 };

	for (int i = 0; i < 2; i++)
		for (int map = 0; map < 32; map++)
			for (int payload = 0; payload < 256; payload++) {
				if ((payload & 0x78) != 0x78 && (payload & 0x78) != 0x10)
					continue;
				/* A few opcodes are enough for undefined maps. */
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
					/*
					 * Whether vvvv may be used is a rule about operands, not
					 * about opcodes.
					 */
					head[2] &= 0x8f;
					if (i < 2)
						all_modrm(head, sizeof(head), mode);
				}
}

/* Check that an opcode has the same meaning with REX2 as with REX and its map. */
static bool same_as_rex(const u8 *rex2, const u8 *rex, int map)
{
	u8 op = rex2[2], row = op >> 4;
	struct uinsn a, b;
	int ret_a = uinsn_decode(&a, rex2, UINSN_MAX_LEN, UINSN_MODE_64);
	int ret_b = uinsn_decode(&b, rex, UINSN_MAX_LEN, UINSN_MODE_64);

	/* Rows that APX leaves undefined, and escapes (APX specification, 3.1.2.1). */
	if (!map && op == 0xa1)
		return rex2[1] ? ret_a == -EILSEQ : !ret_a && a.len == 11;
	if (map ? row == 3 || row == 8 : row == 4 || row == 7 || row == 0xa || row == 0xe)
		return ret_a == -EILSEQ;
	if (!map && memchr("\x0f\x26\x2e\x36\x3e\x62\x64\x65\x66\x67\xc4\xc5\xd5\xf0\xf2\xf3",
			   op, 16))
		return ret_a == -EILSEQ;
	if (ret_a || ret_b)
		return ret_a == ret_b;
	valid++;
	return uinsn_has(&a, UINSN_APX) && a.encoding == UINSN_ENC_REX2 &&
	       a.len == b.len + !map && a.class == b.class && a.map == b.map &&
	       a.rex == b.rex && a.modrm == b.modrm && a.sib == b.sib &&
	       a.disp_size == b.disp_size && a.imm_size == b.imm_size &&
	       (a.flags & ~UINSN_APX) == b.flags && a.operand_size == b.operand_size;
}

/* The reference does not know REX2. REX2 means the same as REX, and contains the map. */
static void rex2(void)
{
	for (int map = 0; map < 2; map++)
		for (int low = 0; low < 16; low++)
			for (int op = 0; op < 256; op++) {
				if (!in_sample())
					continue;
				for (int modrm = 0; modrm < 256; modrm++) {
					u8 a[16] = { 0xd5, (u8)(map << 7 | low), (u8)op };
					u8 b[16] = { (u8)(0x40 | low), 0x0f, (u8)op };
					char line[200];

					b[1 + map] = (u8)op;
					memset(a + 3, 0x85, sizeof(a) - 3);
					memset(b + 2 + map, 0x85, sizeof(b) - 2 - (size_t)map);
					a[3] = (u8)modrm;
					b[2 + map] = (u8)modrm;
					compared++;
					if (same_as_rex(a, b, map) || ++reported > 20)
						continue;
					agree_reproducer(a, 15, UINSN_MODE_64, line, sizeof(line));
					ktap_note("%s: not what it is with REX", line);
				}
			}
}

static void result(const char *what)
{
	ktap_ok(!reported, "%s: %lu encodings agree, %lu of them instructions", what, compared,
		valid);
	for (int i = 1; i < AGREE_NR; i++)
		if (excused[i])
			ktap_note("%lu excused: %s", excused[i], agree_excuse_name(i));
	compared = 0;
	valid = 0;
	reported = 0;
	memset(excused, 0, sizeof(excused));
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "32-bit", "64-bit" };

	ktap_plan(13);
	if (!ktap_full()) {
		one_in = SAMPLE;
		heads = argc > 1 ? strtoul(argv[1], NULL, 0) : (unsigned long)time(NULL) % SAMPLE;
		ktap_note("insn_shapes %lu", heads);
	}
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
	rex2();
	result("64-bit REX2, as with REX");
	return ktap_finish();
}
