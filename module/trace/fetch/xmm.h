/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_XMM_H
#define _TRACER_XMM_H

#include <linux/types.h>

u64 tracer_xmm_read(unsigned int n);

#endif /* _TRACER_XMM_H */
