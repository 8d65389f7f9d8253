/* SPDX-License-Identifier: GPL-2.0 */
/* Characters in UTF-8. */
#ifndef _USERSPACE_UTF8_H
#define _USERSPACE_UTF8_H

#include <stddef.h>

size_t utf8_len(const unsigned char *s, size_t len);

#endif /* _USERSPACE_UTF8_H */
