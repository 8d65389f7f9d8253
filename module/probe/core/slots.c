// SPDX-License-Identifier: GPL-2.0
/*
 * The SSOL areas of a probed mm, and the sites of their slots.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "slots.h"
#include "pmm_types.h"
#include "site.h"
#include "ssol.h"
#include "ssol_area.h"

/**
 * pmm_area_at() - look up the SSOL area that contains an address
 * @pmm: the probed mm
 * @addr: the address
 *
 * Context: any; areas are added, and never removed.
 * Return: the area or NULL.
 */
struct ssol_area *pmm_area_at(const struct probed_mm *pmm, unsigned long addr)
{
	/* Pairs with pmm_add_area(): the first @nr areas are complete. */
	unsigned int i, nr = smp_load_acquire(&pmm->areas.nr);

	for (i = 0; i < nr; i++) {
		if (addr - pmm->areas.list[i]->base < SSOL_AREA_SIZE)
			return pmm->areas.list[i];
	}
	return NULL;
}

/**
 * pmm_add_area() - add an SSOL area
 * @pmm: the probed mm; it has room for the area
 * @area: the area, which belongs to @pmm from now on
 *
 * Context: may sleep; probed_mm::lock held.
 */
void pmm_add_area(struct probed_mm *pmm, struct ssol_area *area)
{
	lockdep_assert_held(&pmm->lock);
	pmm->areas.list[pmm->areas.nr] = area;
	/* Pairs with pmm_area_at(). */
	smp_store_release(&pmm->areas.nr, pmm->areas.nr + 1);
}

/**
 * site_of_slot() - look up the site whose slot contains an address
 * @pmm: the probed mm
 * @addr: the address
 *
 * Context: RCU read side.
 * Return: the site; NULL if @addr is in no slot.
 */
struct site *site_of_slot(const struct probed_mm *pmm, unsigned long addr)
{
	const struct ssol_area *area = pmm_area_at(pmm, addr);
	struct slot_list *list;
	unsigned long at, back;
	struct site *site;

	if (!area)
		return NULL;
	at = (addr - area->base) / SSOL_SLOT_ALIGN;
	for (back = 0; back < SSOL_SLOT_MAX / SSOL_SLOT_ALIGN && back <= at; back++) {
		list = rcu_dereference(area->lists[(at - back) / SLOT_LIST]);
		site = list ? rcu_dereference(list->sites[(at - back) % SLOT_LIST]) : NULL;
		if (site)
			return site;
	}
	return NULL;
}

/**
 * site_original_ip() - translate an address in the slot of a site to an address in the text
 * @site: the site
 * @ip: an address at which a thread was stopped or faulted
 *
 * Context: any.
 * Return: the address in the text; @ip itself if it is not in the slot of @site.
 */
unsigned long site_original_ip(const struct site *site, unsigned long ip)
{
	if (!site->step)
		return ssol_original_ip(site->plan, site->key.addr, site_slot(site), ip);
	return ssol_step_original_ip(site->plan, site->key.addr, site_slot(site), ip);
}

/**
 * slot_add() - record the site of a slot
 * @site: the site, complete
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0, -ENOMEM, or -EINVAL if the slot is in no area of the probed mm.
 */
int slot_add(struct site *site)
{
	struct probed_mm *pmm = site->pmm;
	struct ssol_area *area = pmm_area_at(pmm, site_slot(site));
	struct slot_list __rcu **at;
	struct slot_list *list;
	unsigned long nr;

	if (!area)
		return -EINVAL;
	nr = (site_slot(site) - area->base) / SSOL_SLOT_ALIGN;
	at = &area->lists[nr / SLOT_LIST];
	list = rcu_dereference_protected(*at, lockdep_is_held(&pmm->lock));
	if (!list) {
		list = kzalloc(sizeof(*list), SSOL_GFP);
		if (!list)
			return -ENOMEM;
		/* Pairs with site_of_slot(): the list is empty. */
		rcu_assign_pointer(*at, list);
	}
	/* Pairs with site_of_slot(): the site is complete. */
	rcu_assign_pointer(list->sites[nr % SLOT_LIST], site);
	return 0;
}

/* Record that a slot has no site.  Context: probed_mm::lock held. */
void slot_del(struct site *site)
{
	struct ssol_area *area = pmm_area_at(site->pmm, site_slot(site));
	unsigned long nr = (site_slot(site) - area->base) / SSOL_SLOT_ALIGN;
	struct slot_list *list = rcu_dereference_protected(area->lists[nr / SLOT_LIST],
							   lockdep_is_held(&site->pmm->lock));

	RCU_INIT_POINTER(list->sites[nr % SLOT_LIST], NULL);
}

/**
 * area_first_slot() - find the first slot in a part of an area
 * @area: the area
 * @from: where the part begins, in bytes from the start of the area
 * @to: where it ends
 *
 * Context: probed_mm::lock held.
 * Return: where the slot begins, as @from; @to if there is none.
 */
unsigned long area_first_slot(const struct ssol_area *area, unsigned long from, unsigned long to)
{
	unsigned long nr = DIV_ROUND_UP(from, SSOL_SLOT_ALIGN);
	const struct slot_list *list;

	for (; nr * SSOL_SLOT_ALIGN < to; nr++) {
		list = rcu_dereference_protected(area->lists[nr / SLOT_LIST], true);
		if (!list)
			nr |= SLOT_LIST - 1;
		else if (rcu_access_pointer(list->sites[nr % SLOT_LIST]))
			return nr * SSOL_SLOT_ALIGN;
	}
	return to;
}

/**
 * area_skip_slots() - go on behind the slots that were kept, if there is no room before them
 * @area: the area
 *
 * Context: probed_mm::lock held.
 */
void area_skip_slots(struct ssol_area *area)
{
	unsigned long at, from = area->used;

	while (area->has_kept && area->used + SSOL_SLOT_MAX <= SSOL_AREA_SIZE) {
		at = area_first_slot(area, from, area->used + SSOL_SLOT_MAX);
		if (at == area->used + SSOL_SLOT_MAX)
			return;
		/* The next one may begin before the end of this one's room, and end behind it. */
		area->used = at + SSOL_SLOT_MAX;
		from = at + SSOL_SLOT_ALIGN;
	}
}
