/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bringing consumers and sites together, and taking them apart.
 */
#ifndef _UPROBES_ATTACH_H
#define _UPROBES_ATTACH_H

#include "core/consumer.h"
#include "core/image.h"

struct site;

/**
 * struct attach_request - a consumer to be attached at an address
 * @consumer: who
 * @addr: address of the instruction
 * @where: the file that has to be mapped there
 * @site: private
 * @result: 0 or an error of register_uprobe()
 * @order: the place among the requests, for handlers at one site
 * @made: private
 */
struct attach_request {
	struct consumer *consumer;
	unsigned long addr;
	struct image_file where;
	struct site *site;
	int result;
	unsigned int order;
	bool made;
};

bool image_attach(struct image *image, struct attach_request *requests, unsigned int n);
void site_give_up(struct site *site);
void image_moved(struct image *image, unsigned long start, unsigned long end, long by);
void image_detach_one(struct image *image, struct consumer *c);
void image_reap(struct image *image);
void image_disarm_all(void);
void consumers_detach(struct consumer **cs, unsigned int n);
int consumer_resettle(struct consumer *c);
int consumers_settle_in(struct consumer **cs, unsigned int n, struct image *home);
void consumer_leave_home(struct consumer *c);

#endif /* _UPROBES_ATTACH_H */
