/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return addresses: find functions that read or write their own, and check whether a word can be
 * one.
 */
#ifndef UPROBES_ARCH_X86_RETADDR_H
#define UPROBES_ARCH_X86_RETADDR_H

#include "decode.h"
#include "retaddr_import.h"

/* The number of bytes of a function that are enough for retaddr_used(). */
#define RETADDR_WINDOW	192

/* The largest number of functions in a chain, each of which ends in a jump to the next one. */
#define RETADDR_JUMPS	4

/**
 * retaddr_used() - check whether a function reads or writes its return address
 * @text: the function's bytes, from its first one
 * @len: number of bytes
 * @mode: 32-bit or 64-bit code
 * @jump: set to the distance from @text to the function that it ends in a jump to, or to 0
 *
 * Examples are setjmp() and similar functions, which keep it; dlsym(), which identifies its caller
 * by it; and the helpers by which 32-bit code finds its own address.  If the word held another
 * address, these functions would do something else.
 *
 * Follow the stack pointer from the entry along the straight path.  If only a conditional jump
 * leads to the code that uses the address, that code is not found.
 *
 * Context: any; pure function.
 * Return: 1 if it does, 0 if not; 0 also if the function ends in a jump
 * to another one, which then has the same return address.
 */
int retaddr_used(const u8 *text, size_t len, enum uinsn_mode mode, long *jump);

/**
 * retaddr_used_in() - check a function in a file, and the functions that it ends in a jump to
 * @file: the file
 * @read: reads @file
 * @offset: offset of the function, in bytes
 * @mode: 32-bit or 64-bit code
 *
 * Context: that of @read.
 * Return: 1 if one of the functions uses the return address, 0 if not, or if one cannot be read.
 */
int retaddr_used_in(const void *file, retaddr_read read, u64 offset, enum uinsn_mode mode);

/* Length of the longest call that is looked for before a return address, without prefixes. */
#define RETADDR_CALL_MAX	7

/* Number of bytes that are looked at behind a return address. */
#define RETADDR_AFTER		16

/**
 * retaddr_behind_call() - check whether a call may end at the end of a text
 * @end: the end of the text; %RETADDR_CALL_MAX bytes before it can be read
 * @mode: 32-bit or 64-bit code
 *
 * Context: any; pure function.
 * Return: whether the text ends in the bytes of a call, which may belong to something else.
 */
bool retaddr_behind_call(const u8 *end, enum uinsn_mode mode);

/**
 * retaddr_behind_jump() - check whether an unconditional jump may end at the end of a text
 * @end: as for retaddr_behind_call()
 *
 * Some code pushes the address behind a jump, and then jumps to a function that returns there.
 *
 * Context: any; pure function.
 * Return: whether the text ends in the bytes of such a jump.
 */
bool retaddr_behind_jump(const u8 *end);

/**
 * retaddr_of_frame() - check whether only a return can lead to some code
 * @text: the code, %RETADDR_AFTER bytes
 * @mode: 32-bit or 64-bit code
 *
 * The code depends on a stack that other code has prepared: it loads the stack pointer, or takes
 * words from the stack that it has not put there. An example is the code that runs after the
 * function of makecontext(). Or the code is the system call that ends a signal handler.
 *
 * Context: any; pure function.
 * Return: whether the code is of that kind.
 */
bool retaddr_of_frame(const u8 *text, enum uinsn_mode mode);

#endif /* UPROBES_ARCH_X86_RETADDR_H */
