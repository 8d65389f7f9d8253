// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of a line of uprobe_events:
 *
 *	p|r[:[GRP/][EVENT]] PATH:OFFSET[%return][(REF_CTR)] [ARG...]
 *	-:[GRP/][EVENT] [PATH:OFFSET]
 *	!p|!r:[GRP/][EVENT] [PATH:OFFSET]		the same
 *
 * expect=HEX, stack=entry and stack=any among the ARGs are no arguments.  HEX are the bytes of
 * the probed instruction, two digits for each byte.  If the file has other bytes, the probe is
 * refused.
 *
 * PATH is the path of a program or library, or of the mem file of a process in
 * procfs.  For the mem file, OFFSET is an address in that process.
 *
 * A '#' starts a comment.  White space separates words.  An immediate string,
 * \"like this", may hold both.  PATH may hold both as octal escapes (\040, \043),
 * like /proc/self/maps writes such names.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "argument.h"
#include "parse.h"
#include "def.h"
#include "trace/lib/decimal.h"
#include "trace/lib/name.h"
#include "trace/lib/space.h"

static const char * const err_texts[] = {
	"No error",
#define MESSAGE(name, text) text,
#include "errors.h"
#undef MESSAGE
};

const char *tracer_err_text(enum tracer_err err)
{
	return err_texts[err < TRACER_ERR_NR ? err : TRACER_ERR_NONE];
}

static int fail(struct tracer_diag *diag, const struct tracer_def *def,
		const char *where, enum tracer_err err)
{
	diag->err = err;
	diag->column = where - def->text;
	return -EINVAL;
}

/* Like in tracefs, a group name may hold dashes, too. */
static bool group_is_good(const char *name)
{
	if (!tracer_starts_name(*name))
		return false;
	while (*++name) {
		if (!tracer_continues_name(*name) && *name != '-')
			return false;
	}
	return true;
}

/*
 * Cut the next word out of the text at *@rest, in place.  White space and '#' inside
 * the quotes of an immediate string are part of the word.  Return: the word, or NULL at
 * the end of the line or at a comment.
 */
static char *next_word(char **rest)
{
	char *p = *rest, *word;
	bool quoted = false;

	p = tracer_skip_space(p);
	if (!*p || *p == '#') {
		*rest = p;
		return NULL;
	}

	for (word = p; *p; p++) {
		if (quoted) {
			quoted = *p != '"';
		} else if (p[0] == '\\' && p[1] == '"') {
			quoted = true;
			p++;
		} else if (tracer_is_space(*p)) {
			*p++ = '\0';
			break;
		} else if (*p == '#') {
			/* The comment ends the word and the line. */
			*p = '\0';
			break;
		}
	}
	*rest = p;
	return word;
}

/**
 * tracer_path_unescape() - replace the octal escapes of a PATH
 * @path: PATH as it was written
 * @out: where to put the file name
 * @size: room at @out
 *
 * Return: length of the name; @size or more if the name did not fit.
 */
size_t tracer_path_unescape(const char *path, char *out, size_t size)
{
	size_t len = 0;
	char c;

	while (*path) {
		if (path[0] == '\\' && path[1] >= '0' && path[1] <= '3' &&
		    path[2] >= '0' && path[2] <= '7' &&
		    path[3] >= '0' && path[3] <= '7') {
			c = (path[1] - '0') << 6 | (path[2] - '0') << 3 |
			    (path[3] - '0');
			path += 4;
		} else {
			c = *path++;
		}
		if (len < size)
			out[len] = c;
		len++;
	}
	if (len < size)
		out[len] = '\0';
	return len;
}

/* Name an event whose definition gives no name. */
static void default_event_name(struct tracer_def *def)
{
	const char *base = strrchr(def->path, '/');
	char stem[TRACER_NAME_MAX - 20];
	size_t i;

	base = base ? base + 1 : def->path;
	/* The stem leaves room for "p_", "_0x" and 16 digits. */
	for (i = 0; i < sizeof(stem) - 1; i++) {
		if (!base[i] || strchr(".-_", base[i]))
			break;
		stem[i] = isascii(base[i]) && isalnum(base[i]) ? base[i] : '_';
	}
	stem[i] = '\0';
	snprintf(def->event, sizeof(def->event), "p_%s_0x%llx", stem,
		 (unsigned long long)def->offset);
}

/* Parse "[GRP/][EVENT]".  If there is only a group, def->event stays empty. */
static int parse_name(struct tracer_def *def, char *name,
		      struct tracer_diag *diag)
{
	char *slash = strchr(name, '/');

