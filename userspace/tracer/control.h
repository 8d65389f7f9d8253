/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracer's control directory.  Its files work like those of tracefs, so the
 * same calls drive the kernel's own tracer in another directory.
 *
 * Hence the kernel's tracer is no second implementation.  The only difference is whether a run
 * has a session of its own (struct trace).
 */
#ifndef _USERSPACE_CONTROL_H
#define _USERSPACE_CONTROL_H

#include <stdbool.h>

#include "types.h"

struct error;
struct options;

#define CONTROL_DIR "/sys/kernel/debug/uprobes"

/* The devices: session, aggregate and error_log of the control directory. */
#define CONTROL_DEVICES "/dev/uprobes"

/* Maximum number of characters in one write of several lines. */
#define CONTROL_CHUNK 32768

/**
 * enum drop - why a session does not record a hit
 * @DROP_PID: the hit is not in the wanted process
 * @DROP_TID: the hit is not in the wanted thread
 * @DROP_UID: the hit is not in a task of the wanted user
 * @DROP_COMM: the hit is not in a task of the wanted name
 * @DROP_EXCEPT: the hit is in a process that is left out
 * @DROP_OFF: tracing has not begun, or is over
 * @DROP_FILTER: the filter is false for the hit
 * @DROPS: number of reasons
 */
enum drop {
	DROP_PID,
	DROP_TID,
	DROP_UID,
	DROP_COMM,
	DROP_EXCEPT,
	DROP_OFF,
	DROP_FILTER,
	DROPS,
};

/**
 * struct counts - the tracer's counts for probes
 * @hits: number of hits
 * @missed: number of hits that should have been recorded and could not be
 * @dropped: numbers of hits that were not recorded, by reason; only in a session
 */
struct counts {
	u64 hits;
	u64 missed;
	u64 dropped[DROPS];
};

bool lockdown_is(const char *mode);
const char *control_dir(const struct options *options);
struct error *control_check(const char *dir);
struct error *control_define(const char *dir, const char *line);
struct error *control_remove(const char *dir, const char *group,
			     const char *event);
struct error *control_write(const char *dir, const char *file,
			    const char *text);
struct error *control_read(const char *dir, const char *file, char **text);
bool control_has(const char *dir, const char *file);
char *control_event_file(const char *group, const char *event,
			 const char *file);
struct error *control_enable(const char *dir, const char *group,
			     const char *event, bool on);
struct error *control_pipe(const char *dir, int *fd);
struct error *control_aggregate(const char *dir, int *fd);
struct error *control_session(const char *dir, int *fd);
struct error *control_session_define(const char *dir, int fd, char *const *lines, size_t n);
struct error *control_session_write(int fd, const char *file, const char *value);
struct error *control_filter(const char *dir, int session, const char *group,
			     const char *event, const char *text);
struct counts control_session_counts(int fd);
bool control_session_units(int fd);
bool control_session_clock(int fd, long long *ahead);
u64 counts_asked_for(const struct counts *counts);

#endif /* _USERSPACE_CONTROL_H */
