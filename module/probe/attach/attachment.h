/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attachments of a site.
 */
#ifndef _UPROBES_ATTACHMENT_H
#define _UPROBES_ATTACHMENT_H

#include <linux/types.h>

struct attach_request;
struct attachment;
struct consumer;
struct probed_mm;
struct site;
struct ssol_plan;

bool consumer_expects(const struct consumer *c, const struct ssol_plan *plan);
struct attachment *site_attachment(struct site *site, const struct consumer *c);
int attachment_make(struct probed_mm *pmm, struct site *site,
		    const struct attach_request *request);
void attachment_free(struct attachment *a);
void site_detach_all(struct site *site);
void site_move_attachments(struct site *from, struct site *to);

#endif /* _UPROBES_ATTACHMENT_H */
