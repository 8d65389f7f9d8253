/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes as sys/sdt.h makes them, with all forms of operands.
 */
	.macro probe provider, name, operands, counter=0
990:	nop
	.pushsection .note.stapsdt, "", @note
	.balign 4
	.long 992f - 991f, 994f - 993f, 3
991:	.asciz "stapsdt"
992:	.balign 4
993:	.quad 990b, _.stapsdt.base, \counter
	.asciz "\provider"
	.asciz "\name"
	.asciz "\operands"
994:	.balign 4
	.popsection
	.endm

	.section .stapsdt.base, "aG", @progbits, .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base:
	.space 1
	.size _.stapsdt.base, 1

	.section .probes, "aw"
	.balign 2
counter:
	.short 0

	.data
	.balign 8
	.type table, @object
	.globl table
table:	.quad 1, 2, 3, 4
	.size table, 32

	.bss
	.balign 8
	.type later, @object
later:	.space 16
	.size later, 16

	.text
	.globl main
	.type main, @function
main:
	probe corpus, registers, "8@%rax -4@%edi 2@%r8w 1@%dil -1@%r15b 8@%rbp"
	probe corpus, high, "1@%ah 1@%bh"
	probe corpus, constants, "-4@$-5 8@$10 1@$0"
	probe corpus, memory, "8@(%rbx) -4@-136(%rbp) 2@8(%r12) 1@(%rsp)"
	probe corpus, symbols, "8@table(%rip) 8@table+8(%rip) 8@16+table(%rip)"
	probe corpus, absent, "8@later(%rip) -4@4+later(%rip) 4@1073741824+later(%rip)"
	probe corpus, indexed, "8@(%rax,%rbx,8) 4@%esi 8@-8(%rax,%rbx,4)"
	probe corpus, floats, "8f@%xmm0 4f@-8(%rbp) 4@%esi 16@%xmm1 24@(%rsp)"
	probe corpus, strange, "8@nothing(%rip) 8@ @%rax 3@%rax 8@%nosuch -8@%rsi"
	probe corpus, natural, "%ah %cl %si %r8w %r9d %edi %rbp -4(%rbp) (%rbx,%rcx,2) table(%rip) $-3 %xmm2"
	probe corpus, none, ""
	probe corpus, counted, "4@%edi", counter
	probe corpus, twice, "8@%rax -4@%edi"
	ret
	probe corpus, twice, "4@-4(%rbp) -8@%rsi"
	probe other, none, ""
	ret
	.size main, . - main
	.section .note.GNU-stack, "", @progbits
