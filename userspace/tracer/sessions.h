/* SPDX-License-Identifier: GPL-2.0 */
/* List the probes of running tools, which are not in the control directory. */
#ifndef _USERSPACE_SESSIONS_H
#define _USERSPACE_SESSIONS_H

#include <stdbool.h>

unsigned int sessions_print(const char *dir, bool as_json);

#endif /* _USERSPACE_SESSIONS_H */
