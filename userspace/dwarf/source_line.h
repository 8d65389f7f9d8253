/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of source code and their instructions. */
#ifndef _USERSPACE_SOURCE_LINE_H
#define _USERSPACE_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "debug_info.h"
#include "types.h"

struct error;

/**
 * struct line_site - an instruction at which a line starts
 * @addr: its address, in terms of the program headers
 * @file: path of the source file, as the compiler saw it
 * @line: number of the line
 */
struct line_site {
	u64 addr;
	const char *file;
	unsigned int line;
};

/**
 * struct line_sites - instructions at which lines start
 * @v: the instructions
 * @n: number of @v
 * @cap: capacity of @v
 */
struct line_sites {
	struct line_site *v;
	size_t n;
	size_t cap;
};

bool source_line_parse(const char *text, char **file, unsigned int *line);
struct error *source_line_find(const struct debug_info *info, const char *file,
			       unsigned int line, struct line_sites *sites);
void source_lines_of_file(const struct debug_info *info, const char *file,
			  struct line_sites *sites);
void source_lines_between(const struct debug_info *info, u64 start, u64 end,
			  struct line_sites *sites);
bool source_line_at(const struct debug_info *info, u64 addr,
		    struct line_site *site);
void line_sites_free(struct line_sites *sites);

#endif /* _USERSPACE_SOURCE_LINE_H */
