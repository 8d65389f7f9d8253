/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registering and unregistering: the order of the steps, for many probes at
 * once, and what a handler asks for.
 */
#ifndef _UPROBES_REGISTER_H
#define _UPROBES_REGISTER_H

#include "probe.h"

int register_init(void);
void register_exit(void);

int register_probes(struct uprobe **us, unsigned int n, enum consumer_type type);
unsigned int unregister_probes(struct uprobe **us, unsigned int n);
int probe_set_enabled(struct uprobe *u, bool enabled);

void register_end(struct work_struct *work);
bool register_in_handler(void);
void register_later(struct uprobe *u, enum consumer_type type);
void unregister_later(struct uprobe *u, enum consumer_type type);

#endif /* _UPROBES_REGISTER_H */
