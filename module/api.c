// SPDX-License-Identifier: GPL-2.0
/*
 * The exported functions.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include <uprobes/uprobes.h>

#include "hit.h"
#include "register.h"
#include "retprobe.h"
#include "target.h"

static int register_one(struct uprobe *u, enum consumer_type type)
{
	if (register_in_handler()) {
		register_later(u, type);
		return -EINPROGRESS;
	}
	return register_probes(&u, 1, type);
}

static void unregister_one(struct uprobe *u, enum consumer_type type)
{
	if (register_in_handler())
		unregister_later(u, type);
	else
		unregister_probes(&u, 1);
}

int register_uprobe(struct uprobe *u)
{
	return register_one(u, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(register_uprobe);

void unregister_uprobe(struct uprobe *u)
{
	unregister_one(u, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(unregister_uprobe);

void unmap_uprobe(struct uprobe *u)
{
	unregister_one(u, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(unmap_uprobe);

int register_uretprobe(struct uretprobe *rp)
{
	return register_one(&rp->u, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(register_uretprobe);

void unregister_uretprobe(struct uretprobe *rp)
{
	unregister_one(&rp->u, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(unregister_uretprobe);

void unmap_uretprobe(struct uretprobe *rp)
{
	unregister_one(&rp->u, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(unmap_uretprobe);

int register_uprobes(struct uprobe **us, unsigned int n)
{
	return register_in_handler() ? -EDEADLK : register_probes(us, n, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(register_uprobes);

static void unregister_many(struct uprobe **us, unsigned int n, enum consumer_type type)
{
	unsigned int i;

	if (!register_in_handler()) {
		unregister_probes(us, n);
		return;
	}
	for (i = 0; i < n; i++)
		unregister_later(us[i], type);
}

void unregister_uprobes(struct uprobe **us, unsigned int n)
{
	unregister_many(us, n, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(unregister_uprobes);

/*
 * The probes inside return probes.  A return probe starts with its struct
 * uprobe, so that an array of pointers to one is an array of pointers to the
 * other.
 */
static struct uprobe **inner_probes(struct uretprobe **rps)
{
	BUILD_BUG_ON(offsetof(struct uretprobe, u));
	return (struct uprobe **)rps;
}

int register_uretprobes(struct uretprobe **rps, unsigned int n)
{
	if (register_in_handler())
		return -EDEADLK;
	return register_probes(inner_probes(rps), n, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(register_uretprobes);

void unregister_uretprobes(struct uretprobe **rps, unsigned int n)
{
	unregister_many(inner_probes(rps), n, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(unregister_uretprobes);

int enable_uprobe(struct uprobe *u)
{
	return register_in_handler() ? -EDEADLK : probe_set_enabled(u, true);
}
EXPORT_SYMBOL_GPL(enable_uprobe);

int disable_uprobe(struct uprobe *u)
{
	return register_in_handler() ? -EDEADLK : probe_set_enabled(u, false);
}
EXPORT_SYMBOL_GPL(disable_uprobe);

int uprobe_check(const struct uprobe *u)
{
	struct ssol_plan plan;
	struct target target;
	int ret;

	if (!u->path + !u->file + !u->inode != 2 || u->expect_len > UINSN_MAX_LEN ||
	    (!u->expect && u->expect_len))
		return -EINVAL;
	ret = target_open(&target, u);
	if (ret)
		return ret;
	ret = target_check(&target, u, false, &plan);
	target_close(&target);
	return ret;
}
EXPORT_SYMBOL_GPL(uprobe_check);

struct uprobe_counts uprobe_counts(const struct uprobe *u)
{
	struct uprobe_counts counts = {};

	if (u->kdata)
		counts = consumer_counts(u->kdata);
	counts.hits += u->__hits;
	counts.missed += u->__missed;
	return counts;
}
EXPORT_SYMBOL_GPL(uprobe_counts);

void uprobe_again(void)
{
	hit_again();
}
EXPORT_SYMBOL_GPL(uprobe_again);

unsigned long uprobe_get_pc_task(struct task_struct *task, unsigned long pc, unsigned long sp)
{
	return retprobe_real_pc(task, pc, sp);
}
EXPORT_SYMBOL_GPL(uprobe_get_pc_task);

unsigned long uprobe_get_pc(struct uretprobe_instance *ri, unsigned long pc, unsigned long sp)
{
	if (ri && retprobe_is_trampoline(ri, pc))
		return ri->ret_addr;
	return uprobe_get_pc_task(current, pc, sp);
}
EXPORT_SYMBOL_GPL(uprobe_get_pc);
