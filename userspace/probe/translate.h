/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translate the arguments of a probe for the tracer.
 */
#ifndef _USERSPACE_TRANSLATE_H
#define _USERSPACE_TRANSLATE_H

#include "arguments.h"

struct error *arguments_at(struct target *target, const struct place *place,
			   const struct arguments *args, char **out,
			   struct enum_names *names);

#endif /* _USERSPACE_TRANSLATE_H */
