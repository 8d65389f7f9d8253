/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failure injection for tests.  Kbuild includes this header before each source of a module.  The
 * macros at the end turn calls of these functions into injection sites, which are named
 * SOURCE.FUNCTION.CALL.  The parameter "inject" makes calls at sites fail:
 *
 *	echo attach.pmm_attach.kvmalloc_array:1 >.../parameters/inject
 *	echo '*:7' >.../parameters/inject	the seventh call at any site
 *	echo '*:7+' >.../parameters/inject	the seventh call, and all later ones
 *	echo SITE,SITE:7 >.../parameters/inject	the seventh call at these two sites
 *	echo off >.../parameters/inject
 *
 * With a star, a site counts at most INJECT_TURNS times: a loop of a thousand calls fails in its
 * first turns.
 *
 * Reading the parameter shows the last failure.  The file "uprobes-inject" in debugfs lists all
 * sites.
 *
 * While nothing is injected, a site is one instruction without effect.  The trap has only one site:
 * taking a utask from the reserve, for a task that has none.  It needs no others: programs
 * themselves make reads of user memory fail, and task work is refused only if the task has exited.
 * A star does not match this site, as programs decide how many calls in hits there are.  If the
 * site is named, it fails in hits and for all other callers.  With a plus, a task that has to step
 * over an instruction executes the breakpoint again until the injection is switched off.
 * Allocations with __GFP_NOFAIL never fail.
 */
#ifndef _UPROBES_INJECT_H
#define _UPROBES_INJECT_H

#ifndef pr_fmt
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#endif

#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/miscdevice.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/idr.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/percpu-refcount.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rhashtable.h>
#include <linux/ring_buffer.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

/**
 * struct inject_site - a call that can be made to fail
 * @source: name of the source, without its suffix
 * @function: the function that contains the call
 * @call: the called function
 * @error: the error that the caller sees, or that corresponds to the result that it sees
 * @in_hit: a star does not match the site: hits pass it, too, or it fails only for tasks that are
 *	being killed
 * @wanted: how many more calls at the site count; -1 for no limit
 * @passed: how often the site was passed while anything was injected
 * @failed: how often the call failed
 *
 * The sites form an array in a section of their own.  The alignment makes the size of a site equal
 * to the distance between two sites.
 */
struct inject_site {
	const char *source;
	const char *function;
	const char *call;
	int error;
	bool in_hit;
	atomic_t wanted;
	atomic_t passed;
	atomic_t failed;
} __aligned(64);

#define INJECT_TURNS	3

DECLARE_STATIC_KEY_FALSE(inject_key);

/* The beginning and the end of all sites; see inject.c and inject_end.c. */
extern struct inject_site inject_first[], inject_last[];

bool inject_fails(struct inject_site *site);
/* For uprobes_trace.ko; see inject_trace.c. */
void inject_join(struct inject_site *first, struct inject_site *last);
void inject_leave(void);

void inject_init(void);
void inject_exit(void);

#define INJECT_SITE(where, name, code, condition, failure, result)		\
({										\
	static struct inject_site __site __section("uprobes_inject") __aligned(64) = { \
		.source = KBUILD_BASENAME,					\
		.function = __func__,						\
		.call = (name),							\
		.error = (code),						\
		.in_hit = (where),						\
	};									\
										\
	static_branch_unlikely(&inject_key) && (condition) && inject_fails(&__site) ? \
		(failure) : (result);						\
})

#define INJECT(name, code, condition, failure, result)				\
	INJECT_SITE(false, name, code, condition, failure, result)

/* A site that no star matches, such as for an error that only a task gets that is being killed. */
#define INJECT_NAMED(name, code, failure, result)				\
	INJECT_SITE(true, name, code, true, failure, result)

/* A site that hits pass, too, for a task that has no utask yet. */
#define INJECT_HIT(name, result) INJECT_SITE(true, name, ENOMEM, true, NULL, result)

#ifndef INJECT_NOTHING

/* Some of these are macros in some kernels: call them in functions, before they are redefined. */
#define INJECT_ALLOC(name, arguments, values)					\
static __always_inline void *inject_##name arguments				\
{										\
	return name values;							\
}

