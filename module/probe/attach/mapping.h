/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on files: attach consumers in the processes that map the files, now and later.
 */
#ifndef _UPROBES_MAPPING_H
#define _UPROBES_MAPPING_H

struct consumer;
struct mm_struct;

int mapping_apply(struct mm_struct *mm);
bool mapping_spreading(void);
void mapping_await(int change);
int mapping_apply_everywhere(struct consumer **cs, unsigned int n);

#endif /* _UPROBES_MAPPING_H */
