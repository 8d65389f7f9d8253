/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registrations and unregistrations that handlers request, and that a worker performs.
 */
#ifndef _UPROBES_DEFERRED_H
#define _UPROBES_DEFERRED_H

#include "core/consumer.h"

int deferred_init(void);
void deferred_exit(void);

bool in_probe_handler(void);
void register_deferred(struct uprobe *u, enum consumer_type type);
void unregister_deferred(struct uprobe *u, enum consumer_type type);
void deferred_wait(struct uprobe **us, unsigned int n);

#endif /* _UPROBES_DEFERRED_H */
