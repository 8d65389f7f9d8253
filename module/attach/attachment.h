/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attachments of a site.
 */
#ifndef _UPROBES_ATTACHMENT_H
#define _UPROBES_ATTACHMENT_H

#include "attach.h"

struct attachment *site_attachment(struct site *site, const struct consumer *c);
int attachment_make(struct probed_mm *pmm, struct site *site,
		    const struct attach_request *request);
void attachment_free(struct attachment *a);
void site_detach_all(struct site *site);

#endif /* _UPROBES_ATTACHMENT_H */
