/* SPDX-License-Identifier: GPL-2.0 */
/* The part of arch.h that user space can use, too. */
#ifndef _SHIM_ARCH_H
#define _SHIM_ARCH_H

#include <linux/kernel.h>

#include "retaddr.h"
#include "ssol.h"

#endif /* _SHIM_ARCH_H */
