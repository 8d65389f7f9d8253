/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a probe is not in the text of a process.
 */
#ifndef _UPROBES_REFUSAL_H
#define _UPROBES_REFUSAL_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

struct consumer;
struct uprobe;

__printf(2, 3) void consumer_refused(struct consumer *c, const char *fmt, ...);
void consumer_forget_refusal(struct consumer *c);
unsigned int probe_refusals(const struct uprobe *u, char *why, size_t size);

#endif /* _UPROBES_REFUSAL_H */