INJECT_ALLOC(kmalloc, (size_t size, gfp_t gfp), (size, gfp))
INJECT_ALLOC(kzalloc, (size_t size, gfp_t gfp), (size, gfp))
INJECT_ALLOC(kcalloc, (size_t n, size_t size, gfp_t gfp), (n, size, gfp))
INJECT_ALLOC(kmalloc_node, (size_t size, gfp_t gfp, int node), (size, gfp, node))
INJECT_ALLOC(krealloc, (void *old, size_t size, gfp_t gfp), (old, size, gfp))
INJECT_ALLOC(kvmalloc, (size_t size, gfp_t gfp), (size, gfp))
INJECT_ALLOC(kvzalloc, (size_t size, gfp_t gfp), (size, gfp))
INJECT_ALLOC(kvcalloc, (size_t n, size_t size, gfp_t gfp), (n, size, gfp))
INJECT_ALLOC(kvmalloc_array, (size_t n, size_t size, gfp_t gfp), (n, size, gfp))
INJECT_ALLOC(vzalloc, (unsigned long size), (size))
INJECT_ALLOC(kstrdup, (const char *s, gfp_t gfp), (s, gfp))
INJECT_ALLOC(kmemdup, (const void *from, size_t size, gfp_t gfp), (from, size, gfp))
INJECT_ALLOC(kmemdup_nul, (const char *s, size_t size, gfp_t gfp), (s, size, gfp))
INJECT_ALLOC(kmem_cache_alloc, (struct kmem_cache *cache, gfp_t gfp), (cache, gfp))
INJECT_ALLOC(memdup_user_nul, (const void __user *from, size_t size), (from, size))
INJECT_ALLOC(vmemdup_user, (const void __user *from, size_t size), (from, size))

static __always_inline int inject_kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp,
							size_t n, void **objects)
{
	return kmem_cache_alloc_bulk(cache, gfp, n, objects);
}

static __always_inline struct kmem_cache *inject_kmem_cache_create(const char *name, size_t size,
								   size_t align, slab_flags_t flags,
								   void (*ctor)(void *object))
{
	return kmem_cache_create(name, size, align, flags, ctor);
}

static __always_inline void __percpu *inject___alloc_percpu(size_t size, size_t align)
{
	return __alloc_percpu(size, align);
}

static __always_inline unsigned long inject___get_free_page(gfp_t gfp)
{
	return __get_free_page(gfp);
}

static __always_inline struct workqueue_struct *inject_alloc_workqueue(const char *name,
								       unsigned int flags, int max)
{
	return alloc_workqueue("%s", flags, max, name);
}

static __always_inline struct trace_buffer *inject_ring_buffer_alloc(unsigned long size,
								     unsigned int flags)
{
	return ring_buffer_alloc(size, flags);
}

static __always_inline struct dentry *inject_debugfs_create_file(const char *name, umode_t mode,
								 struct dentry *parent, void *data,
								 const struct file_operations *fops)
{
	return debugfs_create_file(name, mode, parent, data, fops);
}

static __always_inline int inject_rhashtable_init(struct rhashtable *table,
						  const struct rhashtable_params *params)
{
	return rhashtable_init(table, params);
}

#undef kmalloc
#undef kzalloc
#undef kcalloc
#undef kmalloc_node
#undef krealloc
#undef kvmalloc
#undef kvzalloc
#undef kvcalloc
#undef kvmalloc_array
#undef vzalloc
#undef kstrdup
#undef kmemdup
#undef kmemdup_nul
#undef kmem_cache_alloc
#undef kmem_cache_alloc_bulk
#undef kmem_cache_create
#undef memdup_user_nul
#undef vmemdup_user
#undef __alloc_percpu
#undef __get_free_page
#undef alloc_workqueue
#undef ring_buffer_alloc
#undef debugfs_create_file
#undef rhashtable_init

#define INJECT_NOMEM(name, gfp, result)						\
	INJECT(name, ENOMEM, !((gfp) & __GFP_NOFAIL), NULL, result)

#define kmalloc(size, gfp) INJECT_NOMEM("kmalloc", gfp, inject_kmalloc(size, gfp))
#define kzalloc(size, gfp) INJECT_NOMEM("kzalloc", gfp, inject_kzalloc(size, gfp))
#define kcalloc(n, size, gfp) INJECT_NOMEM("kcalloc", gfp, inject_kcalloc(n, size, gfp))
#define kmalloc_node(size, gfp, node)						\
	INJECT_NOMEM("kmalloc_node", gfp, inject_kmalloc_node(size, gfp, node))
#define krealloc(old, size, gfp) INJECT_NOMEM("krealloc", gfp, inject_krealloc(old, size, gfp))
#define kvmalloc(size, gfp) INJECT_NOMEM("kvmalloc", gfp, inject_kvmalloc(size, gfp))
#define kvzalloc(size, gfp) INJECT_NOMEM("kvzalloc", gfp, inject_kvzalloc(size, gfp))
#define kvcalloc(n, size, gfp) INJECT_NOMEM("kvcalloc", gfp, inject_kvcalloc(n, size, gfp))
#define kvmalloc_array(n, size, gfp)						\
	INJECT_NOMEM("kvmalloc_array", gfp, inject_kvmalloc_array(n, size, gfp))
