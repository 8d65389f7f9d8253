// SPDX-License-Identifier: GPL-2.0
/*
 * Traps at sites whose breakpoint has been removed, or was never there.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "late_trap.h"
#include "arch.h"
#include "read.h"
#include "ssol.h"
#include "core/site.h"

/**
 * hit_late() - find out what a trap at a site that is not armed means
 * @site: the site
 *
 * Context: the trap, or the task itself.
 */
enum late hit_late(const struct site *site)
{
	const u8 __user *addr = (const u8 __user *)site->key.addr;
	unsigned int len = ssol_len(site->plan);
	unsigned int here = min_t(unsigned int, len, PAGE_SIZE - offset_in_page(addr));
	u8 text[UINSN_MAX_LEN];

	/* The next trap finds the site that has taken its place. */
	if (READ_ONCE(site->state) == SITE_REPLACED)
		return LATE_REMOVED;
	/* The page is being moved, or has been reclaimed: executing the text again faults it in. */
	if (copy_from_user_nofault(text, addr, here))
		return arch_text_hidden(current->mm) ? LATE_FOREIGN : LATE_REMOVED;
	/* Executing the breakpoint does not fault in the next page: if it is missing, ignore it. */
	if (here < len && copy_from_user_nofault(text + here, addr + here, len - here))
		len = here;
	/* If the breakpoint has been inserted again since the trap, let it trap again. */
	smp_rmb();
	if (text[0] != ARCH_BREAKPOINT || READ_ONCE(site->state) == SITE_ARMED)
		return LATE_REMOVED;
	if (READ_ONCE(site->state) == SITE_LOST &&
	    text_same(text + 1, site->plan->text + 1, len - 1))
		return LATE_COPIED;
	return LATE_FOREIGN;
}
