/* SPDX-License-Identifier: GPL-2.0 */
/* Guess what a word that is not understood was meant to be. */
#ifndef _USERSPACE_CMD_MEANT_H
#define _USERSPACE_CMD_MEANT_H

struct option;

const char *meant_command(const char *word);
char *meant_option(const char *word, const struct option *options);

#endif /* _USERSPACE_CMD_MEANT_H */
