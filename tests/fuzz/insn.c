// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer target: the instruction analyzer on arbitrary bytes. The first byte of the input
 * chooses the mode and the distance of the slot, the rest is text.
 *
 * For any bytes, the decoder and Zydis must agree. The analyzer must not read outside of the text
 * (ASan finds that). Slots must not exceed their size, and every address in a slot must stand for a
 * state. Following jumps from function to function must come to an end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "agree.h"
#include "boundary.h"
#include "retaddr.h"
#include "ssol.h"
#include "ssol_emit.h"

#define HOLDS(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
		abort();						\
	}								\
} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void truncations(const u8 *text, const struct uinsn *insn)
{
	struct uinsn again;

	for (size_t len = 0; len < insn->len; len++)
		HOLDS(uinsn_decode(&again, text, len, insn->mode) == -ENODATA);
	HOLDS(!uinsn_decode(&again, text, insn->len, insn->mode));
	HOLDS(!memcmp(&again, insn, sizeof(again)));
}

static void slots(const struct ssol_plan *plan, u64 addr, u64 slot)
{
	struct ssol_state state;
	u8 buf[SSOL_SLOT_MAX];
	int n = ssol_emit(plan, addr, slot, buf);

	if (n < 0) {
		HOLDS(n == (ssol_needs_step(plan) ? -EOPNOTSUPP : -ERANGE));
		HOLDS(!ssol_unwind(plan, addr, slot, slot, &state));
	} else {
		HOLDS(n > 0 && n <= SSOL_SLOT_MAX);
		for (int i = 0; i < n; i++) {
			HOLDS(ssol_unwind(plan, addr, slot, slot + (u64)i, &state));
			/* If the instruction is not done, it begins again. */
			HOLDS(state.done || state.ip == addr);
			HOLDS(ssol_original_ip(plan, addr, slot, slot + (u64)i) == state.ip);
		}
		HOLDS(ssol_unwind(plan, addr, slot, slot, &state) && !state.sp && !state.done);
		HOLDS(!ssol_unwind(plan, addr, slot, slot + (u64)n, &state));
		HOLDS(!ssol_unwind(plan, addr, slot, slot - 1, &state));
	}
	n = ssol_emit_step(plan, addr, slot, buf);
	HOLDS(n > 0 && n <= SSOL_SLOT_MAX);
	n = ssol_scratch(plan, addr, slot);
	if (n >= 0) {
		/* The copy must differ from the instruction in the operand only. */
		struct uinsn copy;

		HOLDS(!uinsn_decode(&copy, buf, SSOL_SLOT_MAX, plan->insn.mode));
		HOLDS(copy.len == plan->insn.len && copy.class == plan->insn.class);
		HOLDS(!uinsn_has(&copy, UINSN_RIP_RELATIVE) && copy.disp == plan->insn.disp);
		HOLDS(uinsn_rm(&copy) == (unsigned int)n && uinsn_reg(&copy) != (unsigned int)n);
		HOLDS(copy.encoding < UINSN_ENC_VEX || (copy.vvvv & 7) != n);
	}
}

static void function(const u8 *text, size_t len, enum uinsn_mode mode)
{
	struct boundary_exit exits[4];
	size_t stopped = 0, begin;
	long n = boundary_exits(text, len, mode, 0x401000, exits, 4, &stopped);

	HOLDS(n <= (long)len);
	for (long i = 0; i < n && i < 4; i++) {
		HOLDS(exits[i].offset < len);
		HOLDS(boundary_check(text, len, mode, exits[i].offset, &begin) == 1);
	}
	if (len)
		HOLDS(boundary_check(text, len, mode, len - 1, &begin) != -EINVAL);
}

/**
 * struct text - a file that contains only code
 * @bytes: the code
 * @len: its length in bytes
 */
struct text {
	const u8 *bytes;
	size_t len;
};

static size_t read_text(const void *file, u64 offset, void *buf, size_t len)
{
	const struct text *text = file;

	if (offset >= text->len)
		return 0;
	if (len > text->len - offset)
		len = text->len - offset;
	memcpy(buf, text->bytes + offset, len);
	return len;
}

/* retaddr_used_in() must agree with retaddr_used(), or find a use behind a jump. */
static void return_address(const u8 *bytes, size_t len, enum uinsn_mode mode)
{
	const struct text text = { .bytes = bytes, .len = len };
	long jump;
	int used = retaddr_used(bytes, len < RETADDR_WINDOW ? len : RETADDR_WINDOW, mode, &jump);
	int used_in = retaddr_used_in(&text, read_text, 0, mode);

	HOLDS(used == 0 || used == 1);
	HOLDS(!used || !jump);
	HOLDS(used_in == used || (used_in == 1 && jump));
	/* The offset of a function may lie at the end of the file, or far behind it. */
	HOLDS(!retaddr_used_in(&text, read_text, len, mode));
	HOLDS(!retaddr_used_in(&text, read_text, ~0ULL - len, mode));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u64 distances[] = { 0x10000, 0x7fff0000, 0x80000000, 0x123456789000 };
	enum uinsn_mode mode = size && (data[0] & 1) ? UINSN_MODE_64 : UINSN_MODE_32;
	u64 addr = 0x7f1234567890, slot;
	enum agree_excuse excuse;
	struct ssol_plan plan;
	struct uinsn insn;
	char why[200];
	u8 *text;
	int ret;

	if (!size)
		return 0;
	if (mode == UINSN_MODE_32)
		addr = 0xf1234567;
	slot = addr + (data[0] & 2 ? 1 : -1) * distances[data[0] >> 2 & 3];
	if (mode == UINSN_MODE_32)
		slot = (u32)slot;
	size--;
	/* Copy the text to a block of its own, so that ASan notices a read beyond its end. */
	text = malloc(size ? size : 1);
	memcpy(text, data + 1, size);

	if (!agree(text, size, mode, &insn, &ret, &excuse, why, sizeof(why))) {
		agree_reproducer(text, size, mode, why + 100, 100);
		fprintf(stderr, "%.100s\n%s\n", why, why + 100);
		abort();
	}
	if (!ret) {
		truncations(text, &insn);
		ret = ssol_plan_insn(&plan, text, size, mode, NULL);
		HOLDS(!ret || ret == -EPERM);
		if (!ret)
			slots(&plan, addr, slot);
	}
	function(text, size, mode);
	return_address(text, size, mode);
	free(text);
	return 0;
}
