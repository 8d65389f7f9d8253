// SPDX-License-Identifier: GPL-2.0
/*
 * Register and unregister probes.
 *
 * A probe is registered while uprobe::kdata names its consumer.  A thread claims this consumer
 * before it registers, unregisters, enables or disables the probe, so that only one thread does so
 * at a time.  If a thread had to wait for the claim, it checks consumer::reg.gone: another thread
 * (a second call, the end of the process) may have unregistered the probe meanwhile.  In that case,
 * the client's structure must not be used any more.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include <uprobes/uprobes.h>

#include "register.h"
#include "arch.h"
#include "fields.h"
#include "ssol.h"
#include "attach/attach.h"
#include "attach/attach_types.h"
#include "attach/mapping.h"
#include "attach/ref_ctr.h"
#include "attach/unwinder.h"
#include "attach/visit.h"
#include "base/hooks.h"
#include "base/worker.h"
#include "core/consumer.h"
#include "core/filter.h"
#include "core/plan.h"
#include "core/probe_file.h"
#include "core/probed_mm.h"
#include "jump/ring.h"
#include "target/target.h"
#include "text/mapped_file.h"

/* Protects uprobe::kdata and consumer::reg.claimed. */
static DEFINE_MUTEX(kdata_mutex);

/**
 * struct registration - probes that are being registered, or unregistered
 * @us: the clients' structures
 * @cs: their consumers; NULL if there is none yet
 * @n: number of probes
 * @type: type of all of them
 */
struct registration {
	struct uprobe **us;
	struct consumer **cs;
	unsigned int n;
	enum consumer_type type;
};

/* Woken when claims have been released. */
static DECLARE_WAIT_QUEUE_HEAD(claims_wq);

static void claims_release(struct consumer **cs, unsigned int n)
{
	unsigned int i;

	mutex_lock(&kdata_mutex);
	for (i = 0; i < n; i++) {
		if (cs[i])
			cs[i]->reg.claimed = false;
	}
	mutex_unlock(&kdata_mutex);
	wake_up_all(&claims_wq);
}

/* Claim the consumer of a probe, with a reference.  Return NULL if the probe has none. */
static struct consumer *claim_wait(struct uprobe *u)
{
	struct consumer *c;
	bool claimed;

	for (;;) {
		mutex_lock(&kdata_mutex);
		c = u->kdata;
		if (!c) {
			mutex_unlock(&kdata_mutex);
			return NULL;
		}
		consumer_get(c);
		claimed = !c->reg.claimed;
		c->reg.claimed = true;
		mutex_unlock(&kdata_mutex);
		if (claimed)
			return c;
		wait_event(claims_wq, !READ_ONCE(c->reg.claimed));
		/* @u may be gone by now, if it was unregistered. */
		if (READ_ONCE(c->reg.gone)) {
			consumer_put(c);
			return NULL;
		}
		consumer_put(c);
	}
}

static int make_consumers(struct registration *reg)
{
	unsigned int i;
	int ret = 0;

	mutex_lock(&kdata_mutex);
	for (i = 0; i < reg->n && !ret; i++) {
		struct uprobe *u = reg->us[i];
		const char *complaint = fields_complaint(u, reg->type);
		struct consumer *c;

		if (complaint) {
			pr_notice("a probe cannot be registered: %s\n", complaint);
			ret = -EINVAL;
			break;
		}
		c = u->kdata ? ERR_PTR(-EBUSY) : consumer_create(u, reg->type);
		if (IS_ERR(c)) {
			ret = PTR_ERR(c);
			break;
		}
		reg->cs[i] = c;
		u->kdata = c;
		if (!(u->flags & UPROBE_DISABLED))
			consumer_enable(c);
		cond_resched();
	}
	mutex_unlock(&kdata_mutex);
	return ret;
}

/* Watch new mappings for a consumer, until end_consumers(). */
static int watch_maps(struct consumer *c)
{
	int ret = hook_ops->watch_maps();

	c->reg.watches_maps = !ret;
	return ret;
}

/* Find the place in a file that is mapped at @addr: a forked child may map another file there. */
static struct file_place mapped_place(struct mm_struct *mm, unsigned long addr)
{
	struct file_place where = {};
	struct file *file = mapped_file(mm, addr, &where.offset);

	if (file) {
		where.inode = file_inode(file);
		fput(file);
	}
	return where;
}

