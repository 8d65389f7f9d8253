/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words on the stack of the current task.
 */
#ifndef _UPROBES_STACK_H
#define _UPROBES_STACK_H

#include <linux/uaccess.h>

struct roaming;
struct uret_instance;
struct utask;

/* More calls than these are not put back with interrupts off. */
#define PUT_BACK_MANY	256U

/*
 * So often a place is looked at whose page is there each time that it is asked for. Others take
 * pages away, but not as often in a row; a shadow stack never takes the exchange.
 */
#define PUT_BACK_TRIES	100U

/* False when the page is not there, or, with @may_sleep, cannot be. */
static inline bool stack_read(unsigned long *word, unsigned long addr, unsigned int size,
			      bool may_sleep)
{
	*word = 0;
	if (may_sleep)
		return !copy_from_user(word, (void __user *)addr, size);
	return !copy_from_user_nofault(word, (void __user *)addr, size);
}

static inline bool stack_write(unsigned long addr, unsigned long word, unsigned int size,
			       bool may_sleep)
{
	if (may_sleep)
		return !copy_to_user((void __user *)addr, &word, size);
	return !copy_to_user_nofault((void __user *)addr, &word, size);
}

bool stack_put_back(const struct uret_instance *inst, unsigned long *was);
void instances_prune(struct utask *utask);

#endif /* _UPROBES_STACK_H */
