/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prepare sites: analyse the instruction at an address, and make a slot for it.
 */
#ifndef _UPROBES_PREPARE_H
#define _UPROBES_PREPARE_H

#include "attach_types.h"
#include "core/pmm_types.h"
#include "text/read.h"

/**
 * struct site_walk - a walk over the addresses at which sites are prepared
 * @pmm: the probed mm; its lock is held during the whole walk
 * @text: reads the text
 * @stock: memory for further sites
 * @slots: slots that are not written yet: those of new sites without a breakpoint
 * @known: @next is valid: no other site has been added or replaced since it was set
 * @addr: where the walk is: the last requested address, or that plus 1 after a new site
 * @prev: the last site before @next, or NULL if it is not known
 * @next: the first site at @addr or behind it, or NULL
 * @no_memory: there was no memory for the last request
 * @changed: the text of the site at @addr has changed, and its breakpoint is in it
 * @flushed: the rings have been emptied during the walk
 * @made: plan of the last instruction that had to be analysed
 */
struct site_walk {
	struct probed_mm *pmm;
	struct text_reader text;
	struct site_stock stock;
	struct slot_batch slots;
	bool known;
	unsigned long addr;
	struct site *prev;
	struct site *next;
	bool no_memory;
	bool changed;
	bool flushed;
	struct ssol_plan made;
};

struct site *site_prepare(struct site_walk *walk, struct attach_request *request);
int pmm_use_trampoline(struct probed_mm *pmm, unsigned long addr);
int pmm_need_trampoline(struct probed_mm *pmm);

#endif /* _UPROBES_PREPARE_H */
