// SPDX-License-Identifier: GPL-2.0
/*
 * Plans that several sites and consumers share.  A probe on a file has one plan for all processes.
 * A site whose consumer has no plan, or that of other text, has a plan of its own.
 */
#include <linux/refcount.h>
#include <linux/slab.h>

#include "plan.h"
#include "ssol.h"

/**
 * struct shared_plan - a plan that may have several users
 * @plan: the plan; constant
 * @refs: one for each user
 */
struct shared_plan {
	struct ssol_plan plan;
	refcount_t refs;
};

const struct ssol_plan plan_none;

static struct shared_plan *shared_of(const struct ssol_plan *plan)
{
	return (struct shared_plan *)container_of(plan, const struct shared_plan, plan);
}

/**
 * plan_make() - make a plan that can be shared
 * @plan: the plan, which is copied
 * @gfp: allocation flags
 *
 * Context: as @gfp says.
 * Return: the copy, with one reference, or NULL if there is no memory.
 */
const struct ssol_plan *plan_make(const struct ssol_plan *plan, gfp_t gfp)
{
	struct shared_plan *shared = kmalloc(sizeof(*shared), gfp);

	if (!shared)
		return NULL;
	shared->plan = *plan;
	refcount_set(&shared->refs, 1);
	return &shared->plan;
}

/* Take a reference to a plan from plan_make().  Context: any.  Return the plan. */
const struct ssol_plan *plan_get(const struct ssol_plan *plan)
{
	refcount_inc(&shared_of(plan)->refs);
	return plan;
}

/**
 * plan_put() - drop a reference to a plan
 * @plan: a plan from plan_make(), &plan_none, or NULL
 *
 * Context: any.
 */
void plan_put(const struct ssol_plan *plan)
{
	if (plan && plan != &plan_none && refcount_dec_and_test(&shared_of(plan)->refs))
		kfree(shared_of(plan));
}
