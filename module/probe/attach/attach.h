/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach consumers to sites, and detach them.
 */
#ifndef _UPROBES_ATTACH_H
#define _UPROBES_ATTACH_H

#include <linux/types.h>

struct attach_request;
struct consumer;
struct probed_mm;
struct site;

bool pmm_attach(struct probed_mm *pmm, struct attach_request *requests, unsigned int n);
void site_remove_breakpoint(struct site *site);
void pmm_moved(struct probed_mm *pmm, unsigned long start, unsigned long end, long by);
void pmm_detach(struct probed_mm *pmm, struct consumer *c);
void pmm_detach_all(struct probed_mm *pmm);
void pmm_remove_breakpoints_all(void);
int consumers_bind_mm(struct consumer **cs, unsigned int n, struct probed_mm *pmm);
void consumer_unbind_mm(struct consumer *c);

#endif /* _UPROBES_ATTACH_H */
