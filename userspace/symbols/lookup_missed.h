/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Explain why a name was not found.
 */
#ifndef _USERSPACE_LOOKUP_MISSED_H
#define _USERSPACE_LOOKUP_MISSED_H

#include "lookup.h"

struct error *lookup_missed(struct symbols *syms, const char *name,
			    const char *qualifier);

#endif /* _USERSPACE_LOOKUP_MISSED_H */
