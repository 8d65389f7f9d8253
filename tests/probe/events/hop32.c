// SPDX-License-Identifier: GPL-2.0
// cflags: -m32 -Itests/shared/m32 -isystem /usr/include/x86_64-linux-gnu -nostdlib -fpie -pie
// cflags: -O1 tests/shared/m32/start.S
// cflags: /usr/lib32/libc.so.6 -Wl,--dynamic-linker=/lib/ld-linux.so.2
/*
 * The program "hop", compiled for 32 bits.
 */
#include "hop.c"
