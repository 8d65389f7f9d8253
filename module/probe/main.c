// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading the module.
 */
#include <linux/module.h>

#include "arch.h"
#include "unload.h"
#include "api/deferred.h"
#include "api/register.h"
#include "attach/reclaim.h"
#include "attach/unwinder.h"
#include "base/hooks.h"
#include "base/worker.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/ssol_area.h"
#include "core/task.h"
#include "events/forks.h"
#include "events/map_events.h"
#include "events/mmu.h"
#include "events/rseq.h"
#include "events/syscall_filter.h"
#include "events/task_events.h"
#include "jump/contention.h"
#include "jump/drain_room.h"
#include "jump/jump.h"
#include "jump/pad_trap.h"
#include "jump/ring.h"
#include "trap/hit.h"
#include "trap/hit_work.h"
#include "trap/pad_fault.h"
#include "trap/stepped.h"
#include "uret/uretprobe_fork.h"

/* In test builds, Kbuild includes tests/kmod/inject.h here. */
#ifndef _UPROBES_INJECT_H
static void inject_init(void)
{
}

static void inject_exit(void)
{
}
#endif

/* Functions of higher layers that lower layers call. */
static const struct hook_ops event_hooks = {
	.watch_tasks = task_events_watch,
	.watch_maps = map_events_watch,
	.try_maps = map_events_try,
	.unwatch_maps = map_events_unwatch,
	.watch_syscalls = syscall_watch,
};

static const struct task_ops hit_task_ops = {
	.hit_work = hit_work,
	.release = uretprobe_release,
};

static int __init uprobes_load(void)
{
	int ret;

	ret = probe_init(register_end);
	if (ret)
		return ret;
	ret = deferred_init();
	if (ret)
		goto exit_probe;
	ret = worker_init();
	if (ret)
		goto exit_deferred;
	ret = ssol_area_init();
	if (ret)
		goto exit_worker;
	ret = pmm_init(&mmu_pmm_ops);
	if (ret)
		goto exit_area;
	ret = task_init(&hit_task_ops);
	if (ret)
		goto exit_pmm;
	ret = unwinder_init();
	if (ret)
		goto exit_task;
	ret = hooks_init(&event_hooks);
	if (ret)
		goto exit_unwinder;
	ret = task_events_init();
	if (ret)
		goto exit_hooks;
	ret = arch_trap_init(hit_trap, hit_step, jump_undefined, pad_fault_at_memory);
	if (ret)
		goto exit_task_events;
	arch_clock_init();
	/* Last: an open file keeps a module that is loaded, but not one that fails to load. */
	inject_init();
	return 0;

exit_task_events:
	task_events_exit();
exit_hooks:
	hooks_exit();
exit_unwinder:
	unwinder_exit();
	unwinder_free();
exit_task:
	task_exit();
	uretprobe_discard_flush();
exit_pmm:
	pmm_exit();
exit_area:
	ssol_area_exit();
exit_worker:
	worker_exit();
exit_deferred:
	deferred_exit();
exit_probe:
	probe_exit();
	return ret;
}

/*
 * All clients have gone: no probe is registered, and no breakpoint is in any text unless its
 * removal failed.  Traps, task work, and calls of return-probed functions are still in flight.
 * Wait for the work first, because some of it enters such calls.  Then restore the return addresses
 * of the remaining calls, while forks and traps are still handled.
 */
static void __exit uprobes_unload(void)
{
	deferred_exit();
	arch_trap_quiesce();
	task_work_drain();
	release_tasks();
	/* Threads that were in pads, while their faults are seen. */
	task_work_drain();
	unwinder_exit();
	jumps_exit();
	/* Forks that copied an address space before that may still be in flight. */
	forks_drain();
	rseq_unwatch_begin();
	synchronize_rcu_tasks();
	task_events_exit();
	hooks_exit();
	rings_exit();
	contention_exit();
	arch_trap_quiesce();
	arch_trap_exit();
	task_work_drain();
	unwinder_free();
	reclaim_exit();
	pmm_exit();
	drain_rooms_free();
	task_exit();
	uretprobe_discard_flush();
	ssol_area_exit();
	worker_exit();
	probe_exit();
	inject_exit();
}

module_init(uprobes_load);
module_exit(uprobes_unload);

MODULE_DESCRIPTION("Probes on user-space instructions");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_VERSION(UPROBES_VERSION);
MODULE_LICENSE("GPL");

/* For modprobe, and for modprobe -r.  Clients need only this module. */
MODULE_SOFTDEP("post: uprobes_trace");
