/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_DCACHE_H
#define _SHIM_LINUX_DCACHE_H

/* Part of a structure of the module. No code that is built here uses it. */
struct name_snapshot {
	const char *unused;
};

#endif /* _SHIM_LINUX_DCACHE_H */
