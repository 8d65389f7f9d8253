/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _USERSPACE_CMD_OPTION_CONFLICTS_H
#define _USERSPACE_CMD_OPTION_CONFLICTS_H

struct command;
struct error;
struct options;

struct error *option_conflicts(const struct command *command, const struct options *options);

#endif /* _USERSPACE_CMD_OPTION_CONFLICTS_H */
