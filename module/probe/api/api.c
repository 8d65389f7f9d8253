// SPDX-License-Identifier: GPL-2.0
/*
 * The exported functions.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/export.h>
#include <linux/slab.h>

#include <uprobes/uprobes.h>

#include "deferred.h"
#include "register.h"
#include "ssol.h"
#include "core/consumer.h"
#include "core/counts.h"
#include "core/pad_keys.h"
#include "core/refusal.h"
#include "core/task_handler.h"
#include "jump/jump.h"
#include "jump/ring.h"
#include "jump/ring_drain.h"
#include "jump/timing.h"
#include "target/target.h"
#include "uret/ret_addrs.h"

static int register_many(struct uprobe **us, unsigned int n, enum consumer_type type)
{
	int ret = register_probes(us, n, type);
	unsigned int i;

	/*
	 * A handler may have run before the registration failed, and may have made a request: wait
	 * for that.  If a probe is registered now, another caller has registered it: do not wait.
	 */
	for (i = 0; ret && i < n; i++) {
		if (!READ_ONCE(us[i]->kdata))
			deferred_wait(&us[i], 1);
	}
	return ret;
}

static int register_one(struct uprobe *u, enum consumer_type type)
{
	if (in_probe_handler()) {
		register_deferred(u, type);
		return -EINPROGRESS;
	}
	return register_many(&u, 1, type);
}

static bool any_registered(struct uprobe **us, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (READ_ONCE(us[i]->kdata))
			return true;
	}
	return false;
}

static void unregister_many(struct uprobe **us, unsigned int n, enum consumer_type type)
{
	unsigned int i;

	if (in_probe_handler()) {
		for (i = 0; i < n; i++)
			unregister_deferred(us[i], type);
		return;
	}
	/* A handler may have requested a registration meanwhile: check once more. */
	do {
		unregister_probes(us, n);
		deferred_wait(us, n);
	} while (any_registered(us, n));
}

