/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The request to attach probes, and slots that are made for it.
 */
#ifndef _UPROBES_ATTACH_TYPES_H
#define _UPROBES_ATTACH_TYPES_H

#include <linux/types.h>

#include "core/consumer_types.h"

struct probed_mm;
struct ssol_area;

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

/**
 * struct slot_batch - slots that are made, and not written yet
 * @pmm: the probed mm; its lock is held while there are such slots
 * @many: further slots are expected
 * @area: the area of the slots
 * @start: address of the first one
 * @len: size of them all, in bytes; 0 if there are none
 * @code: memory for them, or NULL
 * @error: why some could not be written, or 0.  If it is not 0, no further ones are made
 */
struct slot_batch {
	struct probed_mm *pmm;
	bool many;
	struct ssol_area *area;
	unsigned long start;
	unsigned int len;
	u8 *code;
	int error;
};

#endif /* _UPROBES_ATTACH_TYPES_H */
