/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings: probes on files follow them, and text that mremap() moves.
 */
#ifndef _UPROBES_MAP_EVENTS_H
#define _UPROBES_MAP_EVENTS_H

struct probed_mm;

int map_events_watch(void);
int map_events_try(void);
void map_events_unwatch(void);
void task_moves_text(struct probed_mm *pmm);

#endif /* _UPROBES_MAP_EVENTS_H */
