/* SPDX-License-Identifier: GPL-2.0 */
/* What the helper says about itself. */
#ifndef _USERSPACE_CMD_HELP_H
#define _USERSPACE_CMD_HELP_H

#include <stdbool.h>
#include <stdio.h>

void help_short(FILE *out);
void help_whole(FILE *out);
bool help_command(FILE *out, const char *command);
unsigned int help_distance(const char *a, const char *b);
const char *help_nearest(const char *word);

#endif /* _USERSPACE_CMD_HELP_H */
