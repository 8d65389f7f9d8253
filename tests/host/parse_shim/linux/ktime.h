/* SPDX-License-Identifier: GPL-2.0 */
/* A clock that the test sets. */
#ifndef _SHIM_LINUX_KTIME_H
#define _SHIM_LINUX_KTIME_H

#include <linux/types.h>

extern u64 shim_now;

static inline u64 ktime_get_ns(void)
{
	return shim_now;
}

#endif /* _SHIM_LINUX_KTIME_H */
