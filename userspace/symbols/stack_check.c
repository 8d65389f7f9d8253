// SPDX-License-Identifier: GPL-2.0
/*
 * A Go function first checks whether there is room on the stack.  If not, the function
 * calls the runtime, which moves the stack to a larger area, and then starts again:
 *
 *	f:	cmp 0x10(%r14), %rsp
 *		jbe 2f
 *	1:	...
 *	2:	call runtime.morestack_noctxt
 *		jmp f
 *
 * A probe on f is then hit twice in one call.  A probe on 1 is hit once for each call.
 */
#include "stack_check.h"

#include "util/error.h"
#include "elf/eh_frame.h"
#include "elf/text.h"

/* The check is among this many first instructions. */
#define CHECK_MAX 12

/* Maximum number of instructions from label 2 on; they also save and restore parameters. */
#define DETOUR_MAX 128

static bool decode(const struct elf_image *img, u64 addr,
		   struct instruction *insn)
{
	struct error *err = text_instruction(img, addr, insn);

	error_free(err);
	return !err;
}

/*
 * Check whether an address is in the function at @start, or nobody knows where that ends, as in Go.
 * In C, a call that does not return can be the end of a function, and the next one can jump to it.
 */
static bool is_inside(const struct elf_image *img, u64 addr, u64 start)
{
	u64 first, end;

	return !eh_frame_function_at(img, start, &first, &end) || (addr >= first && addr < end);
}

/*
 * Check whether the code at @addr calls a function and then jumps to @start.  Code with more calls
 * comes to the detour only because a compiler has put it before that.
 */
static bool starts_anew(const struct elf_image *img, u64 addr, u64 start)
{
	struct instruction insn;
	bool calls = false;

	for (unsigned int i = 0; i < DETOUR_MAX; i++) {
		if (!decode(img, addr, &insn))
			return false;
		switch (insn.decoded.class) {
		case UINSN_CALL:
		case UINSN_ICALL:
			if (calls)
				return false;
			calls = true;
			break;
		case UINSN_JUMP:
			return calls && uinsn_target(&insn.decoded, addr) == start &&
			       is_inside(img, addr, start);
		case UINSN_COPY:
		case UINSN_NOP:
			break;
		default:
			return false;
		}
		addr += insn.decoded.len;
	}
	return false;
}

/* Check for a comparison with a register: it is all that stands between two checks. */
static bool is_cmp(const struct uinsn *insn)
{
	return insn->map == UINSN_MAP_1 && (insn->opcode == 0x39 || insn->opcode == 0x3b);
}

/**
 * stack_check_entry() - find the place behind all checks where there is no frame yet
 * @img: the file
 * @start: the function
 *
 * Return: the address; @start if there is no check.
 */
u64 stack_check_entry(const struct elf_image *img, u64 start)
{
	struct instruction insn;
	u64 addr = start, entry = start;

	for (unsigned int i = 0; i < CHECK_MAX && decode(img, addr, &insn); i++) {
		addr += insn.decoded.len;
		if (insn.decoded.class == UINSN_JCC) {
			if (!starts_anew(img, uinsn_target(&insn.decoded, insn.addr), start))
				break;
			entry = addr;
		} else if (entry != start && !is_cmp(&insn.decoded)) {
			break;
		} else if (insn.decoded.class != UINSN_COPY && insn.decoded.class != UINSN_NOP &&
			   insn.decoded.class != UINSN_ENDBR) {
			break;
		}
	}
	return entry;
}

/**
 * stack_check_end() - find the end of a function's stack check
 * @img: the file
 * @start: the function
 *
 * Return: the address after the last check, from which the function does not
 * start again; @start if there is no check.
 */
u64 stack_check_end(const struct elf_image *img, u64 start)
{
	u64 addr = start, end = start;
	struct instruction insn;

	for (unsigned int i = 0; i < CHECK_MAX; i++) {
		if (!decode(img, addr, &insn))
			break;
		addr += insn.decoded.len;
		switch (insn.decoded.class) {
		case UINSN_JCC:
			if (!starts_anew(img, uinsn_target(&insn.decoded,
							   insn.addr), start))
				return end;
			end = addr;
			break;
		case UINSN_COPY:
		case UINSN_NOP:
		case UINSN_ENDBR:
			break;
		default:
			return end;
		}
	}
	return end;
}
