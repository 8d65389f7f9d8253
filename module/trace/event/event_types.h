/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracer: a client of uprobes/uprobes.h.  It is controlled by files under
 * /sys/kernel/debug/uprobes/, with the syntax of tracefs.
 *
 * Objects, their owners and their lifetimes
 *
 *	struct tracer		definitions and their buffer: one tracer for the
 *				directory, from init to exit, and one for each
 *				session, while its file is open
 *	struct tracer_event	a named event; in tracer.events from its first
 *				definition until its removal
 *	struct tracer_site	one probe of an event; owned by the event
 *	struct tracer_def	a parsed line; owned by the site that it defines.
 *				The first one of an event is owned by the format
 *	struct tracer_format	describes the records of an event; owned by
 *				tracer.formats.  Outlives the event while
 *				its records may be in the buffer
 *	struct tracer_group	a directory under events/; lives while it has
 *				events
 *
 * Locks, outermost first
 *
 *	tracer.define		one write of definitions, or removal, at a time; the
 *				groups and their numbers of events.  Held
 *				while directories are created and removed.  No file
 *				below events/ ever takes it: when debugfs
 *				removes such a file, it waits for the file's
 *				readers and writers
 *	tracer.lock		the lists of events and sites; whether
 *				an event is enabled; filters, lists of
 *				threads, options.  Held while
 *				probes are registered and unregistered;
 *				probe handlers take no lock of the tracer
 *	tracer.formats.sem	the formats; read-locked while a record is
 *				taken out of the buffer and converted to text
 *	tracer_buffer.read_lock	taking records out of the buffer
 *	tracer_errlog.lock	the error log
 *
 * tracer_reader.lock (the text that an open file has not given to its reader yet) comes before
 * tracer.formats.sem.  aggregate.lock (the probes of an open aggregate file) is held while these
 * probes are registered, with none of the other locks.  hooks_lock (synth_perf.c: the synthetic
 * events that perf may use) is innermost.
 *
 * A handler may run from the registration of its site until the unregistration returns.  The site,
 * its definition, the format and the buffer are freed only after that.  Filters and lists of
 * threads may change meanwhile, so handlers read them under RCU.  Open files hold the module, so
 * there are none when it exits.
 */
#ifndef _TRACER_EVENT_TYPES_H
#define _TRACER_EVENT_TYPES_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <uprobes/uprobes.h>

#include "trace/buffer/buffer.h"
#include "trace/parse/def.h"
#include "trace/parse/errlog.h"
#include "trace/parse/filter.h"
#include "trace/lib/rate.h"
#include "trace/output/render.h"

struct dentry;
struct pid;
struct pid_namespace;
struct tracer;
struct tracer_event;
struct tracer_group;
struct tracer_synth;

/**
 * enum tracer_pids_which - the lists of a tracer
 * @TRACER_PIDS_ONLY: only hits of these threads are recorded
 * @TRACER_PIDS_NEVER: no hits of these threads are recorded
 * @TRACER_PIDS_LISTS: number of lists
 */
enum tracer_pids_which {
	TRACER_PIDS_ONLY,
	TRACER_PIDS_NEVER,
	TRACER_PIDS_LISTS,
};

/**
 * struct tracer_pids - a list
 * @bits: a bit per id; NULL if there is no list, which is not the same as an empty one
 * @following: forks and exits change the list
 */
struct tracer_pids {
	unsigned long __rcu *bits;
	bool following;
};

#define TRACER_EXCEPT_MAX 16	/* processes that are left out */

/**
 * struct tracer_tasks - a selection of tasks
 * @any: at least one of the other fields is set
 * @tgid: only tasks of this process; NULL for any
 * @tree: not only @tgid, but all processes in @listed
 * @listed: @tgid and its descendants, including descendants whose parents have exited
 * @tid: only this thread; NULL for any
 * @uid: only tasks of this user, if @has_uid is set
 * @has_uid: @uid is set
 * @comm: only tasks with this name; "" for any
 * @except: no tasks of these processes
 * @nexcept: number of @except
 *
 * Nothing changes while there are probes that use the selection.
 */
