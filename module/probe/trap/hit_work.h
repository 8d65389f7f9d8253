/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rest of a hit, in task context.
 */
#ifndef _UPROBES_HIT_WORK_H
#define _UPROBES_HIT_WORK_H

struct callback_head;

void hit_work(struct callback_head *work);

#endif /* _UPROBES_HIT_WORK_H */
