/* SPDX-License-Identifier: GPL-2.0 */
/* The vDSO: a library that the kernel maps into each process without a file. */
#ifndef _USERSPACE_VDSO_H
#define _USERSPACE_VDSO_H

#include <stdbool.h>
#include <sys/types.h>

#include "types.h"

struct error;

bool vdso_has(const char *name);
struct error *vdso_find(pid_t pid, const char *name, u64 *addr);

#endif /* _USERSPACE_VDSO_H */
