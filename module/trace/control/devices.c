// SPDX-License-Identifier: GPL-2.0
/*
 * Lockdown for integrity, as Secure Boot sets it, blocks writes to debugfs, since some of its files
 * change the kernel.  The files of the control directory do not.  Lockdown does not block devices.
 *
 * The files that need no directory are devices, too: a session or an aggregate is used through one
 * descriptor.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/miscdevice.h>
#include <linux/printk.h>

#include "devices.h"
#include "files.h"

#define DEVICE(title, path, ops)						\
	{ .device = { .minor = MISC_DYNAMIC_MINOR, .name = title, .nodename = path,	\
		      .mode = 0600, .fops = ops } }

static struct {
	struct miscdevice device;
	bool created;
} devices[] = {
	DEVICE("uprobes-session", "uprobes/session", &tracer_session_fops),
	DEVICE("uprobes-aggregate", "uprobes/aggregate", &tracer_aggregate_fops),
	DEVICE("uprobes-error_log", "uprobes/error_log", &tracer_error_log_fops),
};

/**
 * tracer_devices_create() - create the devices
 *
 * Context: module init.  They cannot be opened before tracer_ready is set.
 * Return: 0 or -errno.
 */
int tracer_devices_create(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(devices); i++) {
		ret = misc_register(&devices[i].device);
		devices[i].created = !ret;
		if (ret)
			pr_err("there can be no /dev/%s (error %d)\n",
			       devices[i].device.nodename, -ret);
	}
	if (ret)
		tracer_devices_remove();
	return ret;
}

/**
 * tracer_devices_remove() - remove the devices that were created
 *
 * Context: module exit, or module init when it fails.
 */
void tracer_devices_remove(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		if (devices[i].created)
			misc_deregister(&devices[i].device);
		devices[i].created = false;
	}
}
