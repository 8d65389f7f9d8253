/* SPDX-License-Identifier: GPL-2.0 */
/* The help texts of the helper. */
#ifndef _USERSPACE_CMD_HELP_H
#define _USERSPACE_CMD_HELP_H

#include <stdbool.h>
#include <stdio.h>

void help_short(FILE *out);
void help_whole(FILE *out);
bool help_command(FILE *out, const char *name);
void help_completion(FILE *out);

#endif /* _USERSPACE_CMD_HELP_H */
