/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making sites: what is at an address, and what executes in its place.
 */
#ifndef _UPROBES_PREPARE_H
#define _UPROBES_PREPARE_H

#include "attach.h"
#include "core/site_tree.h"
#include "text/read.h"

/**
 * struct site_walk - sites being made one after the other
 * @pmm: their probed mm, whose lock is held all the time
 * @text: where text has been read
 * @stock: memory for them
 * @known: @next is valid; no other site has been added or replaced since
 * @addr: the last address, or behind it
 * @prev: the last site before @next, or NULL when it is not known
 * @next: the first site there or behind, or NULL
 * @no_memory: there was none for the last one
 * @made: the plan of an instruction that had to be analysed
 */
struct site_walk {
	struct probed_mm *pmm;
	struct text_reader text;
	struct site_stock stock;
	bool known;
	unsigned long addr;
	struct site *prev;
	struct site *next;
	bool no_memory;
	struct ssol_plan made;
};

struct site *site_prepare(struct site_walk *walk, const struct attach_request *request);
int pmm_use_trampoline(struct probed_mm *pmm, unsigned long addr);
int pmm_need_trampoline(struct probed_mm *pmm);

#endif /* _UPROBES_PREPARE_H */
