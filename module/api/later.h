/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registering and unregistering that handlers ask for, done by a worker.
 */
#ifndef _UPROBES_LATER_H
#define _UPROBES_LATER_H

#include "core/consumer.h"

int later_init(void);
void later_exit(void);

bool later_needed(void);
void register_later(struct uprobe *u, enum consumer_type type);
void unregister_later(struct uprobe *u, enum consumer_type type);
void later_wait(struct uprobe **us, unsigned int n);

#endif /* _UPROBES_LATER_H */
