// SPDX-License-Identifier: GPL-2.0
/* Enumerate all instruction encodings, apart from operands. */
#include "encodings.h"

struct walk {
	enum uinsn_mode mode;
	u32 (*pick)(void);
	visit_encoding visit;
	void *data;
};

static void visit_form(const struct walk *walk, u8 *text, size_t n, unsigned int reg,
		       bool memory)
{
	u32 r = walk->pick();
	unsigned int mod = memory ? (r >> 8) % 3 : 3, rm = (r >> 16) & 7;
	struct uinsn insn;

	if (memory && (r >> 20) % 4 == 0)
		rm = 4;
	if (memory && (r >> 20) % 4 == 1) {
		mod = 0;
		rm = 5;
	}
	for (size_t i = n; i < UINSN_MAX_LEN; i++)
		text[i] = (u8)(walk->pick() >> 8);
	text[n] = (u8)(mod << 6 | reg << 3 | rm);
	if (uinsn_decode(&insn, text, UINSN_MAX_LEN, walk->mode))
		return;
	/* Without ModRM, there is only one form. */
	if (!uinsn_has(&insn, UINSN_HAS_MODRM) && (reg || memory))
		return;
	walk->visit(&insn, text, walk->data);
}

static void all_forms(const struct walk *walk, const u8 *head, size_t n)
{
	u8 text[UINSN_MAX_LEN];

	memcpy(text, head, n);
	for (unsigned int reg = 0; reg < 8; reg++) {
		visit_form(walk, text, n, reg, false);
		visit_form(walk, text, n, reg, true);
	}
}

static void legacy(const struct walk *walk)
{
	static const struct {
		u8 n, byte[3];
		bool rex;
	} prefixes[] = {
		{ 0 }, { 1, { 0x66 } }, { 1, { 0xf2 } }, { 1, { 0xf3 } }, { 1, { 0x67 } },
		{ 1, { 0xf0 } }, { 1, { 0x65 } }, { 2, { 0x66, 0xf2 } }, { 2, { 0x2e, 0x66 } },
		{ 1, { 0x48 }, true }, { 1, { 0x4d }, true }, { 1, { 0x43 }, true },
		{ 2, { 0x66, 0x48 }, true }, { 2, { 0xf2, 0x4c }, true },
		{ 2, { 0xf3, 0x49 }, true }, { 2, { 0x67, 0x4a }, true },
	};
	static const struct {
		u8 n, byte[2];
	} escapes[] = { { 0 }, { 1, { 0x0f } }, { 2, { 0x0f, 0x38 } }, { 2, { 0x0f, 0x3a } } };

	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++) {
		if (prefixes[p].rex && walk->mode == UINSN_MODE_32)
			continue;
		for (size_t e = 0; e < ARRAY_SIZE(escapes); e++)
			for (int op = 0; op < 256; op++) {
				u8 head[8];
				size_t n = prefixes[p].n;

				/*
				 * Skip the opcodes that are prefixes or escapes: they are
				 * enumerated as such.
				 */
				if (e == 0 && (op == 0xc4 || op == 0xc5 || op == 0x62 ||
					       op == 0x0f || op == 0x26 || op == 0x2e ||
					       op == 0x36 || op == 0x3e ||
					       (op >= 0x64 && op <= 0x67) || op == 0xf0 ||
					       op == 0xf2 || op == 0xf3 || op == 0xd5))
					continue;
				if (e == 0 && walk->mode == UINSN_MODE_64 && (op & 0xf0) == 0x40)
					continue;
				if (e == 1 && (op == 0x38 || op == 0x3a))
					continue;
				memcpy(head, prefixes[p].byte, n);
				memcpy(head + n, escapes[e].byte, escapes[e].n);
				n += escapes[e].n;
				head[n++] = (u8)op;
				all_forms(walk, head, n);
			}
	}
}

/* Enumerate VEX and XOP encodings. In 64-bit mode, R, X and B are random. */
static void vex(const struct walk *walk, u8 first, u8 map_first, u8 map_last)
{
	for (int map = map_first; map <= map_last; map++)
		for (int payload = 0; payload < 16; payload++)
			for (int op = 0; op < 256; op++) {
				u8 wlpp = (u8)((payload & 8) << 4 | 0x78 | (payload & 7));
				u8 rxb = 0xe0;

				if (walk->mode == UINSN_MODE_64)
					rxb = (u8)(walk->pick() & 0xe0);
				if (walk->pick() & 1)
					wlpp = (u8)((wlpp & 0x87) | (walk->pick() & 0x78));
				all_forms(walk, (u8[]){ first, rxb | (u8)map, wlpp, (u8)op }, 4);
			}
}