	if (!slash)
		slash = strchr(name, '.');
	if (slash) {
		if (slash == name)
			return fail(diag, def, name, TRACER_ERR_NO_GROUP_NAME);
		if (slash - name > TRACER_NAME_MAX)
			return fail(diag, def, name, TRACER_ERR_GROUP_TOO_LONG);
		memcpy(def->group, name, slash - name);
		def->group[slash - name] = '\0';
		if (!group_is_good(def->group))
			return fail(diag, def, name, TRACER_ERR_BAD_GROUP_NAME);
		name = slash + 1;
		if (!*name)
			return 0;
	}
	if (!*name)
		return fail(diag, def, name, TRACER_ERR_NO_EVENT_NAME);
	if (strlen(name) > TRACER_NAME_MAX)
		return fail(diag, def, name, TRACER_ERR_EVENT_TOO_LONG);
	if (!tracer_name_is_good(name))
		return fail(diag, def, name, TRACER_ERR_BAD_EVENT_NAME);
	strcpy(def->event, name);
	return 0;
}

/* Parse "PATH:OFFSET[%return][(REF_CTR)]". */
static int parse_place(struct tracer_def *def, char *word,
		       struct tracer_diag *diag)
{
	char *colon = strrchr(word, ':'), *offset, *open, *close, *suffix;
	unsigned long long value;

	/* A word without a '/' may be an argument whose line lacks the path. */
	if (!strchr(word, '/') || colon == word)
		return fail(diag, def, word, TRACER_ERR_NO_PATH);
	if (!colon || !colon[1])
		return fail(diag, def, word + strlen(word), TRACER_ERR_NO_OFFSET);

	*colon = '\0';
	offset = colon + 1;
	def->path = word;
	def->path_column = word - def->text;
	def->offset_column = offset - def->text;

	open = strchr(offset, '(');
	if (open) {
		close = strchr(open, ')');
		if (!close)
			return fail(diag, def, open + strlen(open),
				    TRACER_ERR_REFCNT_OPEN_BRACE);
		if (close[1])
			return fail(diag, def, close + 1,
				    TRACER_ERR_BAD_REFCNT_SUFFIX);
		*open++ = '\0';
		*close = '\0';
		def->ref_ctr_column = open - def->text;
		if (kstrtoull(open, 0, &value))
			return fail(diag, def, open, TRACER_ERR_BAD_REFCNT);
		def->ref_ctr = value;
	}

	suffix = strchr(offset, '%');
	if (suffix) {
		if (strcmp(suffix, "%return"))
			return fail(diag, def, suffix,
				    TRACER_ERR_BAD_ADDR_SUFFIX);
		*suffix = '\0';
		if (def->kind == TRACER_PROBE)
			def->kind = TRACER_RETURN;
	}

	if (kstrtoull(offset, 0, &value))
		return fail(diag, def, offset, TRACER_ERR_BAD_UPROBE_OFFS);
	def->offset = value;
	return 0;
}

static int parse_removal(struct tracer_def *def, char *rest,
			 struct tracer_diag *diag)
{
	char *word = next_word(&rest);

	if (!word)
		return 0;
	def->has_path = true;
	return parse_place(def, word, diag);
}

/* Parse "expect=HEX".  It is never an argument: no FETCH starts with a digit or letter. */
static bool parse_expect(struct tracer_def *def, const char *word)
{
	size_t i, len;

	if (strncmp(word, "expect=", 7))
		return false;
	word += 7;
	len = strlen(word);
	if (!len || len % 2 || len / 2 > TRACER_EXPECT_MAX)
		return false;
	for (i = 0; i < len; i++) {
		char c = tolower(word[i]);
		u8 digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (!isxdigit(c))
			return false;
		def->expect[i / 2] = def->expect[i / 2] << 4 | digit;
	}
	def->expect_len = len / 2;
	return true;
}

/* Parse "stack=entry" and "stack=any", which are no arguments, either. */
static bool parse_stack(struct tracer_def *def, const char *word)
{
	if (!strcmp(word, "stack=entry"))
		def->stack = TRACER_AT_ENTRY;
	else if (!strcmp(word, "stack=any"))
		def->stack = TRACER_AT_PROBE;
	else
		return false;
	return true;
}

static int parse_probe(struct tracer_def *def, char *rest,
		       struct tracer_diag *diag)
{
	char *word = next_word(&rest);
	int ret;

	if (!word)
		return fail(diag, def, rest, TRACER_ERR_NO_PATH);
	ret = parse_place(def, word, diag);
	if (ret)
		return ret;

