/* SPDX-License-Identifier: GPL-2.0 */
/* Find a filter among the arguments of a probe. */
#ifndef _USERSPACE_FILTER_WORD_H
#define _USERSPACE_FILTER_WORD_H

struct error;

struct error *filter_word_refuse(const char *text, const char *args);

#endif /* _USERSPACE_FILTER_WORD_H */
