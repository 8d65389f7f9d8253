/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel events in the life of processes: fork, exec, exit, mapping.
 */
#ifndef _UPROBES_TASK_EVENTS_H
#define _UPROBES_TASK_EVENTS_H

struct probed_mm;

int task_events_init(void);
int task_events_watch(void);
int map_events_watch(void);
int map_events_try(void);
void map_events_unwatch(void);
void task_moves_text(struct probed_mm *pmm);
void task_events_exit(void);

#endif /* _UPROBES_TASK_EVENTS_H */
