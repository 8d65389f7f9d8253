/* SPDX-License-Identifier: GPL-2.0 */
/* Tell the module which tasks a session or an aggregate is for. */
#ifndef _USERSPACE_TASKS_H
#define _USERSPACE_TASKS_H

#include <sys/types.h>

struct error;
struct options;
struct readers;

struct error *tasks_restrict(int fd, const struct options *options, pid_t child,
			     const struct readers *except);

#endif /* _USERSPACE_TASKS_H */