	if (!def->group[0])
		strcpy(def->group, TRACER_DEFAULT_GROUP);
	if (!def->event[0])
		default_event_name(def);

	while ((word = next_word(&rest))) {
		if (parse_expect(def, word) || parse_stack(def, word))
			continue;
		if (def->nargs == TRACER_MAX_ARGS)
			return fail(diag, def, word, TRACER_ERR_TOO_MANY_ARGS);
		ret = tracer_arg_parse(def, word, diag);
		if (ret)
			return ret;
	}
	return 0;
}

static int parse_line(struct tracer_def *def, struct tracer_diag *diag)
{
	char *rest = def->text, *word = next_word(&rest);
	int ret;

	if (!word)
		return 0;

	switch (word[0]) {
	case '!':
		/* A '!' before a definition removes the event. */
		word++;
		if (word[0] != 'p' && word[0] != 'r')
			return fail(diag, def, word, TRACER_ERR_BAD_COMMAND);
		def->kind = TRACER_REMOVE;
		break;
	case 'p':
		def->kind = TRACER_PROBE;
		break;
	case 'r':
		def->kind = TRACER_RETURN;
		break;
	case '-':
		def->kind = TRACER_REMOVE;
		break;
	default:
		return fail(diag, def, word, TRACER_ERR_BAD_COMMAND);
	}

	if (word[1] == ':') {
		ret = parse_name(def, word + 2, diag);
		if (ret)
			return ret;
	} else if (word[1]) {
		return fail(diag, def, word + 1, TRACER_ERR_BAD_COMMAND);
	} else if (def->kind == TRACER_REMOVE) {
		return fail(diag, def, word + 1, TRACER_ERR_NO_EVENT_NAME);
	}

	if (def->kind == TRACER_REMOVE)
		return parse_removal(def, rest, diag);
	return parse_probe(def, rest, diag);
}

/*
 * Return an upper bound of the number of arguments of a line, for the allocation: its
 * words.  parse_probe() refuses more than TRACER_MAX_ARGS arguments.
 */
static unsigned int count_args(const char *line, size_t len)
{
	unsigned int words = 0;
	bool in_word = false;
	size_t i;

	for (i = 0; i < len; i++) {
		if (tracer_is_space(line[i])) {
			in_word = false;
		} else if (!in_word) {
			in_word = true;
			words++;
		}
	}
	if (words < 2)
		return 0;
	return min(words - 2, (unsigned int)TRACER_MAX_ARGS);
}

/**
 * tracer_def_parse() - parse one line
 * @line: the text, without its newline; need not be NUL-terminated
 * @len: its length
 * @diag: filled in if this function fails
 *
 * Context: may sleep.
 * Return: the parsed line, to be freed with tracer_def_free(), or an ERR_PTR:
 * -EINVAL with @diag filled in, or -ENOMEM.
 */
struct tracer_def *tracer_def_parse(const char *line, size_t len,
				    struct tracer_diag *diag)
{
	struct tracer_def *def;
	const char *nul;
	int ret;

	diag->err = TRACER_ERR_NONE;
	diag->column = 0;

	if (len > TRACER_LINE_MAX) {
		diag->err = TRACER_ERR_LINE_TOO_LONG;
		return ERR_PTR(-EINVAL);
	}
	nul = memchr(line, '\0', len);
	if (nul) {
		diag->err = TRACER_ERR_BAD_CHAR;
		diag->column = nul - line;
		return ERR_PTR(-EINVAL);
	}

	def = kvzalloc(sizeof(*def) + count_args(line, len) * sizeof(def->args[0]),
		       GFP_KERNEL);
	if (!def)
		goto no_memory;
	def->text = kmalloc(len + 1, GFP_KERNEL);
	if (!def->text)
		goto no_memory;
	memcpy(def->text, line, len);
	def->text[len] = '\0';
	def->length = len;

	ret = parse_line(def, diag);
	if (ret) {
		tracer_def_free(def);
		return ERR_PTR(ret);
	}
	return def;

no_memory:
	tracer_def_free(def);
	diag->err = TRACER_ERR_NO_MEMORY;
	return ERR_PTR(-ENOMEM);
}

/**
 * tracer_def_free() - free a parsed line
 * @def: the line, or NULL
 */
void tracer_def_free(struct tracer_def *def)
{
	unsigned int i;

	if (!def)
		return;
	for (i = 0; i < def->nargs; i++)
		tracer_arg_free(&def->args[i]);
	kfree(def->text);
	kvfree(def);
}
