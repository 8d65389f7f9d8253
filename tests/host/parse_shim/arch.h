/* SPDX-License-Identifier: GPL-2.0 */
/* Of what the module knows of the processor: that which is the same in user space. */
#ifndef _SHIM_ARCH_H
#define _SHIM_ARCH_H

#include <linux/kernel.h>

#include "retaddr.h"
#include "ssol.h"

#endif /* _SHIM_ARCH_H */
