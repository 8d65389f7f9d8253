/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel events in the life of processes: fork, exec, exit, signals.
 */
#ifndef _UPROBES_TASK_EVENTS_H
#define _UPROBES_TASK_EVENTS_H

int task_events_init(void);
int task_events_watch(void);
void task_events_exit(void);

#endif /* _UPROBES_TASK_EVENTS_H */
