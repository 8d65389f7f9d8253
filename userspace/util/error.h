/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors of the helper: an exit code and a text that names cause and remedy.
 *
 * A function that can fail returns a struct error pointer, NULL for success.
 * The last caller in the chain prints the error with error_report() or drops
 * it with error_free(). All other output to stderr goes through remark().
 */
#ifndef _USERSPACE_ERROR_H
#define _USERSPACE_ERROR_H

#include "compiler.h"

/**
 * enum status - exit codes of the helper
 * @STATUS_OK: done
 * @STATUS_RUNTIME: something outside the command line went wrong
 * @STATUS_USAGE: the command line is invalid
 * @STATUS_NOT_FOUND: no object has the given name, or several objects have it
 * @STATUS_REFUSED: the place exists, but probing it would be unsafe
 * @STATUS_DENIED: no permission, or the kernel module is not loaded
 */
enum status {
	STATUS_OK = 0,
	STATUS_RUNTIME = 1,
	STATUS_USAGE = 2,
	STATUS_NOT_FOUND = 3,
	STATUS_REFUSED = 4,
	STATUS_DENIED = 5,
};

/**
 * struct error - why something failed
 * @status: exit code of the helper if no caller handles the error
 * @text: one sentence with cause and remedy; each further line is a list
 *	entry, indented by two blanks
 */
struct error {
	enum status status;
	char *text;
};

__printf(2, 3)
struct error *error_new(enum status status, const char *fmt, ...);
__printf(2, 3)
struct error *error_append(struct error *err, const char *fmt, ...);
void error_free(struct error *err);
int error_report(struct error *err);
__printf(1, 2) void remark(const char *fmt, ...);

#endif /* _USERSPACE_ERROR_H */
