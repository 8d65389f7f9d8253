/* SPDX-License-Identifier: GPL-2.0 */
/* All instruction encodings there are, operands aside. */
#ifndef INSN_ENCODINGS_H
#define INSN_ENCODINGS_H

#include "decode.h"

typedef void (*visit_encoding)(const struct uinsn *insn, const u8 *text, void *data);

/*
 * Calls visit with 15 bytes for each map, opcode, prefix set, ModRM.reg, W and
 * vector length that is an instruction, once with ModRM naming a register and
 * once with it naming memory; which, is left to pick(), a random number.
 */
void visit_encodings(enum uinsn_mode mode, u32 (*pick)(void), visit_encoding visit,
		     void *data);

/*
 * A few more, always with the same operands: at and around the stack pointer, and
 * with registers that an out-of-line copy might borrow.
 */
void visit_special_encodings(enum uinsn_mode mode, visit_encoding visit, void *data);

#endif /* INSN_ENCODINGS_H */
