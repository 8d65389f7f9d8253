/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the current task is in a call that another has entered.
 *
 * That shows a process whose coroutines go from thread to thread (roaming.h).
 */
#ifndef _UPROBES_STRAY_H
#define _UPROBES_STRAY_H

#include <linux/types.h>

struct mm_struct;

bool stray_suspected(struct mm_struct *mm);
bool stray_look(bool may_sleep);

#endif /* _UPROBES_STRAY_H */
