/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry of 32-bit programs that are linked with the C library of libc6-i386, which comes without
 * one. Position-independent.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	popl	%esi			/* argc */
	movl	%esp, %ecx		/* argv */
	andl	$-16, %esp
	pushl	%eax
	pushl	%esp
	pushl	%edx			/* function for the dynamic linker, called at exit */
	pushl	$0
	pushl	$0
	pushl	%ecx
	pushl	%esi
	call	1f
1:
	popl	%ebx
	addl	$_GLOBAL_OFFSET_TABLE_ + (. - 1b), %ebx
	leal	main@GOTOFF(%ebx), %eax
	pushl	%eax
	call	__libc_start_main@PLT
	hlt
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
