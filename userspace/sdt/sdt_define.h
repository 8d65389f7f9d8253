/* SPDX-License-Identifier: GPL-2.0 */
/* Make definitions for statically defined probes. */
#ifndef _USERSPACE_SDT_DEFINE_H
#define _USERSPACE_SDT_DEFINE_H

#include "host/library.h"
#include "symbols/symbols.h"

struct error;
struct probe_sites;
struct probe_spec;

struct error *sdt_define(const struct probe_spec *spec,
			 const struct symbols *syms, struct probe_sites *sites);

#endif /* _USERSPACE_SDT_DEFINE_H */
