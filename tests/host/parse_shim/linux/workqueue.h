/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_WORKQUEUE_H
#define _SHIM_LINUX_WORKQUEUE_H

/* Part of a structure of the API. No code that is built here uses it. */
struct work_struct {
	void *unused;
};

#endif /* _SHIM_LINUX_WORKQUEUE_H */
