/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return addresses: functions that look at their own, and words that can be one.
 */
#ifndef UPROBES_ARCH_X86_RETADDR_H
#define UPROBES_ARCH_X86_RETADDR_H

#include "decode.h"

/* More of a function than this need not be given, in bytes. */
#define RETADDR_WINDOW	192

/* Functions that end in a jump to another one, which ends in a jump ... */
#define RETADDR_JUMPS	4

/**
 * retaddr_used() - whether a function reads or writes its return address
 * @text: the function's bytes, from its first one
 * @len: how many there are
 * @mode: 32-bit or 64-bit code
 * @jump: set to how far from @text the function is that it jumps to, or to 0
 *
 * Such are setjmp() and its like, which keep it; dlsym(), which asks who calls;
 * the helpers by which 32-bit code learns where it is.  With another address in
 * that place they would do something else.
 *
 * Follows the stack pointer from the entry along the straight path.  What uses
 * the address in code that is reached by a conditional jump only is not found.
 *
 * Context: any; pure function.
 * Return: 1 when it does, 0 when not; 0 also when the function ends in a jump
 * to another one, which then has the same return address.
 */
int retaddr_used(const u8 *text, size_t len, enum uinsn_mode mode, long *jump);

/**
 * typedef retaddr_read - how a file is read
 * @file: the file
 * @offset: from where, in bytes
 * @buf: where to
 * @len: bytes
 *
 * Return: how many bytes there were, 0 when it cannot be read there.
 */
typedef size_t (*retaddr_read)(const void *file, u64 offset, void *buf, size_t len);

/**
 * retaddr_used_in() - the same of a function in a file, and of those that it ends in a jump to
 * @file: the file
 * @read: reads it
 * @offset: where the function begins, in bytes
 * @mode: 32-bit or 64-bit code
 *
 * Context: that of @read.
 * Return: 1 when one of them uses the return address, 0 when not, or when it cannot be read.
 */
int retaddr_used_in(const void *file, retaddr_read read, u64 offset, enum uinsn_mode mode);

/* The longest call that is looked for in front of a return address, without prefixes. */
#define RETADDR_CALL_MAX	7

/* What is looked at behind one. */
#define RETADDR_AFTER		16

/**
 * retaddr_behind_call() - whether a call may end where a text ends
 * @end: the end of the text; %RETADDR_CALL_MAX bytes in front of it can be read
 * @mode: 32-bit or 64-bit code
 *
 * Context: any; pure function.
 * Return: whether the text ends in the bytes of one; they may be those of something else.
 */
bool retaddr_behind_call(const u8 *end, enum uinsn_mode mode);

/**
 * retaddr_behind_jump() - whether an unconditional jump may end where a text ends
 * @end: as for retaddr_behind_call()
 *
 * Code pushes the address behind its jump to a function that is to return there.
 *
 * Context: any; pure function.
 * Return: whether the text ends in the bytes of one.
 */
bool retaddr_behind_jump(const u8 *end);

/**
 * retaddr_of_frame() - whether code is what only a return comes to
 * @text: the code, %RETADDR_AFTER bytes
 * @mode: 32-bit or 64-bit code
 *
 * Such code takes the stack as somebody else has left it: it loads the stack pointer, or takes
 * from the stack what it has not put there, as what follows makecontext()'s function. Or it is
 * the system call that ends a signal handler.
 *
 * Context: any; pure function.
 * Return: whether it is.
 */
bool retaddr_of_frame(const u8 *text, enum uinsn_mode mode);

#endif /* UPROBES_ARCH_X86_RETADDR_H */
