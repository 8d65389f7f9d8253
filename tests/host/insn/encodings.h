/* SPDX-License-Identifier: GPL-2.0 */
/* Enumerate all instruction encodings, apart from operands. */
#ifndef INSN_ENCODINGS_H
#define INSN_ENCODINGS_H

#include "decode.h"

typedef void (*visit_encoding)(const struct uinsn *insn, const u8 *text, void *data);

/*
 * Call visit with 15 bytes for each map, opcode, prefix set, ModRM.reg, W and vector length that
 * is an instruction: once with a register as operand of ModRM, and once with memory. pick()
 * returns a random number, which selects the register or the address.
 */
void visit_encodings(enum uinsn_mode mode, u32 (*pick)(void), visit_encoding visit,
		     void *data);

/*
 * Call visit for a few more encodings, which always have the same operands: at and around the
 * stack pointer, and with registers that an out-of-line copy might borrow.
 */
void visit_special_encodings(enum uinsn_mode mode, visit_encoding visit, void *data);

#endif /* INSN_ENCODINGS_H */