#define vzalloc(size) INJECT_NOMEM("vzalloc", 0, inject_vzalloc(size))
#define kstrdup(s, gfp) INJECT_NOMEM("kstrdup", gfp, inject_kstrdup(s, gfp))
#define kmemdup(from, size, gfp) INJECT_NOMEM("kmemdup", gfp, inject_kmemdup(from, size, gfp))
#define kmemdup_nul(s, size, gfp)						\
	INJECT_NOMEM("kmemdup_nul", gfp, inject_kmemdup_nul(s, size, gfp))
#define kasprintf(gfp, ...) INJECT_NOMEM("kasprintf", gfp, kasprintf(gfp, __VA_ARGS__))
#define kmem_cache_alloc(cache, gfp)						\
	INJECT_NOMEM("kmem_cache_alloc", gfp, inject_kmem_cache_alloc(cache, gfp))
#define kmem_cache_alloc_bulk(cache, gfp, n, objects)				\
	INJECT("kmem_cache_alloc_bulk", ENOMEM, true, 0,			\
	       inject_kmem_cache_alloc_bulk(cache, gfp, n, objects))
#define kmem_cache_create(name, size, align, flags, ctor)			\
	INJECT_NOMEM("kmem_cache_create", 0,					\
		     inject_kmem_cache_create(name, size, align, flags, ctor))
#define __alloc_percpu(size, align)						\
	INJECT_NOMEM("__alloc_percpu", 0, inject___alloc_percpu(size, align))
#define __get_free_page(gfp)							\
	INJECT("__get_free_page", ENOMEM, true, 0, inject___get_free_page(gfp))
#define alloc_workqueue(name, flags, max)					\
	INJECT_NOMEM("alloc_workqueue", 0, inject_alloc_workqueue(name, flags, max))
#define ring_buffer_alloc(size, flags)						\
	INJECT_NOMEM("ring_buffer_alloc", 0, inject_ring_buffer_alloc(size, flags))
#define ring_buffer_read_start(...)						\
	INJECT_NOMEM("ring_buffer_read_start", 0, ring_buffer_read_start(__VA_ARGS__))

#define __seq_open_private(...)							\
	INJECT_NOMEM("__seq_open_private", 0, __seq_open_private(__VA_ARGS__))

#define INJECT_PTR(name, code, result) INJECT(name, code, true, ERR_PTR(-(code)), result)

#define memdup_user_nul(from, size)						\
	INJECT_PTR("memdup_user_nul", ENOMEM, inject_memdup_user_nul(from, size))
#define vmemdup_user(from, size)						\
	INJECT_PTR("vmemdup_user", ENOMEM, inject_vmemdup_user(from, size))
#define debugfs_create_dir(name, parent)					\
	INJECT_PTR("debugfs_create_dir", ENOMEM, debugfs_create_dir(name, parent))
#define debugfs_create_file(name, mode, parent, data, fops)			\
	INJECT_PTR("debugfs_create_file", ENOMEM,				\
		   inject_debugfs_create_file(name, mode, parent, data, fops))
#define debugfs_create_file_unsafe(...)						\
	INJECT_PTR("debugfs_create_file_unsafe", ENOMEM, debugfs_create_file_unsafe(__VA_ARGS__))
#define dentry_open(...) INJECT_PTR("dentry_open", ENOMEM, dentry_open(__VA_ARGS__))
#define file_open_root(...) INJECT_PTR("file_open_root", ENOMEM, file_open_root(__VA_ARGS__))
#define shmem_file_setup(...) INJECT_PTR("shmem_file_setup", ENOMEM, shmem_file_setup(__VA_ARGS__))
#define shmem_read_mapping_page_gfp(...)					\
	INJECT_PTR("shmem_read_mapping_page_gfp", ENOMEM, shmem_read_mapping_page_gfp(__VA_ARGS__))
#define shmem_read_mapping_page(...)						\
	INJECT_PTR("shmem_read_mapping_page", ENOMEM, shmem_read_mapping_page(__VA_ARGS__))
#define shmem_read_folio(...) INJECT_PTR("shmem_read_folio", ENOMEM, shmem_read_folio(__VA_ARGS__))
#define read_mapping_folio(...)							\
	INJECT_PTR("read_mapping_folio", EIO, read_mapping_folio(__VA_ARGS__))
#define trace_get_event_file(...)						\
	INJECT_PTR("trace_get_event_file", EINVAL, trace_get_event_file(__VA_ARGS__))

#define INJECT_INT(name, code, result) INJECT(name, code, true, -(code), result)

#define rhashtable_init(table, params)						\
	INJECT_INT("rhashtable_init", ENOMEM, inject_rhashtable_init(table, params))
#define rhashtable_insert_fast(...)						\
	INJECT_INT("rhashtable_insert_fast", ENOMEM, rhashtable_insert_fast(__VA_ARGS__))
