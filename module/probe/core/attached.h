/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The consumers of a site.  Most sites have one, and name it; others have a list of attachments.
 */
#ifndef _UPROBES_ATTACHED_H
#define _UPROBES_ATTACHED_H

#include "pmm_types.h"

/* The word points to a struct attachment. */
#define ATTACHED_LIST		1UL

/* Get the list of a site's attachments; NULL if it has none, or names its only consumer. */
static inline struct attachment *attached_list(const struct site *site)
{
	unsigned long word = site->attached.word;

	return word & ATTACHED_LIST ? (struct attachment *)(word - ATTACHED_LIST) : NULL;
}

/* Get the first consumer of a site, or NULL.  Set @at for attached_next(). */
static inline struct consumer *attached_first(const struct site *site, struct attachment **at)
{
	*at = attached_list(site);
	return *at ? (*at)->consumer : (struct consumer *)site->attached.word;
}

/* Get the consumer behind the one that @at belongs to, or NULL. */
static inline struct consumer *attached_next(struct attachment **at)
{
	*at = *at ? (*at)->next : NULL;
	return *at ? (*at)->consumer : NULL;
}

/*
 * Go through the consumers of a site, in the order of registration.  @at is the attachment of @c,
 * or NULL if the site names its only consumer.  Context: probed_mm::lock held; the consumers stay
 * attached meanwhile.
 */
#define for_each_attached(c, site, at)					\
	for ((c) = attached_first(site, &(at)); (c); (c) = attached_next(&(at)))

/* Get the place in a file that must be mapped at a consumer's site; its inode may be NULL. */
static inline const struct file_place *attached_place(const struct consumer *c,
						      const struct attachment *at)
{
	if (c->file.varies)
		return &container_of(at, const struct attachment_at, a)->place;
	return &c->file.place;
}

/* Get the site that an element of consumer::places.list names.  Context: its lock held. */
static inline struct site *place_site(unsigned long place)
{
	if (place & ATTACHED_LIST)
		return ((struct attachment *)(place - ATTACHED_LIST))->site;
	return (struct site *)place;
}

#endif /* _UPROBES_ATTACHED_H */
