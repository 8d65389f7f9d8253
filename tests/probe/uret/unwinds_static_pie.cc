// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -static-pie -fPIE -fno-optimize-sibling-calls
/* The program "unwinds" as a static PIE, with the unwinder inside. */
#include "unwinds.cc"
