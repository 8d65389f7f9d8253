/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What retprobe.c does with return instances.
 */
#ifndef _UPROBES_INSTANCE_H
#define _UPROBES_INSTANCE_H

#include <linux/types.h>

struct consumer;
struct uret_instance;
struct utask;

struct uret_instance *instance_at(struct utask *utask, unsigned long sp);
struct uret_instance *instance_take(struct utask *utask, struct consumer *c, bool may_sleep);
void instance_spare(struct utask *utask, struct uret_instance *inst);
void instance_unlink(struct utask *utask, struct uret_instance *inst);
void instance_link(struct utask *utask, struct uret_instance *inst);
void instances_expect(unsigned int nr);
void instance_drop_at(struct utask *utask, unsigned long sp);

#endif /* _UPROBES_INSTANCE_H */
