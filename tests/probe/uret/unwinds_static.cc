// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -static -fno-optimize-sibling-calls
/* The program "unwinds", linked statically, with the unwinder inside. */
#include "unwinds.cc"
