// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading the tracer, a client of uprobes.ko.
 */
#include <linux/module.h>

#include "trace/control/directory.h"

/* In test builds, Kbuild includes tests/kmod/inject.h here. */
#ifndef _UPROBES_INJECT_H
static void inject_init(void)
{
}

static void inject_exit(void)
{
}
#endif

static int __init tracer_load(void)
{
	int ret;

	inject_init();
	ret = tracer_init();
	if (ret)
		inject_exit();
	return ret;
}

/*
 * When tracer_exit() returns, no handler is running: to unregister a probe waits for its handlers.
 * The functions that take away a hook, a listener, a file or a wake-up wait for its users, too.
 */
static void __exit tracer_unload(void)
{
	tracer_exit();
	inject_exit();
}

module_init(tracer_load);
module_exit(tracer_unload);

MODULE_DESCRIPTION("Control directory and devices of uprobes.ko");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_VERSION(UPROBES_VERSION);
MODULE_LICENSE("GPL");
