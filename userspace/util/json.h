/* SPDX-License-Identifier: GPL-2.0 */
/* Write untrusted text as JSON strings. */
#ifndef _USERSPACE_JSON_H
#define _USERSPACE_JSON_H

#include <stddef.h>
#include <stdio.h>

void json_string(FILE *out, const char *s, size_t len);

#endif /* _USERSPACE_JSON_H */
