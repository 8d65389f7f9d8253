/* SPDX-License-Identifier: GPL-2.0 */
/* Guess what a word that is not understood was meant to be. */
#ifndef _USERSPACE_CMD_MEANT_H
#define _USERSPACE_CMD_MEANT_H

struct error;

struct error *unknown_word(const char *word);
char *meant_option(const char *word);

#endif /* _USERSPACE_CMD_MEANT_H */
