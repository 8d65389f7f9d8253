// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"
#include "util.h"

/**
 * json_string() - write a JSON string
 * @out: the output file
 * @s: the bytes of the string
 * @len: number of bytes
 *
 * Write control characters in the form \u001b. Write a byte that is not valid UTF-8 as
 * the character whose number is the value of the byte.
 */
void json_string(FILE *out, const char *s, size_t len)
{
	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = s[i];
		size_t n;

		if (c == '"' || c == '\\') {
			fprintf(out, "\\%c", c);
		} else if (c >= 0x20 && c < 0x7f) {
			putc(c, out);
		} else {
			n = utf8_len((const unsigned char *)s + i, len - i);
			/* U+0080 to U+009f are control characters, too. */
			if (n == 2 && c == 0xc2 && (unsigned char)s[i + 1] < 0xa0)
				fprintf(out, "\\u%04x", (unsigned char)s[i + 1]);
			else if (n)
				fwrite(s + i, 1, n, out);
			else
				fprintf(out, "\\u%04x", c);
			i += n ? n - 1 : 0;
		}
	}
	putc('"', out);
}

/**
 * json_key() - begin a member: its value has to follow
 * @json: where to
 * @key: the name
 * @len: its length
 */
void json_key(struct json *json, const char *key, size_t len)
{
	if (json->more)
		putc(',', json->out);
	json->more = true;
	if (!key)
		return;
	json_string(json->out, key, len);
	putc(':', json->out);
}

static void begin(struct json *json, const char *key)
{
	json_key(json, key, key ? strlen(key) : 0);
}

/** json_open() - begin an object or array; @bracket is '{' or '[' */
void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	putc(bracket, json->out);
	json->more = false;
}

/** json_close() - end the innermost object or array; @bracket is '}' or ']' */
void json_close(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->more = true;
}

/** json_end() - end an object that is a line */
void json_end(struct json *json)
{
	json_close(json, '}');
	putc('\n', json->out);
	json->more = false;
}

/** json_text() - write a string; nothing if @text is NULL */
void json_text(struct json *json, const char *key, const char *text)
{
	if (!text)
		return;
	begin(json, key);
	json_string(json->out, text, strlen(text));
}

/** json_path() - write a path that has octal escapes as what it stands for */
void json_path(struct json *json, const char *key, const char *path)
{
	_cleanup_free_ char *plain = xstrdup(path);

	path_unescape(plain);
	json_text(json, key, plain);
}

void json_number(struct json *json, const char *key, u64 number)
{
	json_raw(json, key, "%llu", (unsigned long long)number);
}

/** json_hex() - write a position or an address, as a string that commands take */
void json_hex(struct json *json, const char *key, u64 number)
{
	json_raw(json, key, "\"0x%llx\"", (unsigned long long)number);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_raw(json, key, "%s", value ? "true" : "false");
}

/** json_raw() - write a value that is JSON already */
void json_raw(struct json *json, const char *key, const char *fmt, ...)
{
	va_list ap;

	begin(json, key);
	va_start(ap, fmt);
	vfprintf(json->out, fmt, ap);
	va_end(ap);
}
