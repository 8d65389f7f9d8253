/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Go's table of functions, in the layout of -DLAYOUT=126, 120, 118, 116 or 102. It has three
 * functions that are in no other table. Layout 126 needs Go's module data, too. With -DOTHER, the
 * module data contradicts the table.
 */
	.text
	.globl main
main:
first:	nop
	nop
	ret
second:	push %rbp
	pop %rbp
	ret
third:	mov $1, %eax
	ret
text_end:

	.section .gopclntab, "a", @progbits
	.balign 32
table:
#if LAYOUT >= 120
	.long 0xfffffff1
#elif LAYOUT == 118
	.long 0xfffffff0
#elif LAYOUT == 116
	.long 0xfffffffa
#else
	.long 0xfffffffb
#endif
	.byte 0, 0, 1, 8

#if LAYOUT >= 118
#if LAYOUT == 126
	.quad 3, 0, 0
#else
	.quad 3, 0, main
#endif
	.quad names - table, functions - table, functions - table
	.quad functions - table, functions - table
#elif LAYOUT == 116
	.quad 3, 0
	.quad names - table, functions - table, functions - table
	.quad functions - table, functions - table
#else
	.quad 3
#endif

functions:
#if LAYOUT >= 118
#define START functions
#define ENTRY(f) .long f - main
	.long first - main, d1 - START, second - main, d2 - START
	.long third - main, d3 - START, text_end - main, 0
#else
#if LAYOUT == 116
#define START functions
#else
#define START table
#endif
#define ENTRY(f) .quad f
	.quad first, d1 - START, second, d2 - START
	.quad third, d3 - START, text_end, 0
#endif

#if LAYOUT == 102
#define NAME(n) .long n - table
#else
#define NAME(n) .long n - names
#endif
d1:	ENTRY(first)
	NAME(n1)
d2:	ENTRY(second)
	NAME(n2)
d3:	ENTRY(third)
	NAME(n3)
	.quad 0

names:
n1:	.asciz "main.first"
n2:	.asciz "main.(*T).Second"
n3:	.asciz "net/http.third"

#if LAYOUT == 126
	.section .go.module, "aw", @progbits
	.balign 8
	.quad table
	.fill 19, 8, 0
#ifdef OTHER
	.quad first, text_end - 1, main, text_end
#else
	.quad first, text_end, main, text_end
#endif
#endif
	.section .note.GNU-stack, "", @progbits
