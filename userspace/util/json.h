/* SPDX-License-Identifier: GPL-2.0 */
/* Write JSON; the text may be anybody's. */
#ifndef _USERSPACE_JSON_H
#define _USERSPACE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compiler.h"
#include "types.h"

/**
 * struct json - what is being written
 * @out: the output file
 * @more: the innermost object or array has a member already
 */
struct json {
	FILE *out;
	bool more;
};

/*
 * Each of these functions writes a member of the innermost object or array.  @key is its name, NULL
 * in an array and for the outermost object.
 */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_end(struct json *json);
void json_key(struct json *json, const char *key, size_t len);
void json_text(struct json *json, const char *key, const char *text);
void json_path(struct json *json, const char *key, const char *path);
void json_number(struct json *json, const char *key, u64 number);
void json_hex(struct json *json, const char *key, u64 number);
void json_bool(struct json *json, const char *key, bool value);
__printf(3, 4) void json_raw(struct json *json, const char *key, const char *fmt, ...);

void json_string(FILE *out, const char *s, size_t len);

#endif /* _USERSPACE_JSON_H */
