/* SPDX-License-Identifier: GPL-2.0 */
/* IFUNCs: symbols whose address is that of a function choosing a function. */
#ifndef _USERSPACE_IFUNC_H
#define _USERSPACE_IFUNC_H

#include "symbols.h"

struct error;

struct error *ifunc_refuse(struct symbols *syms, const struct symbol *ifunc);

#endif /* _USERSPACE_IFUNC_H */
