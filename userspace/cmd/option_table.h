/* SPDX-License-Identifier: GPL-2.0 */
/* The options of the helper: what each is called, what it takes, and where it has an effect. */
#ifndef _USERSPACE_CMD_OPTION_TABLE_H
#define _USERSPACE_CMD_OPTION_TABLE_H

#include <stddef.h>

/**
 * struct option_row - an option
 * @spelling: "-p, --pid PID": how it is written. The value says what the option takes, see
 *	parse_value(), and what the shells complete; with a = before it, completion adds that
 * @member: the offset of its member of struct options; 0 if the row is only the text on an option
 *	of another row, for some commands
 * @commands: the commands in which it has an effect. If there are none, other rows have them, and
 *	the text is for the help on all commands
 * @what: what it does, for help; completion shows what is before the first ; or ( or the end of
 *	the line
 * @words: the words that it takes, separated by blanks; or, without a value, the checks it skips
 * @first: the value of the first of these words
 * @instead: what to do instead where it has no effect, or NULL
 * @meant: words by which other programs call such an option, with a blank on both sides, or NULL
 */
struct option_row {
	const char *spelling;
	size_t member;
	unsigned int commands;
	const char *what;
	const char *words;
	unsigned int first;
	const char *instead;
	const char *meant;
};

/* A row has a bit in options::given. */
#define OPTION_ROWS_MAX 64

extern const struct option_row option_rows[];
extern const size_t nr_option_rows;

int option_name(const struct option_row *row);
char option_letter(const struct option_row *row);
const char *option_word(const struct option_row *row, int *len);
const char *option_value(const struct option_row *row);

#endif /* _USERSPACE_CMD_OPTION_TABLE_H */
