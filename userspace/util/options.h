/* SPDX-License-Identifier: GPL-2.0 */
/* The options of the command line. */
#ifndef _USERSPACE_UTIL_OPTIONS_H
#define _USERSPACE_UTIL_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "types.h"

/**
 * enum return_mode - how returns are probed
 * @RETURN_DEFAULT: by trampoline; if a runtime does not tolerate replaced return
 *	addresses, at the return instructions
 * @RETURN_TRAMPOLINE: the return address is replaced
 * @RETURN_SITES: a probe on each return instruction
 * @RETURN_AUTO: at the return instructions if these probes miss no return; otherwise
 *	by trampoline
 */
enum return_mode {
	RETURN_DEFAULT,
	RETURN_TRAMPOLINE,
	RETURN_SITES,
	RETURN_AUTO,
};

/**
 * enum color_mode - whether to write colours
 * @COLOR_AUTO: on a terminal, unless NO_COLOR is set in the environment
 * @COLOR_ALWAYS: always
 * @COLOR_NEVER: never
 */
enum color_mode {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/**
 * enum time_mode - how to write the time of an event
 * @TIME_KERNEL: as the tracer does, in seconds of the kernel's clock
 * @TIME_RELATIVE: in seconds since the first event
 * @TIME_CLOCK: as the time of the day
 */
enum time_mode {
	TIME_KERNEL,
	TIME_RELATIVE,
	TIME_CLOCK,
};

/**
 * struct options - options of all commands; zero or NULL means not given
 * @given: a bit for each row of cmd/option_table.c, which says what sets the other members
 * @uid: -1 if not given
 * @force: FORCE_* of --force and -F
 */
struct options {
	u64 given;
	pid_t pid;
	pid_t tid;
	long long uid;
	const char *comm;
	bool follow;
	bool no_follow;
	bool self;
	const char *command;
	double seconds;
	double interval;
	u64 max_events;
	u64 max_probes;
	u64 buffer_kb;
	u64 string_max;
	u64 top;
	u64 depth;
	double min;
	bool heat;
	const char *by;
	bool summary;
	bool apart;
	bool folded;
	bool header;
	bool long_lines;
	bool stacks;
	bool verbose;
	bool json;
	enum color_mode color;
	enum time_mode time;
	const char *output;
	enum return_mode returns;
	bool all;
	unsigned int force;
	const char *list;
	const char *control;
	const char *debug_dir;
	bool help;
	bool version;
};

#endif /* _USERSPACE_UTIL_OPTIONS_H */
