// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -static-libgcc -static-libstdc++ -fno-optimize-sibling-calls
/* The same, with an unwinder inside that nobody else sees, in a dynamic program. */
#include "unwinds.cc"
