// SPDX-License-Identifier: GPL-2.0
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

/**
 * error_new() - describe a failure
 * @status: exit code of the helper for this failure
 * @fmt: the sentence, without prefix and without a newline at its end
 *
 * Return: the error; the caller owns it.
 */
struct error *error_new(enum status status, const char *fmt, ...)
{
	struct error *err = xmalloc(sizeof(*err));
	va_list ap;

	va_start(ap, fmt);
	err->text = xvasprintf(fmt, ap);
	va_end(ap);
	err->status = status;
	return err;
}

/**
 * error_append() - append to the text of an error
 * @err: the error
 * @fmt: the text to append; starts with "\n  " for a list entry
 *
 * Return: @err.
 */
struct error *error_append(struct error *err, const char *fmt, ...)
{
	va_list ap;
	char *more, *text;

	va_start(ap, fmt);
	more = xvasprintf(fmt, ap);
	va_end(ap);
	text = xasprintf("%s%s", err->text, more);
	free(err->text);
	free(more);
	err->text = text;
	return err;
}

void error_free(struct error *err)
{
	if (!err)
		return;
	free(err->text);
	free(err);
}

/**
 * error_report() - print an error, if there is one, and free it
 * @err: the error, or NULL
 *
 * Return: the exit code, %STATUS_OK for NULL.
 */
int error_report(struct error *err)
{
	int status;

	if (!err)
		return STATUS_OK;
	fprintf(stderr, "uprobe: %s\n", err->text);
	status = err->status;
	error_free(err);
	return status;
}

/**
 * remark() - tell the user something that is not an error
 * @fmt: a sentence, without a newline at its end
 */
void remark(const char *fmt, ...)
{
	va_list ap;

	fputs("uprobe: note: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
