// SPDX-License-Identifier: GPL-2.0
#include "cfa.h"

#include <dwarf.h>
#include <stdlib.h>

/**
 * cfa_in_table() - find the value of the caller's stack pointer before the call
 * @cfi: an unwind table, or NULL
 * @addr: address of an instruction, as the table has it
 * @cfa: filled in
 *
 * Return: whether the table has it as the sum of a register and a number, or where that points.
 */
bool cfa_in_table(Dwarf_CFI *cfi, u64 addr, struct cfa *cfa)
{
	Dwarf_Frame *state = NULL;
	Dwarf_Addr start, end;
	bool known = false;
	Dwarf_Op *ops;
	size_t n;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &state))
		return false;
	if (dwarf_frame_info(state, &start, &end, NULL) >= 0 && end > addr &&
	    !dwarf_frame_cfa(state, &ops, &n) && n) {
		bool x = ops[0].atom == DW_OP_bregx;

		*cfa = (struct cfa){
			.reg = x ? ops[0].number :
				   (u64)ops[0].atom - DW_OP_breg0,
			.offset = (s64)(x ? ops[0].number2 : ops[0].number),
			.end = end,
			.stored = n > 1,
		};
		known = x || (ops[0].atom >= DW_OP_breg0 &&
			      ops[0].atom <= DW_OP_breg31);
	}
	free(state);
	return known;
}

/**
 * cfa_in_image() - find the value of the caller's stack pointer before the call in .eh_frame
 * @img: the file
 * @addr: address of an instruction
 * @cfa: filled in
 *
 * Return: see cfa_in_table().
 */
bool cfa_in_image(const struct elf_image *img, u64 addr, struct cfa *cfa)
{
	Dwarf_CFI *cfi = dwarf_getcfi_elf(img->elf);
	bool known = cfa_in_table(cfi, addr, cfa);

	if (cfi)
		dwarf_cfi_end(cfi);
	return known;
}

/**
 * cfa_of_call() - check whether a row is that of the first instruction of a function
 * @img: the file
 * @cfa: the row
 *
 * Return: true if only the return address lies between the two stack pointers.
 */
bool cfa_of_call(const struct elf_image *img, const struct cfa *cfa)
{
	bool wide = img->ehdr.e_machine == EM_X86_64;

	/* The stack pointer in DWARF numbering, and the size of a return address (psABI). */
	return cfa->reg == (wide ? 7 : 4) && cfa->offset == (wide ? 8 : 4) && !cfa->stored;
}
