/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's events in the life of processes: fork, exec, exit, mapping.
 */
#ifndef _UPROBES_LIFECYCLE_H
#define _UPROBES_LIFECYCLE_H

struct image;

int lifecycle_init(void);
int lifecycle_watch_tasks(void);
int lifecycle_watch_maps(void);
int lifecycle_try_maps(void);
void lifecycle_unwatch_maps(void);
void lifecycle_moves(struct image *image);
void lifecycle_exit(void);

#endif /* _UPROBES_LIFECYCLE_H */
