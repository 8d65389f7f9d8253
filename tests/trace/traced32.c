// SPDX-License-Identifier: GPL-2.0
// cflags: -m32 -Itests/shared/m32 -isystem /usr/include/x86_64-linux-gnu -nostdlib -fpie -pie
// cflags: -O1 -pthread -fno-optimize-sibling-calls -rdynamic -fno-ipa-ra tests/shared/m32/start.S
// cflags: -fcf-protection /usr/lib32/libc.so.6 -Wl,--dynamic-linker=/lib/ld-linux.so.2
/*
 * The program "traced", compiled for 32 bits.
 */
#include "traced.c"
