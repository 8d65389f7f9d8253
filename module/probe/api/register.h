/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Register and unregister many probes at once.
 */
#ifndef _UPROBES_REGISTER_H
#define _UPROBES_REGISTER_H

#include "core/consumer.h"

int register_probes(struct uprobe **us, unsigned int n, enum consumer_type type);
unsigned int unregister_probes(struct uprobe **us, unsigned int n);
int probe_set_enabled(struct uprobe *u, bool enabled);
int probe_set_conditions(struct uprobe *u, const struct uprobe_condition *conditions,
			 unsigned int n);
unsigned int probe_places(struct uprobe *u, struct uprobe_place *places, unsigned int n);

void register_end(struct work_struct *work);

#endif /* _UPROBES_REGISTER_H */
