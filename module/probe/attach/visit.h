/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Visits: go to all sites that consumers are attached to.
 */
#ifndef _UPROBES_VISIT_H
#define _UPROBES_VISIT_H

struct consumer;
struct uprobe_place;

void consumers_detach(struct consumer **cs, unsigned int n);
int consumer_sync(struct consumer *c);
unsigned int consumer_places(struct consumer *c, struct uprobe_place *places, unsigned int n);

#endif /* _UPROBES_VISIT_H */
