/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of the helper. */
#ifndef _USERSPACE_CMD_COMMAND_H
#define _USERSPACE_CMD_COMMAND_H

#include "util/options.h"

/* A command gets the arguments after its name, and returns the exit code. */
int cmd_clean(const struct options *options, int argc, char **argv);
int cmd_count(const struct options *options, int argc, char **argv);
int cmd_doctor(const struct options *options, int argc, char **argv);
int cmd_flow(const struct options *options, int argc, char **argv);
int cmd_lat(const struct options *options, int argc, char **argv);
int cmd_lines(const struct options *options, int argc, char **argv);
int cmd_list(const struct options *options, int argc, char **argv);
int cmd_offset(const struct options *options, int argc, char **argv);
int cmd_resolve(const struct options *options, int argc, char **argv);
int cmd_sdt(const struct options *options, int argc, char **argv);
int cmd_stacks(const struct options *options, int argc, char **argv);
int cmd_status(const struct options *options, int argc, char **argv);
int cmd_vars(const struct options *options, int argc, char **argv);

/* Tracing has no command name: the first probe is the first argument. */
int cmd_trace(const struct options *options, int argc, char **argv);

#endif /* _USERSPACE_CMD_COMMAND_H */