struct tracer_tasks {
	bool any;
	struct pid *tgid;
	bool tree;
	struct tracer_pids listed;
	struct pid *tid;
	kuid_t uid;
	bool has_uid;
	char comm[TASK_COMM_LEN];
	struct pid *except[TRACER_EXCEPT_MAX];
	unsigned int nexcept;
};

#define TRACER_FORGOTTEN_MAX	256	/* formats kept after their events */
#define TRACER_SESSION_KB	256	/* per CPU, of a session */

/**
 * struct tracer_format - the format of the records of an event
 * @id: the type in its records
 * @recorded: a hit may have written a record; never cleared
 * @removed: the event is gone
 * @described: a reader of units has got the description
 * @def: the event's first definition; owned
 * @node: node in tracer.formats.forgotten if @removed is set
 */
struct tracer_format {
	u16 id;
	bool recorded;
	bool removed;
	bool described;
	struct tracer_def *def;
	struct list_head node;
};

/**
 * struct tracer_group - the events with one group name
 * @node: node in tracer.groups
 * @tracer: its tracer
 * @name: its name
 * @events: number of events; under tracer.define
 * @dir: its directory
 */
struct tracer_group {
	struct list_head node;
	struct tracer *tracer;
	char name[TRACER_NAME_MAX + 1];
	unsigned int events;
	struct dentry *dir;
};

/**
 * struct tracer_dir_ops - functions that create directories
 * @add_group: creates the directory of a group, which has its name and tracer; called under
 *	tracer.define; returns 0 or -errno
 * @add_event: creates the directory of an event, which has its group and format; called likewise
 */
struct tracer_dir_ops {
	int (*add_group)(struct tracer_group *group);
	int (*add_event)(struct tracer_event *event);
};

/**
 * struct tracer_event - an event
 * @node: node in tracer.events
 * @by_name: node in tracer.by_name
 * @group: its group
 * @format: format of its records
 * @sites: its probes, in the order of their definition
 * @enabled: the probes are registered, or about to be (tracer.starting)
 * @removed: the event is not in the list yet, or was removed from it and is about to be freed;
 *	under tracer.lock
 * @filter: selects the hits that are recorded; NULL for all
 * @filter_text: content of the filter file: the filter, or a filter that was rejected, with its
 *	error; NULL for none
 * @rate: limit of hits that are recorded
 * @synth: the synthetic event that it is published as; NULL if it is not published
 * @dir: its directory
 */
struct tracer_event {
	struct list_head node;
	struct rhash_head by_name;
	struct tracer_group *group;
	struct tracer_format *format;
	struct list_head sites;
	bool enabled;
	bool removed;
	struct tracer_filter __rcu *filter;
	char *filter_text;
	struct tracer_rate rate;
	struct tracer_synth __rcu *synth;
	struct dentry *dir;
};

/**
 * struct tracer_site - one probe of an event
 * @node: node in tracer_event.sites
 * @by_place: node in tracer.by_place
 * @indexed: @by_place is in use
 * @tracer: its tracer
 * @event: its event; NULL until the event is known
 * @format: format of the event
 * @def: its definition
 * @rp: the probe; for an entry probe only @rp.u is used.  Its file is open
 *	from the definition on
 * @process: the process that it is in if it is in no file, with a reference; or NULL
 * @conditions: conditions that the filter of its event implies; under tracer.lock
 * @loads: what arguments of hits that come from rings load from memory
 * @atomic: its handler runs in the trap; the task handler runs if the handler cannot fetch an
 *	argument
 * @in_place: its records have a fixed size and need no memory of the program
 * @registered: the probe is registered
 * @blocks: its hits can be in blocks
 * @batch: node in tracer.starting, or in a list of sites that are registered or unregistered
 *	together
 * @lineno: number of its line in the write that defined it, from 1; 0 if it was the only one
 * @registers: all arguments are registers
 * @args_at: offset of the arguments in a record's entry
 * @fixed: bytes of an entry before the strings
 * @ring_size: maximum size of a record whose hit comes from a ring
 * @size: maximum size of its records in bytes, without the stack
 * @missed: number of hits without a record: there was no memory, or they were above the rate.  For
 *	a published event, also hits for which tracefs had no room
 */
