/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The devices /dev/uprobes/session, aggregate and error_log: the same files as in the control
 * directory, where debugfs cannot be used.
 */
#ifndef _TRACER_DEVICES_H
#define _TRACER_DEVICES_H

int tracer_devices_create(void);
void tracer_devices_remove(void);

#endif /* _TRACER_DEVICES_H */
