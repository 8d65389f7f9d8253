// SPDX-License-Identifier: GPL-2.0
/*
 * The end of the section of sites of uprobes_trace.ko.  Kbuild links this object last.
 */
#include "inject_end.c"
