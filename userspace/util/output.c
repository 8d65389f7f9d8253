// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "options.h"

/**
 * output_open() - open the file that results are written to
 * @path: the file of -o; NULL for standard output
 * @out: set on success; to be closed with output_close()
 *
 * If results go to a file, only the command of -c uses standard output.
 */
struct error *output_open(const char *path, FILE **out)
{
	*out = path ? fopen(path, "we") : stdout;
	if (*out)
		return NULL;
	return error_new(STATUS_RUNTIME,
			 "%s cannot be written: %s; name another file with -o",
			 path, strerror(errno));
}

/**
 * output_close() - close the file of the results and report write errors
 * @path: as for output_open()
 * @out: the file; NULL if it was not opened
 * @err: an earlier error, or NULL
 *
 * Return: @err if it is set; otherwise an error if the file could not be written.
 */
struct error *output_close(const char *path, FILE *out, struct error *err)
{
	int failed;

	if (!path || !out)
		return err;
	failed = ferror(out);
	if ((fclose(out) || failed) && !err)
		err = error_new(STATUS_RUNTIME,
				"%s could not be written; is the disk full?",
				path);
	return err;
}

/**
 * output_colored() - check whether to write colours
 * @out: the output file
 * @options: of the command line
 */
bool output_colored(FILE *out, const struct options *options)
{
	const char *no = getenv("NO_COLOR");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return !(no && *no) && isatty(fileno(out));
}

/**
 * output_unread() - check whether the reader of the output has gone
 * @out: the file
 *
 * Only a pipe has a reader that can close its end.
 */
bool output_unread(FILE *out)
{
	struct pollfd fd = { .fd = fileno(out) };

	return poll(&fd, 1, 0) == 1 && fd.revents & POLLERR;
}
