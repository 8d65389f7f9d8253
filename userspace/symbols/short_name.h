/* SPDX-License-Identifier: GPL-2.0 */
/* Names of functions that fit on a line. */
#ifndef _USERSPACE_SHORT_NAME_H
#define _USERSPACE_SHORT_NAME_H

char *short_name(const char *name);

#endif /* _USERSPACE_SHORT_NAME_H */
