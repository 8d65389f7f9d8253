/* SPDX-License-Identifier: GPL-2.0 */
/* Repeatable damage to files. */
#ifndef _TESTS_MUTATE_H
#define _TESTS_MUTATE_H

#include <stddef.h>

#include "types.h"

size_t mutate(u64 seed, unsigned char *bytes, size_t size);

#endif /* _TESTS_MUTATE_H */
