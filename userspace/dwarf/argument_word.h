/* SPDX-License-Identifier: GPL-2.0 */
/* One argument as a user writes it: [NAME=]FETCH[:TYPE]. */
#ifndef _USERSPACE_ARGUMENT_WORD_H
#define _USERSPACE_ARGUMENT_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* All parameters of a function, and all of its variables. */
#define PARAMETERS "$params"
#define VARIABLES "$vars"

/**
 * struct word - a parsed argument
 * @name: its name, @name_len characters; NULL without one
 * @name_len: see @name
 * @fetch: the part FETCH
 * @fetch_len: length of @fetch
 * @type: its type, up to the end of the word; NULL without one
 * @length: for a type string(LENGTH), LENGTH as it was written; otherwise NULL
 * @length_len: number of characters of @length
 * @len: length of the whole word
 */
struct word {
	const char *name;
	size_t name_len;
	const char *fetch;
	size_t fetch_len;
	const char *type;
	const char *length;
	size_t length_len;
	size_t len;
};

size_t argument_len(const char *text);
bool argument_next(const char **rest, struct word *word);
bool argument_fetches(const struct word *word, const char *text);
bool argument_is(const struct word *word, const char *text);
bool argument_is_named(const struct word *word);
bool argument_is_result(const struct word *word);
bool argument_is_plain_result(const struct word *word);

#endif /* _USERSPACE_ARGUMENT_WORD_H */
