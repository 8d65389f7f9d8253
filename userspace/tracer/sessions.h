/* SPDX-License-Identifier: GPL-2.0 */
/* Probes that are not in the control directory: those of running tools. */
#ifndef _USERSPACE_SESSIONS_H
#define _USERSPACE_SESSIONS_H

unsigned int sessions_print(const char *dir);

#endif /* _USERSPACE_SESSIONS_H */
