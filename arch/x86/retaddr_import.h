/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find imported functions that use their return address, by their names.
 */
#ifndef UPROBES_ARCH_X86_RETADDR_IMPORT_H
#define UPROBES_ARCH_X86_RETADDR_IMPORT_H

#include "types.h"

/**
 * typedef retaddr_read - a function that reads a file
 * @file: the file
 * @offset: position in the file, in bytes
 * @buf: the buffer to fill
 * @len: size of @buf, in bytes
 *
 * Return: the number of bytes read, 0 if the file cannot be read there.
 */
typedef size_t (*retaddr_read)(const void *file, u64 offset, void *buf, size_t len);

/**
 * retaddr_used_by_import() - check whether a jump through memory leads to an import that uses it
 * @file: the file, a 64-bit program or library
 * @read: reads @file
 * @offset: offset of the code that jumps, in bytes
 * @pointer: distance from that code to the pointer, as it is mapped
 *
 * dlsym() and dlopen() identify their caller by the return address, setjmp() and vfork() keep it.
 * The file has their names where ld.so finds what to store in the pointer.
 *
 * Context: that of @read.
 * Return: 1 if it does, 0 if not, or if that cannot be found out.
 */
int retaddr_used_by_import(const void *file, retaddr_read read, u64 offset, long pointer);

#endif
