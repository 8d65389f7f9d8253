/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures in SVG. */
#ifndef _USERSPACE_SVG_H
#define _USERSPACE_SVG_H

#include <stdio.h>

void svg_begin(FILE *out, unsigned int width, unsigned int height);
void svg_text(FILE *out, const char *text);

#endif /* _USERSPACE_SVG_H */
