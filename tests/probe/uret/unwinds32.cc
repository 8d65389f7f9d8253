// SPDX-License-Identifier: GPL-2.0
// cflags: -m32 -Itests/shared/m32 -isystem /usr/include/x86_64-linux-gnu -nostdinc++ -nostdlib -fpie -pie
// cflags: -O1 -pthread -rdynamic -fno-optimize-sibling-calls tests/shared/m32/start.S
// cflags: /usr/lib32/libstdc++.so.6 /usr/lib32/libgcc_s.so.1 /usr/lib32/libc.so.6
// cflags: -Wl,--dynamic-linker=/lib/ld-linux.so.2
/*
 * The program "unwinds", compiled for 32 bits.
 */
#include "unwinds.cc"
