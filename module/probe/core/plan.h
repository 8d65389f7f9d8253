/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans that several sites and consumers share: how to execute the instruction out of line.
 */
#ifndef _UPROBES_PLAN_H
#define _UPROBES_PLAN_H

#include <linux/types.h>

struct ssol_plan;

/* The plan of a site that is no probe. */
extern const struct ssol_plan plan_none;

const struct ssol_plan *plan_make(const struct ssol_plan *plan, gfp_t gfp);
const struct ssol_plan *plan_get(const struct ssol_plan *plan);
void plan_put(const struct ssol_plan *plan);

#endif /* _UPROBES_PLAN_H */
