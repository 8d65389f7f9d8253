/* SPDX-License-Identifier: GPL-2.0 */
/* The destination of results: standard output, or the file of -o. */
#ifndef _USERSPACE_OUTPUT_H
#define _USERSPACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct error;
struct options;

struct error *output_open(const char *path, FILE **out);
struct error *output_close(const char *path, FILE *out, struct error *err);
bool output_colored(FILE *out, const struct options *options);
bool output_unread(FILE *out);

#endif /* _USERSPACE_OUTPUT_H */