/* Note the file with the reference counter of a probe on a process, and watch its mappings. */
static int watch_counters(struct consumer *c, struct mm_struct *mm)
{
	loff_t at = c->file.ref_ctr_offset, offset;

	c->file.counted = mapped_file(mm, c->u->vaddr, &offset);
	if (c->file.counted && at >= 0 && at <= i_size_read(file_inode(c->file.counted)) - 2)
		return watch_maps(c);
	pr_notice("0x%lx cannot have a reference counter: %s\n", c->u->vaddr,
		  c->file.counted ? "it is outside the file that is mapped there" :
			       "no file is mapped there");
	return -EINVAL;
}

/* Check whether the function of a return probe on a process can have one. */
static int check_process_text(struct mm_struct *mm, const struct uprobe *u)
{
	struct uprobe place = {};
	struct target target;
	int ret;

	place.file = mapped_file(mm, u->vaddr, &place.offset);
	if (!place.file)
		return 0;
	ret = target_open(&target, &place);
	if (!ret) {
		ret = target_check_returns(&target, place.offset);
		target_close(&target);
	} else {
		ret = 0;
	}
	fput(place.file);
	return ret;
}

static int attach_requests(struct probed_mm *pmm, struct attach_request *requests, unsigned int n)
{
	unsigned int i;
	int ret = 0;

	pmm_attach(pmm, requests, n);
	for (i = 0; i < n && !ret; i++) {
		ret = requests[i].result;
		if (!ret && requests[i].consumer->file.ref_ctr_offset)
			ret = ref_ctrs_apply(pmm, requests[i].consumer,
					     file_inode(requests[i].consumer->file.counted));
	}
	return ret == -ESHUTDOWN ? -ESRCH : ret;
}

/* Register all probes from @first on that are on the same process. */
static int register_in_process(struct registration *reg, unsigned int first)
{
	pid_t pid = reg->us[first]->pid;
	struct attach_request *requests;
	struct consumer **cs;
	struct mm_struct *mm;
	struct probed_mm *pmm;
	unsigned int i, n = 0;
	int ret = 0;

	requests = kvmalloc_array(reg->n - first, sizeof(*requests), GFP_KERNEL);
	cs = kvmalloc_array(reg->n - first, sizeof(*cs), GFP_KERNEL);
	if (!requests || !cs) {
		ret = -ENOMEM;
		goto free;
	}
	mm = target_mm(pid);
	if (IS_ERR(mm)) {
		ret = PTR_ERR(mm);
		goto free;
	}
	pmm = pmm_get(mm);
	if (IS_ERR(pmm)) {
		ret = PTR_ERR(pmm);
		goto put;
	}
	for (i = first; i < reg->n && !ret; i++) {
		struct uprobe *u = reg->us[i];

		if (in_file(u) || u->pid != pid)
			continue;
		if (reg->type == CONSUMER_RETURN)
			ret = check_process_text(mm, u);
		if (!ret && consumer_counts_in_process(reg->cs[i]))
			ret = watch_counters(reg->cs[i], mm);
		cs[n] = reg->cs[i];
		requests[n++] = (struct attach_request) {
			.consumer = reg->cs[i],
			.addr = u->vaddr,
		};
		if (reg->cs[i]->inherits)
			reg->cs[i]->file.place = mapped_place(mm, u->vaddr);
	}
	if (!ret)
		ret = consumers_bind_mm(cs, n, pmm);
	if (!ret && reg->type == CONSUMER_RETURN) {
		unwinder_watch(pmm);
		ret = attach_requests(pmm, requests, n);
		unwinder_watched(pmm);
	} else if (!ret) {
		ret = attach_requests(pmm, requests, n);
	}
	pmm_put(pmm);
put:
	mmput(mm);
free:
	kvfree(requests);
	kvfree(cs);
	return ret;
}

static bool same_file(const struct uprobe *a, const struct uprobe *b)
{
	if (a->path && b->path)
		return a->path == b->path || !strcmp(a->path, b->path);
	return a->path == b->path && a->file == b->file && a->inode == b->inode;
}

