/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statically defined probes, as systemtap's sys/sdt.h makes them: a nop, and a note that tells
 * where the nop is.
 */
#ifndef _TESTS_SDT_H
#define _TESTS_SDT_H

/* Assembler text of a probe; @semaphore is the name of its counter, or "0". */
#define SDT_PROBE(provider, name, semaphore, operands)			\
	"990:	nop\n"							\
	".pushsection .note.stapsdt, \"?\", \"note\"\n"			\
	".balign 4\n"							\
	".4byte 992f - 991f, 994f - 993f, 3\n"				\
	"991:	.asciz \"stapsdt\"\n"					\
	"992:	.balign 4\n"						\
	"993:	.8byte 990b, _.stapsdt.base, " semaphore "\n"		\
	".asciz \"" provider "\"\n"					\
	".asciz \"" name "\"\n"						\
	".asciz \"" operands "\"\n"					\
	"994:	.balign 4\n"						\
	".popsection\n"							\
	".ifndef _.stapsdt.base\n"					\
	".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
	".weak _.stapsdt.base\n"					\
	".hidden _.stapsdt.base\n"					\
	"_.stapsdt.base: .space 1\n"					\
	".size _.stapsdt.base, 1\n"					\
	".popsection\n"							\
	".endif\n"

#endif /* _TESTS_SDT_H */