#define percpu_ref_init(...) INJECT_INT("percpu_ref_init", ENOMEM, percpu_ref_init(__VA_ARGS__))
#define mmu_notifier_register(...)						\
	INJECT_INT("mmu_notifier_register", ENOMEM, mmu_notifier_register(__VA_ARGS__))
#define register_kprobe(kp) INJECT_INT("register_kprobe", ENOMEM, register_kprobe(kp))
#define register_kretprobe(rp) INJECT_INT("register_kretprobe", ENOMEM, register_kretprobe(rp))
#define enable_kprobe(kp) INJECT_INT("enable_kprobe", ENOMEM, enable_kprobe(kp))
#define register_ftrace_function(ops)						\
	INJECT_INT("register_ftrace_function", ENOMEM, register_ftrace_function(ops))
#undef ftrace_set_filter_ip
#define ftrace_set_filter_ip(...)						\
	INJECT_INT("ftrace_set_filter_ip", ENOMEM, ftrace_set_filter_ip(__VA_ARGS__))
#define register_ftrace_direct(...)						\
	INJECT_INT("register_ftrace_direct", ENOMEM, register_ftrace_direct(__VA_ARGS__))
#define register_ftrace_direct_multi(...)					\
	INJECT_INT("register_ftrace_direct_multi", ENOMEM,			\
		   register_ftrace_direct_multi(__VA_ARGS__))
#define tracepoint_probe_register(...)						\
	INJECT_INT("tracepoint_probe_register", ENOMEM, tracepoint_probe_register(__VA_ARGS__))
#define tracepoint_probe_register_prio(...)					\
	INJECT_INT("tracepoint_probe_register_prio", ENOMEM,			\
		   tracepoint_probe_register_prio(__VA_ARGS__))
#define register_die_notifier(nb)						\
	INJECT_INT("register_die_notifier", ENOMEM, register_die_notifier(nb))
#define xa_store(...) INJECT("xa_store", ENOMEM, true, XA_ERROR(-ENOMEM), xa_store(__VA_ARGS__))
#define misc_register(device) INJECT_INT("misc_register", ENOMEM, misc_register(device))
#define vm_mmap(...) INJECT_INT("vm_mmap", ENOMEM, vm_mmap(__VA_ARGS__))
#define get_user_pages_remote(...)						\
	INJECT_INT("get_user_pages_remote", EFAULT, get_user_pages_remote(__VA_ARGS__))
#define ring_buffer_resize(...)							\
	INJECT_INT("ring_buffer_resize", ENOMEM, ring_buffer_resize(__VA_ARGS__))
#define idr_alloc_cyclic(...)							\
	INJECT_INT("idr_alloc_cyclic", ENOSPC, idr_alloc_cyclic(__VA_ARGS__))
#define seq_open(...) INJECT_INT("seq_open", ENOMEM, seq_open(__VA_ARGS__))
#define single_open(...) INJECT_INT("single_open", ENOMEM, single_open(__VA_ARGS__))
#define kern_path(...) INJECT_INT("kern_path", ENOMEM, kern_path(__VA_ARGS__))
#define kernel_read(...) INJECT_INT("kernel_read", EIO, kernel_read(__VA_ARGS__))
#define synth_event_create(...)							\
	INJECT_INT("synth_event_create", ENOMEM, synth_event_create(__VA_ARGS__))

/* Functions of the module.  Here: taking a utask for a task that has none. */
#define utask_take(reserve) INJECT_HIT("reserve_take", reserve_take(reserve))
/* Getting a page of text fails if the task is being killed, or if there is no memory. */
#define text_page(mm, addr, flags)						\
	INJECT_NAMED("page_get_killed", EINTR, ERR_PTR(-EINTR),			\
		     INJECT_NAMED("page_get", ENOMEM, ERR_PTR(-ENOMEM), page_get(mm, addr, flags)))
/* Return instances for the copies of calls that a forked child gets. */
#define blank_alloc(data_size)							\
	INJECT("instance_alloc", ENOMEM, true, NULL, instance_alloc(data_size, GFP_ATOMIC))
/* A site apart from that of hits, for forks and mappings. */
#define utask_get_aside(task)							\
({										\
	struct task_struct *__task = (task);					\
										\
	INJECT("utask_get", ENOMEM, !utask_find(__task), NULL, utask_get(__task)); \
})

#define find_get_pid(nr) INJECT("find_get_pid", ESRCH, true, NULL, find_get_pid(nr))
#define get_pid_task(...)							\
	INJECT("get_pid_task", ESRCH, true, NULL, get_pid_task(__VA_ARGS__))
#define get_task_mm(task) INJECT("get_task_mm", ESRCH, true, NULL, get_task_mm(task))
#define copy_from_user(to, from, n)						\
	INJECT("copy_from_user", EFAULT, true, (unsigned long)(n), copy_from_user(to, from, n))

#endif /* INJECT_NOTHING */

#endif /* _UPROBES_INJECT_H */