static int list_in_file(struct registration *reg, unsigned int i, struct target *target)
{
	struct ssol_plan plan;
	int ret;

	ret = target_check(target, reg->us[i], reg->type == CONSUMER_RETURN, &plan);
	if (ret)
		return ret;
	reg->cs[i]->insn.plan = plan_make(&plan, GFP_KERNEL);
	if (!reg->cs[i]->insn.plan)
		return -ENOMEM;
	ret = watch_maps(reg->cs[i]);
	return ret ?: probe_file_add(target->inode, target->file, reg->cs[i]);
}

static int register_in_files(struct registration *reg)
{
	const struct uprobe *opened = NULL;
	struct target target;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < reg->n && !ret; i++) {
		if (!in_file(reg->us[i]))
			continue;
		if (opened && !same_file(opened, reg->us[i])) {
			target_close(&target);
			opened = NULL;
		}
		if (!opened) {
			ret = target_open(&target, reg->us[i]);
			if (ret)
				return ret;
			opened = reg->us[i];
		}
		ret = list_in_file(reg, i, &target);
	}
	if (opened)
		target_close(&target);
	if (opened && !ret)
		ret = hook_ops->try_maps();
	if (opened && !ret)
		ret = mapping_apply_everywhere(reg->cs, reg->n);
	return ret;
}

static long detach_call(void *data)
{
	struct registration *reg = data;

	consumers_detach(reg->cs, reg->n);
	return 0;
}

/* End the registration of claimed consumers.  The caller releases the claims. */
static void end_consumers(struct consumer **cs, unsigned int n)
{
	struct registration reg = { .cs = cs, .n = n };
	bool returns = false;
	unsigned int i;

	/* Hits until now are in rings. */
	rings_empty();
	for (i = 0; i < n; i++) {
		consumer_shut(cs[i]);
		if (cs[i]->file.probed)
			probe_file_del(cs[i]);
		if (cs[i]->reg.watches_maps)
			hook_ops->unwatch_maps();
	}
	/* Use a worker: the breakpoints must be removed even if the caller is being killed. */
	worker_call(detach_call, &reg);
	arch_trap_quiesce();
	for (i = 0; i < n; i++) {
		consumer_wait(cs[i]);
		returns |= cs[i]->type == CONSUMER_RETURN;
		consumer_unbind_mm(cs[i]);
	}

	if (returns)
		unwinder_unwatch_flush();

	mutex_lock(&kdata_mutex);
	for (i = 0; i < n; i++)
		consumer_release(cs[i]);
	mutex_unlock(&kdata_mutex);
}

/**
 * register_probes() - register many probes, or none
 * @us: the probes; &uretprobe.u if @type is %CONSUMER_RETURN
 * @n: number of @us
 * @type: type of all of them
 *
 * Context: may sleep; not from a handler.
 * Return: 0 or the errors of register_uprobe().
 */
int register_probes(struct uprobe **us, unsigned int n, enum consumer_type type)
{
	struct registration reg = { .us = us, .n = n, .type = type };
	unsigned int i;
	int ret;

	if (!n)
		return 0;
	reg.cs = kvcalloc(n, sizeof(*reg.cs), GFP_KERNEL);
	if (!reg.cs)
		return -ENOMEM;
	ret = hook_ops->watch_tasks();
	if (!ret)
		ret = make_consumers(&reg);
	if (!ret)
		ret = register_in_files(&reg);
	for (i = 0; i < n && !ret; i++) {
		if (!in_file(us[i]) && !reg.cs[i]->bound.target_mm)
			ret = register_in_process(&reg, i);
	}

	/* After an error, the consumers that were made come first. */
	for (n = 0; n < reg.n && reg.cs[n]; n++)
		consumer_get(reg.cs[n]);
	if (ret && n)
		end_consumers(reg.cs, n);
	claims_release(reg.cs, n);
	for (i = 0; i < n; i++)
		consumer_put(reg.cs[i]);
	kvfree(reg.cs);
	return ret;
}

/**
 * unregister_probes() - unregister many probes
 * @us: the probes; a probe that is not registered is skipped
 * @n: number of @us
 *
 * Context: may sleep; not from a handler.
 * Return: how many of them this call has unregistered.
 */
