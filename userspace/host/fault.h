/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fault of this process, on purpose.
 */
#ifndef _USERSPACE_FAULT_H
#define _USERSPACE_FAULT_H

void fault_show(void);

#endif /* _USERSPACE_FAULT_H */
