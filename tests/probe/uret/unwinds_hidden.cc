// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -static-libgcc -static-libstdc++ -fno-optimize-sibling-calls
/* The program "unwinds", linked dynamically, with an unwinder inside that nobody else sees. */
#include "unwinds.cc"