unsigned int unregister_probes(struct uprobe **us, unsigned int n)
{
	struct consumer **cs = kvcalloc(n ?: 1, sizeof(*cs), GFP_KERNEL | __GFP_NOFAIL);
	unsigned int i, nr = 0, ended;

	/* Begin with unclaimed consumers: never hold claims while waiting for another one. */
	mutex_lock(&kdata_mutex);
	for (i = 0; i < n; i++) {
		struct consumer *c = us[i]->kdata;

		if (!c || c->reg.claimed)
			continue;
		c->reg.claimed = true;
		consumer_get(c);
		cs[nr++] = c;
	}
	mutex_unlock(&kdata_mutex);
	if (nr) {
		end_consumers(cs, nr);
		claims_release(cs, nr);
		for (i = 0; i < nr; i++)
			consumer_put(cs[i]);
	}
	ended = nr;
	for (i = 0; i < n; i++) {
		cs[0] = claim_wait(us[i]);
		if (!cs[0])
			continue;
		end_consumers(cs, 1);
		claims_release(cs, 1);
		consumer_put(cs[0]);
		ended++;
	}
	kvfree(cs);
	return ended;
}

/**
 * register_end() - unregister a consumer whose process is gone
 * @work: consumer::bound.end, with a reference to the consumer, which is dropped
 *
 * Context: may sleep.
 */
void register_end(struct work_struct *work)
{
	struct consumer *c = container_of(work, struct consumer, bound.end);
	bool claimed = false;

	while (!READ_ONCE(c->reg.gone) && !claimed) {
		wait_event(claims_wq, !READ_ONCE(c->reg.claimed));
		mutex_lock(&kdata_mutex);
		claimed = !c->reg.claimed && !c->reg.gone;
		if (claimed)
			c->reg.claimed = true;
		mutex_unlock(&kdata_mutex);
	}
	if (claimed) {
		end_consumers(&c, 1);
		claims_release(&c, 1);
	}
	consumer_put(c);
}

static long sync_call(void *data)
{
	return consumer_sync(data);
}

static void consumer_silence(struct consumer *c)
{
	rings_empty();
	consumer_disable(c);
	worker_call(sync_call, c);
	arch_trap_quiesce();
	consumer_wait(c);
}

/**
 * probe_set_enabled() - enable or disable a registered probe
 * @u: the probe
 * @enabled: true to enable the probe, false to disable it
 *
 * Context: may sleep; not from a handler.
 * Return: as enable_uprobe() and disable_uprobe().
 */
int probe_set_enabled(struct uprobe *u, bool enabled)
{
	struct consumer *c = claim_wait(u);
	int ret = 0;

	if (!c)
		return -EINVAL;
	if (enabled && !c->run.live) {
		consumer_enable(c);
		ret = worker_call(sync_call, c);
		/* One of many processes may be dying.  A registration ignores such errors, too. */
		if (c->in_every_process && ret != -ENOMEM)
			ret = 0;
		if (ret)
			consumer_silence(c);
	} else if (!enabled && c->run.live) {
		consumer_silence(c);
	}
	claims_release(&c, 1);
	consumer_put(c);
	return ret;
}

/**
 * probe_set_conditions() - replace the conditions of a registered probe
 * @u: the probe
 * @conditions: the new conditions
 * @n: number of @conditions
 *
 * Context: may sleep; not from a handler.
 * Return: as set_uprobe_conditions().
 */
int probe_set_conditions(struct uprobe *u, const struct uprobe_condition *conditions,
			 unsigned int n)
{
	const char *complaint = filter_complaint(conditions, n);
	struct filter *filter;
	struct consumer *c;

	if (complaint) {
		pr_notice("conditions cannot be set: %s\n", complaint);
		return -EINVAL;
	}
	filter = filter_make(conditions, n);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	c = claim_wait(u);
	if (!c) {
		kfree(filter);
		return -EINVAL;
	}
	consumer_set_filter(c, filter);
	/* The jumps that do as the old conditions say are erased.  No breakpoint changes. */
	worker_call(sync_call, c);
	claims_release(&c, 1);
	consumer_put(c);
	return 0;
}

/**
 * probe_places() - list where a probe is
 * @u: the probe
 * @places: array to be filled
 * @n: its size
 *
 * Context: may sleep; not from a handler.
 * Return: as uprobe_places().
 */
unsigned int probe_places(struct uprobe *u, struct uprobe_place *places, unsigned int n)
{
	struct consumer *c = claim_wait(u);
	unsigned int all;

	if (!c)
		return 0;
	all = consumer_places(c, places, n);
	claims_release(&c, 1);
	consumer_put(c);
	return all;
}