struct tracer_site {
	struct list_head node;
	struct rhash_head by_place;
	bool indexed;
	struct tracer *tracer;
	struct tracer_event *event;
	struct tracer_format *format;
	struct tracer_def *def;
	struct uretprobe rp;
	struct pid *process;
	struct uprobe_condition conditions[UPROBE_CONDITIONS];
	struct uprobe_load loads[UPROBE_LOADS];
	bool atomic;
	bool in_place;
	bool registered;
	bool blocks;
	struct list_head batch;
	unsigned int lineno;
	bool registers;
	u32 args_at;
	u32 fixed;
	unsigned int ring_size;
	unsigned int size;
	atomic64_t missed;
};

/**
 * struct tracer_formats - part of a tracer: the formats of its records
 * @sem: protects the other fields
 * @by_id: id -> struct tracer_format
 * @forgotten: formats whose events are removed, oldest first
 * @nforgotten: number of @forgotten
 * @undescribed: number of formats that are not described yet
 *
 * event/tracer.c initializes it; event/format.c has the rest.
 */
struct tracer_formats {
	struct rw_semaphore sem;
	struct idr by_id;
	struct list_head forgotten;
	unsigned int nforgotten;
	atomic_t undescribed;
};

/**
 * struct tracer_view - the records of one CPU, or of all
 * @t: the tracer
 * @cpu: the CPU, or %TRACER_ALL_CPUS
 */
struct tracer_view {
	struct tracer *t;
	int cpu;
};

/**
 * struct tracer_dirs - part of a tracer: its directories; a session has none
 * @ops: creates the directories of groups and events
 * @dir: the directory
 * @events: events/ in @dir
 * @cpus: the view of each CPU, for the files in per_cpu/
 *
 * The files of control/ write it; event/tracer.c removes the directories and frees @cpus.
 */
struct tracer_dirs {
	const struct tracer_dir_ops *ops;
	struct dentry *dir;
	struct dentry *events;
	struct tracer_view *cpus;
};

/**
 * struct tracer - a control directory or a session, with its events
 * @define: see the top of this file
 * @lock: see the top of this file
 * @events: all events, in the order of their definition
 * @by_name: all events, by their names
 * @by_place: all sites, by event, place and fetched arguments; under @define
 * @groups: all groups
 * @starting: sites of a session that are defined and will be registered,
 *	by their batch; under @define
 * @formats: the formats of its records
 * @units: of a session: it is read as units
 * @buffer: the records
 * @sink: takes hits in blocks
 * @errors: the error log, which all tracers share
 * @live: this is a session: its events are enabled when they are defined, and can be removed while
 *	they are enabled
 * @options: a bit per enum tracer_option
 * @no_rings: it has disabled rings, as it records user stacks; under @lock
 * @pids: lists of threads that select the hits to record
 * @ns: pid namespace of the ids in records.  For a session: that of the task that opened it.  NULL
 *	for the initial one
 * @tasks: tasks whose hits a session records; does not change while there are events
 * @view: all CPUs
 * @dirs: its directories
 */
struct tracer {
	struct mutex define;	/* one change of the definitions at a time */
	struct mutex lock;	/* lists of events, what is enabled */
	struct list_head events;
	struct rhashtable by_name;
	struct rhashtable by_place;
	struct list_head groups;
	struct list_head starting;
	struct tracer_formats formats;
	bool units;
	struct tracer_buffer buffer;
	struct uprobe_sink sink;
	struct tracer_errlog *errors;
	bool live;
	unsigned long options;
	bool no_rings;
	struct tracer_pids pids[TRACER_PIDS_LISTS];
	struct pid_namespace *ns;
	struct tracer_tasks tasks;
	struct tracer_view view;
	struct tracer_dirs dirs;
};

/* Check whether an option is on.  Context: any. */
static inline bool tracer_option(const struct tracer *t, enum tracer_option option)
{
	return READ_ONCE(t->options) & 1UL << option;
}

#endif /* _TRACER_EVENT_TYPES_H */