static void evex(const struct walk *walk)
{
	static const u8 lengths[] = { 0x00, 0x20, 0x40 };

	for (int map = 1; map <= 6; map++) {
		if (map == 4)
			continue;
		for (int second = 0; second < 8; second++)
			for (int length = 0; length < 3; length++)
				for (int op = 0; op < 256; op++) {
					u32 r = walk->pick();
					u8 rxb = 0xf0, mask = r & 0x100 ? 0 : 1 + (r >> 9) % 7;
					u8 broadcast = (r >> 16) % 8 ? 0 : 0x10;
					u8 vvvv = r & 0x1000000 ? 0x78 : 0x48;

					if (walk->mode == UINSN_MODE_64)
						rxb = (u8)(r & 0xf0);
					all_forms(walk, (u8[]){
						0x62, rxb | (u8)map,
						(u8)((second & 4) << 5 | vvvv | 4 | (second & 3)),
						lengths[length] | broadcast | 0x08 | mask, (u8)op,
					}, 5);
				}
	}
}

/*
 * Encodings that random operands would rarely give: operands at and around the stack pointer,
 * which a call changes, and registers with a similar encoding.
 */
void visit_special_encodings(enum uinsn_mode mode, visit_encoding visit, void *data)
{
	static const struct {
		u8 n, byte[8];
		bool rex;
	} texts[] = {
		{ 2, { 0xff, 0xd4 } }, { 2, { 0xff, 0xe4 } },
		{ 3, { 0xff, 0x14, 0x24 } }, { 3, { 0xff, 0x24, 0x24 } },
		{ 4, { 0xff, 0x54, 0x24, 0xf8 } }, { 4, { 0xff, 0x54, 0x24, 0xfc } },
		{ 4, { 0xff, 0x54, 0x24, 0xf4 } }, { 4, { 0xff, 0x54, 0x24, 0xf0 } },
		{ 4, { 0xff, 0x54, 0x24, 0x08 } }, { 4, { 0xff, 0x54, 0x24, 0x7f } },
		{ 4, { 0xff, 0x64, 0x24, 0xf8 } }, { 4, { 0xff, 0x54, 0xc4, 0x10 } },
		{ 7, { 0xff, 0x94, 0x24, 0x00, 0x01, 0x00, 0x00 } },
		{ 7, { 0xff, 0x94, 0x24, 0xf8, 0xff, 0xff, 0xff } },
		{ 4, { 0x66, 0xff, 0x14, 0x24 } }, { 3, { 0x66, 0xff, 0xd0 } },
		{ 5, { 0x66, 0xff, 0x54, 0x24, 0xfe } },
		{ 3, { 0xff, 0x1c, 0x24 } }, { 2, { 0x8f, 0x04 } }, { 3, { 0x8f, 0x04, 0x24 } },
		{ 3, { 0xff, 0x34, 0x24 } }, { 1, { 0x54 } }, { 1, { 0x5c } },
		{ 3, { 0x41, 0xff, 0xd4 }, true }, { 4, { 0x41, 0xff, 0x14, 0x24 }, true },
		{ 5, { 0x41, 0xff, 0x54, 0x24, 0xf8 }, true },
		{ 2, { 0x41, 0x90 }, true }, { 2, { 0x49, 0x90 }, true },
		{ 3, { 0xf3, 0x41, 0x90 }, true }, { 5, { 0x67, 0xff, 0x54, 0x24, 0x10 } },
		/* rip-relative, with the registers that a step would borrow */
		{ 5, { 0xc4, 0xe2, 0x48, 0xf2, 0x05 } }, { 5, { 0xc4, 0xe2, 0x48, 0xf2, 0x3d } },
		{ 5, { 0xc4, 0xe2, 0x40, 0xf2, 0x35 } }, { 2, { 0x8b, 0x35 } },
		{ 2, { 0x8b, 0x3d } }, { 2, { 0x8b, 0x2d } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		u8 text[UINSN_MAX_LEN] = { 0 };
		struct uinsn insn;

		if (texts[i].rex && mode == UINSN_MODE_32)
			continue;
		memcpy(text, texts[i].byte, texts[i].n);
		if (!uinsn_decode(&insn, text, UINSN_MAX_LEN, mode))
			visit(&insn, text, data);
	}
}

void visit_encodings(enum uinsn_mode mode, u32 (*pick)(void), visit_encoding visit,
		     void *data)
{
	const struct walk walk = { .mode = mode, .pick = pick, .visit = visit, .data = data };

	legacy(&walk);
	vex(&walk, 0xc4, 1, 3);
	vex(&walk, 0x8f, 8, 10);
	evex(&walk);
}
