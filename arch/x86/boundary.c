// SPDX-License-Identifier: GPL-2.0
/* Find where the instructions of a function begin, and which of them leave the function. */
#include "boundary.h"

int boundary_check(const u8 *text, size_t len, enum uinsn_mode mode, size_t offset,
		   size_t *begin)
{
	size_t at = 0;

	if (offset >= len)
		return -EINVAL;
	while (at < offset) {
		struct uinsn insn;
		int ret = uinsn_decode(&insn, text + at, len - at, mode);

		/* If the end cuts off an instruction, that reaches beyond offset, too. */
		if (ret == -ENODATA || (!ret && at + insn.len > offset)) {
			if (begin)
				*begin = at;
			return 0;
		}
		if (ret) {
			if (begin)
				*begin = at;
			return ret;
		}
		at += insn.len;
	}
	return 1;
}

/* Check whether an instruction leaves the function.  If it does, fill in kind and target. */
static bool leaves(const struct uinsn *insn, u64 insn_addr, u64 addr, size_t len,
		   struct boundary_exit *exit)
{
	exit->target = 0;
	switch (insn->class) {
	case UINSN_RET:
	case UINSN_FRET:
		exit->kind = BOUNDARY_RET;
		return true;
	case UINSN_IJUMP:
	case UINSN_FJUMP:
		exit->kind = BOUNDARY_JUMP_IND;
		return true;
	case UINSN_JUMP:
		exit->kind = BOUNDARY_JUMP;
		break;
	case UINSN_JCC:
	case UINSN_LOOP:
		exit->kind = BOUNDARY_JUMP_IF;
		break;
	default:
		return false;
	}
	exit->target = uinsn_target(insn, insn_addr);
	return exit->target - addr >= len;
}

long boundary_exits(const u8 *text, size_t len, enum uinsn_mode mode, u64 addr,
		    struct boundary_exit *exits, size_t room, size_t *stopped)
{
	size_t at = 0, n = 0;

	while (at < len) {
		struct boundary_exit exit;
		struct uinsn insn;
		int ret = uinsn_decode(&insn, text + at, len - at, mode);

		if (ret) {
			if (stopped)
				*stopped = at;
			return ret;
		}
		if (leaves(&insn, addr + at, addr, len, &exit)) {
			exit.offset = at;
			exit.len = insn.len;
			if (n < room)
				exits[n] = exit;
			n++;
		}
		at += insn.len;
	}
	return (long)n;
}
