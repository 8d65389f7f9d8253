/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _USERSPACE_CMD_OPTION_PARSE_H
#define _USERSPACE_CMD_OPTION_PARSE_H

struct error;
struct options;

struct error *options_parse(int argc, char **argv, struct options *options);

#endif /* _USERSPACE_CMD_OPTION_PARSE_H */
