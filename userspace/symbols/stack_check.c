// SPDX-License-Identifier: GPL-2.0
/*
 * Go's functions look first whether there is room on the stack.  If not, they call
 * the runtime, which moves the stack to where there is more, and start anew:
 *
 *	f:	cmp 0x10(%r14), %rsp
 *		jbe 2f
 *	1:	...
 *	2:	call runtime.morestack_noctxt
 *		jmp f
 *
 * A probe on f is hit twice then, one on 1 once for each call.
 */
#include "stack_check.h"

#include "util/error.h"
#include "elf/text.h"

/* The check is among so many instructions. */
#define CHECK_MAX 12

/* Parameters are stored and loaded again around the call. */
#define DETOUR_MAX 128

static bool decode(const struct elf_image *img, u64 addr,
		   struct instruction *insn)
{
	struct error *err = text_instruction(img, addr, insn);

	error_free(err);
	return !err;
}

/* Does the code at @addr call something, and then go to @start? */
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
			calls = true;
			break;
		case UINSN_JUMP:
			return calls &&
			       uinsn_target(&insn.decoded, addr) == start;
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

/**
 * stack_check_end() - where a function is that does not start anew any more
 * @img: the file
 * @start: the function
 *
 * Return: the address behind the last check; @start where there is none.
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
