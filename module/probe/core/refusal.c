// SPDX-License-Identifier: GPL-2.0
/*
 * Why a probe is not in the text of a process.  The log has it, too, but there it may be lost among
 * others, and the client may not be allowed to read it.
 */
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <uprobes/uprobes.h>

#include "refusal.h"
#include "consumer_types.h"

/* Room for a reason, with the bytes of two instructions. */
#define REFUSAL_LEN	192

/**
 * consumer_refused() - count a place that a consumer is not attached to, and keep the first reason
 * @c: the consumer
 * @fmt: the reason, as in the log
 *
 * Context: may sleep.
 */
void consumer_refused(struct consumer *c, const char *fmt, ...)
{
	va_list args;
	char *why;

	if (atomic_inc_return(&c->refused.nr) != 1)
		return;
	why = kmalloc(REFUSAL_LEN, GFP_KERNEL | __GFP_NOWARN);
	if (!why)
		return;
	va_start(args, fmt);
	vsnprintf(why, REFUSAL_LEN, fmt, args);
	va_end(args);
	/* Pairs with probe_refusals(). */
	smp_store_release(&c->refused.why, why);
}

/* Free what consumer_refused() has kept.  Context: any. */
void consumer_forget_refusal(struct consumer *c)
{
	kfree(c->refused.why);
}

/**
 * probe_refusals() - get the number of places that a probe was not attached to, and why
 * @u: the probe; its registration may end meanwhile
 * @why: set to the first reason, or ""
 * @size: size of @why
 *
 * Context: any.
 * Return: the number of places.
 */
unsigned int probe_refusals(const struct uprobe *u, char *why, size_t size)
{
	const struct consumer *c;
	unsigned int n = 0;
	const char *first;

	/* The memory of the consumer stays for a grace period. */
	rcu_read_lock();
	c = READ_ONCE(u->kdata);
	/* Pairs with consumer_refused(). */
	first = c ? smp_load_acquire(&c->refused.why) : NULL;
	if (c)
		n = atomic_read(&c->refused.nr);
	strscpy(why, first ?: "", size);
	rcu_read_unlock();
	return n;
}
