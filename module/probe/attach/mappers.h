/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes, and where they map probed files.
 */
#ifndef _UPROBES_MAPPERS_H
#define _UPROBES_MAPPERS_H

#include <linux/types.h>

struct consumer;
struct mm_struct;
struct probe_file;

/**
 * struct mapped_range - a mapping that has had a part of a probed file
 * @file: the file
 * @start: first address
 * @end: first address behind it
 * @next: another one of the same address space, or NULL
 */
struct mapped_range {
	struct probe_file *file;
	unsigned long start;
	unsigned long end;
	struct mapped_range *next;
};

/**
 * struct mapper - an address space
 * @mm: the address space, kept in use
 * @ranges: its mappings of probed files
 */
struct mapper {
	struct mm_struct *mm;
	struct mapped_range *ranges;
};

/**
 * struct mappers - the address spaces of all processes
 * @list: the address spaces
 * @nr: number of @list
 * @room: number of @list that there is memory for
 * @everywhere: there were too many mappings to list them: any of @list may have any
 * @ranges: memory of all their ranges
 */
struct mappers {
	struct mapper *list;
	unsigned int nr;
	unsigned int room;
	bool everywhere;
	struct mapped_range *ranges;
};

int mappers_list(struct mappers *mappers, struct consumer **cs, unsigned int n);
void mappers_free(struct mappers *mappers);

#endif /* _UPROBES_MAPPERS_H */
