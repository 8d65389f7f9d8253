/* SPDX-License-Identifier: GPL-2.0 */
/* C++ and Rust names. */
#ifndef _USERSPACE_DEMANGLE_H
#define _USERSPACE_DEMANGLE_H

#include <stdbool.h>

/**
 * enum demangle_form - how much of a function's type to write
 * @DEMANGLE_FULL: all: void ns::f<int>(int)
 * @DEMANGLE_CALL: name and parameters: ns::f<int>(int)
 * @DEMANGLE_NAME: the name: ns::f<int>
 */
enum demangle_form {
	DEMANGLE_FULL,
	DEMANGLE_CALL,
	DEMANGLE_NAME,
};

bool is_mangled(const char *name);
char *demangle(const char *mangled, enum demangle_form form);
char *name_squeeze(const char *name);
char *name_base(const char *name);
const char *clone_suffix(const char *name);
const char *cold_suffix(const char *name);
const char *clone_kind(const char *suffix);

#endif /* _USERSPACE_DEMANGLE_H */
