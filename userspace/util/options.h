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
 * @all: --all
 * @returns: --return
 * @verbose: -v
 * @force: FORCE_* of --force and -F
 * @pid: -p
 * @tid: -L
 * @follow: -f
 * @uid: --uid, -1 if not given
 * @color: --color
 * @time: --time
 * @comm: --comm
 * @no_follow: --no-follow
 * @self: --self
 * @seconds: -d
 * @max_events: -M
 * @command: -c
 * @interval: -i, seconds
 * @top: --top
 * @buffer_kb: --buffer
 * @string_max: --str, characters
 * @max_probes: --max-probes
 * @depth: --depth
 * @min: --min, seconds
 * @folded: --folded
 * @summary: --summary
 * @apart: --apart
 * @heat: --heat
 * @header: -H
 * @long_lines: --long
 * @stacks: -s
 * @json: --json
 * @output: -o
 * @control: --control
 * @debug_dir: --debug-dir
 */
struct options {
	bool all;
	enum return_mode returns;
	bool verbose;
	unsigned int force;
	pid_t pid;
	pid_t tid;
	bool follow;
	long long uid;
	enum color_mode color;
	enum time_mode time;
	const char *comm;
	bool no_follow;
	bool self;
	double seconds;
	u64 max_events;
	const char *command;
	double interval;
	u64 top;
	u64 buffer_kb;
	u64 string_max;
	u64 max_probes;
	u64 depth;
	double min;
	bool folded;
	bool summary;
	bool apart;
	bool heat;
	bool header;
	bool long_lines;
	bool stacks;
	bool json;
	const char *output;
	const char *control;
	const char *debug_dir;
};

#endif /* _USERSPACE_UTIL_OPTIONS_H */
