/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read and write words on the stack of the current task.
 */
#ifndef _UPROBES_USER_STACK_H
#define _UPROBES_USER_STACK_H

#include <linux/uaccess.h>

/* Read a word.  Return false if the page is absent, or, with @may_sleep, cannot be faulted in. */
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

/**
 * stack_word_is() - compare a word, in 64-bit code
 * @addr: its address
 * @value: the value
 *
 * Context: traps.
 * Return: false also if the page is absent.
 */
static __always_inline bool stack_word_is(unsigned long addr, unsigned long value)
{
	unsigned long __user *word = (unsigned long __user *)addr;
	unsigned long found;

	pagefault_disable();
	if (unlikely(!user_access_begin(word, sizeof(*word))))
		goto out;
	unsafe_get_user(found, word, fault);
	user_access_end();
	pagefault_enable();
	return found == value;
fault:
	user_access_end();
out:
	pagefault_enable();
	return false;
}

#endif /* _UPROBES_USER_STACK_H */
