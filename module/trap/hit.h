/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A breakpoint trap: from the exception to the consumers and on to the slot.
 */
#ifndef _UPROBES_HIT_H
#define _UPROBES_HIT_H

#include <linux/bits.h>
#include <linux/ptrace.h>

#include "arch.h"

struct utask;

/* What a trap leaves to task context. */
#define HIT_ENTRY	BIT(0)	/* the sleepable handlers of the site */
#define HIT_PREPARE	BIT(1)	/* return instances could not be made in the trap */
#define HIT_RETURN	BIT(2)	/* handlers of utask::returning */
#define HIT_AGAIN	BIT(3)	/* atomic handlers have asked for task context */
#define HIT_GIVE_UP	BIT(4)	/* the task cannot execute the site out of line */
#define HIT_ONE		BIT(5)	/* the handler of utask::only, and nothing else */
#define HIT_SEARCH	BIT(6)	/* the call that the task has returned from is to be looked for */

int hit_defer(struct utask *utask, unsigned int what);

#endif /* _UPROBES_HIT_H */
