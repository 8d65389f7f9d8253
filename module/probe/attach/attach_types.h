/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The request to attach probes.
 */
#ifndef _UPROBES_ATTACH_TYPES_H
#define _UPROBES_ATTACH_TYPES_H

#include <linux/types.h>

#include "core/consumer_types.h"

/**
 * struct attach_request - a consumer to be attached at an address
 * @consumer: the consumer
 * @addr: address of the instruction
 * @place: the place in a file that must be mapped at @addr, if those of @consumer vary
 * @site: private
 * @result: 0 or an error of register_uprobe()
 * @order: index in the caller's order, which is the order of the handlers at one site
 * @made: private
 */
struct attach_request {
	struct consumer *consumer;
	unsigned long addr;
	struct file_place place;
	struct site *site;
	int result;
	unsigned int order;
	bool made;
};

#endif /* _UPROBES_ATTACH_TYPES_H */