static void unregister_one(struct uprobe *u, enum consumer_type type)
{
	unregister_many(&u, 1, type);
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
	return in_probe_handler() ? -EDEADLK : register_many(us, n, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(register_uprobes);

void unregister_uprobes(struct uprobe **us, unsigned int n)
{
	unregister_many(us, n, CONSUMER_ENTRY);
}
EXPORT_SYMBOL_GPL(unregister_uprobes);

/*
 * Get the probes inside of return probes.  A return probe starts with its struct uprobe, so an
 * array of pointers to return probes is an array of pointers to probes, too.
 */
static struct uprobe **inner_probes(struct uretprobe **rps)
{
	BUILD_BUG_ON(offsetof(struct uretprobe, u));
	return (struct uprobe **)rps;
}

int register_uretprobes(struct uretprobe **rps, unsigned int n)
{
	if (in_probe_handler())
		return -EDEADLK;
	return register_many(inner_probes(rps), n, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(register_uretprobes);

void unregister_uretprobes(struct uretprobe **rps, unsigned int n)
{
	unregister_many(inner_probes(rps), n, CONSUMER_RETURN);
}
EXPORT_SYMBOL_GPL(unregister_uretprobes);

int enable_uprobe(struct uprobe *u)
{
	return in_probe_handler() ? -EDEADLK : probe_set_enabled(u, true);
}
EXPORT_SYMBOL_GPL(enable_uprobe);

int disable_uprobe(struct uprobe *u)
{
	return in_probe_handler() ? -EDEADLK : probe_set_enabled(u, false);
}
EXPORT_SYMBOL_GPL(disable_uprobe);

int set_uprobe_conditions(struct uprobe *u, const struct uprobe_condition *conditions,
			  unsigned int n)
{
	return in_probe_handler() ? -EDEADLK : probe_set_conditions(u, conditions, n);
}
EXPORT_SYMBOL_GPL(set_uprobe_conditions);

unsigned int uprobe_places(struct uprobe *u, struct uprobe_place *places, unsigned int n)
{
	return in_probe_handler() ? 0 : probe_places(u, places, n);
}
EXPORT_SYMBOL_GPL(uprobe_places);

void uprobes_allow_jumps(bool allowed)
{
	jumps_allow(allowed);
}
EXPORT_SYMBOL_GPL(uprobes_allow_jumps);

bool uprobes_empty_rings(void)
{
	rings_empty();
	return rings_there();
}
EXPORT_SYMBOL_GPL(uprobes_empty_rings);

void uprobes_disable_rings(bool disable)
{
	rings_disable(disable);
}
EXPORT_SYMBOL_GPL(uprobes_disable_rings);

u64 uprobe_ring_time(void)
{
	return this_cpu_read(ring_time);
}
EXPORT_SYMBOL_GPL(uprobe_ring_time);

u64 uprobe_ring_word(unsigned int n)
{
	const u64 *words = this_cpu_read(ring_words);

	return words && n < PAD_WORDS ? words[n] : 0;
}
EXPORT_SYMBOL_GPL(uprobe_ring_word);

const void *uprobe_ring_load(unsigned int n)
{
	static const u64 nothing[PAD_STRING_WORDS];
	const struct ring_loads *loads = this_cpu_read(ring_loads);

	return loads && n < ARRAY_SIZE(loads->at) ? &loads->words[loads->at[n]] : nothing;
}
EXPORT_SYMBOL_GPL(uprobe_ring_load);

void uprobe_block_regs(struct pt_regs *regs, u32 reads, const u64 *values, unsigned int nr)
{
	unsigned long offsets = reads;
	u32 numbers = 0;
	unsigned int i;
	int reg;

	for_each_set_bit(i, &offsets, BITS_PER_TYPE(reads)) {
		reg = arch_reg_number(i * sizeof(long));
		if (reg >= 0)
			numbers |= BIT(reg);
	}
	for (i = 0; numbers && i < nr; i++, numbers &= numbers - 1)
		arch_reg_set(regs, __ffs(numbers), values[i]);
}
EXPORT_SYMBOL_GPL(uprobe_block_regs);

bool uprobes_jumps_allowed(void)
{
	return jumps_are_allowed();
}
EXPORT_SYMBOL_GPL(uprobes_jumps_allowed);

static int check(const struct uprobe *u, bool returns)
{
	const char *complaint = target_complaint(u);
	struct ssol_plan plan;
	struct target target;
	int ret;

	if (!complaint && !u->path && !u->file && !u->inode)
		complaint = "none of path, file and inode is set";
	if (complaint) {
		pr_notice("a place cannot be checked: %s\n", complaint);
		return -EINVAL;
	}
	ret = target_open(&target, u);
	if (ret)
		return ret;
	ret = target_check(&target, u, returns, &plan);
	target_close(&target);
	return ret;
}

int uprobe_check(const struct uprobe *u)
{
	return check(u, false);
}
EXPORT_SYMBOL_GPL(uprobe_check);

int uretprobe_check(const struct uretprobe *rp)
{
	return check(&rp->u, true);
}
EXPORT_SYMBOL_GPL(uretprobe_check);

struct uprobe_counts uprobe_counts(const struct uprobe *u)
{
	return probe_counts(u);
}
EXPORT_SYMBOL_GPL(uprobe_counts);

void uprobe_histogram(const struct uprobe *u, struct uprobe_values *values)
{
	probe_values(u, values);
}
EXPORT_SYMBOL_GPL(uprobe_histogram);

void uprobe_histogram_of(const struct uprobe *u, unsigned int place, struct uprobe_values *values)
{
	probe_values_of(u, place, values);
}
EXPORT_SYMBOL_GPL(uprobe_histogram_of);

unsigned int uprobe_key_place(struct uprobe_keys *keys, u64 key)
{
	return key_place(keys, key);
}
EXPORT_SYMBOL_GPL(uprobe_key_place);

bool uprobe_key_at(const struct uprobe_keys *keys, unsigned int place, u64 *key)
{
	return key_at(keys, place, key);
}
EXPORT_SYMBOL_GPL(uprobe_key_at);

u64 uprobe_times(struct uprobe_timer *timer, struct uprobe *const *ends, unsigned int n,
		 struct uprobe_values *values)
{
	return timer_values(timer, ends, n, values);
}
EXPORT_SYMBOL_GPL(uprobe_times);

void uprobe_time_add(struct uprobe_timer *timer, u64 ns)
{
	timer_add(timer, ns);
}
EXPORT_SYMBOL_GPL(uprobe_time_add);

bool uprobe_call_time(u64 *ns)
{
	u64 took = this_cpu_read(timing_took);

	*ns = took - 1;
	return took;
}
EXPORT_SYMBOL_GPL(uprobe_call_time);

unsigned int uprobe_refusals(const struct uprobe *u, char *why, size_t size)
{
	return probe_refusals(u, why, size);
}
EXPORT_SYMBOL_GPL(uprobe_refusals);

void uprobe_again(void)
{
	task_handler_ask();
}
EXPORT_SYMBOL_GPL(uprobe_again);

unsigned long uprobe_get_pc_task(struct task_struct *task, unsigned long pc, unsigned long sp)
{
	return ret_addr_real(task, pc, sp);
}
EXPORT_SYMBOL_GPL(uprobe_get_pc_task);

unsigned long uprobe_get_pc(struct uretprobe_instance *ri, unsigned long pc, unsigned long sp)
{
	bool trampoline = ri && ret_addr_is_trampoline(ri, pc);
	unsigned long real;

	/* While its return handler runs, a call is not in the table of calls any more. */
	if (trampoline && sp == ri->sp)
		return ri->ret_addr;
	/* Calls further up the stack return to the same trampoline. */
	real = uprobe_get_pc_task(current, pc, sp);
	return trampoline && real == pc ? ri->ret_addr : real;
}
EXPORT_SYMBOL_GPL(uprobe_get_pc);
