/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_ELF_H
#define _SHIM_LINUX_ELF_H

#include <elf.h>

#endif /* _SHIM_LINUX_ELF_H */
