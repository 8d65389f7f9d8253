/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach consumers to sites, and detach them.
 */
#ifndef _UPROBES_ATTACHMENT_H
#define _UPROBES_ATTACHMENT_H

#include <linux/types.h>

struct attach_request;
struct consumer;
struct site;
struct ssol_plan;

bool consumer_expects(const struct consumer *c, const struct ssol_plan *plan);
bool site_has(const struct site *site, const struct consumer *c);
int site_attach(struct site *site, const struct attach_request *request);
void site_detach(struct site *site, struct consumer *c);
void site_forget_consumers(struct site *site);
void site_detach_all(struct site *site);
void site_move_consumers(struct site *from, struct site *to);

#endif /* _UPROBES_ATTACHMENT_H */
