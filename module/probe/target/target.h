/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The target of a probe: look up the process or the file, and check whether the place in it
 * can be probed.
 */
#ifndef _UPROBES_TARGET_H
#define _UPROBES_TARGET_H

#include <linux/types.h>

#include <uprobes/uprobes.h>

#include "target_types.h"

struct mm_struct *target_mm(pid_t pid);
const char *target_complaint(const struct uprobe *u);
int target_open(struct target *target, const struct uprobe *u);
int target_check(struct target *target, const struct uprobe *u, bool returns,
		 struct ssol_plan *plan);
bool target_is_go(struct target *target);
int target_check_returns(struct target *target, loff_t offset);
void target_close(struct target *target);

#endif /* _UPROBES_TARGET_H */
