/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracer: a client of uprobes/uprobes.h, driven by files under
 * /sys/kernel/debug/uprobes/ that speak tracefs's language.
 *
 * What there is, who owns it, and when it dies
 *
 *	struct tracer		definitions and their buffer: those of the
 *				directory, from init to exit, and those of a
 *				session, as long as its file is open
 *	struct tracer_event	a named event; in tracer.events from its first
 *				definition until its removal
 *	struct tracer_site	one probe of an event; owned by the event
 *	struct tracer_def	a parsed line; owned by the site it defines,
 *				the first one of an event by the format
 *	struct tracer_format	how to read records of an event; owned by
 *				tracer.formats.  Outlives its event as long as
 *				records of it may be in the buffer
 *	struct tracer_group	a directory under events/; lives while it has
 *				events
 *
 * Locks, outermost first
 *
 *	tracer.define		one write of definitions, or removal, at a time.  Held
 *				while directories come and go; no file
 *				below events/ ever takes it, because debugfs
 *				waits for their readers and writers when it
 *				removes them
 *	tracer.lock		the lists of events, sites and groups, whether
 *				an event is enabled, filters, lists of
 *				threads, options.  Held while
 *				probes are registered and unregistered;
 *				probe handlers take no lock of the tracer
 *	tracer.formats_sem	the formats; the readers' side is held while a
 *				record is taken and turned into text
 *	tracer_buffer.read_lock	taking records out of the buffer
 *	tracer_errlog.lock	the error log
 *
 * tracer_reader.lock (what an open file has yet to give) comes before
 * tracer.formats_sem; aggregate.lock (the probes of an open aggregate file) is held while
 * they are registered, with none of the others; hooks_lock (synth_perf.c: which synthetic
 * events perf may have) is innermost.
 *
 * A handler runs between the registration of its site and the return of its
 * unregistration; what it uses (the site, its definition, the format, the
 * buffer) is freed only after that.  What may change while probes are in
 * place (filters, lists of threads) handlers read under RCU.  Open files hold
 * the module, so nothing of them is left when it exits.
 */
#ifndef _TRACER_TRACER_H
#define _TRACER_TRACER_H

#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/types.h>

#include <uprobes/uprobes.h>

#include "trace/buffer/buffer.h"
#include "trace/parse/def.h"
#include "trace/parse/errlog.h"
#include "trace/parse/filter.h"
#include "pids.h"
#include "trace/lib/rate.h"
#include "trace/output/render.h"
#include "whose.h"

struct dentry;
struct pid;
struct pid_namespace;
struct tracer;
struct tracer_event;
struct tracer_group;
struct tracer_synth;

#define TRACER_FORGOTTEN_MAX	256	/* formats kept after their events */
#define TRACER_SESSION_KB	256	/* per CPU, of a session */

/**
 * struct tracer_format - how to read records of an event
 * @id: the type in its records
 * @recorded: a record has been written since the buffer was last cleared
 * @removed: the event is gone
 * @def: the event's first definition; owned
 * @node: in tracer.forgotten when @removed
 */
struct tracer_format {
	u16 id;
	bool recorded;
	bool removed;
	struct tracer_def *def;
	struct list_head node;
};

/**
 * struct tracer_group - events of one group name
 * @node: in tracer.groups
 * @tracer: whose it is
 * @name: its name
 * @events: number of events; under tracer.lock
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
 * struct tracer_dir_ops - how groups and events come by a directory
 * @add_group: make the one of a group, which has its name and tracer; called under
 *	tracer.define; returns 0 or -errno
 * @add_event: make the one of an event, which has its group and format; the same
 */
struct tracer_dir_ops {
	int (*add_group)(struct tracer_group *group);
	int (*add_event)(struct tracer_event *event);
};

/**
 * struct tracer_event - an event
 * @node: in tracer.events
 * @by_name: in tracer.by_name
 * @group: where it belongs
 * @format: how to read its records
 * @sites: its probes, in the order of their definition
 * @enabled: they are registered, or about to be (tracer.starting)
 * @removed: the event is not in the list yet, or no more and about to be freed; under
 *	tracer.lock
 * @filter: which hits are recorded; NULL for all
 * @filter_text: what the filter file shows: the filter, or what is wrong with
 *	the one that was written; NULL for none
 * @rate: how many hits are recorded
 * @synth: the synthetic event that it is published as; NULL for none
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
 * @node: in tracer_event.sites
 * @by_place: in tracer.by_place
 * @indexed: it is there
 * @tracer: whose it is
 * @event: what it is a probe of; NULL until that is known
 * @format: of the event
 * @def: what defined it
 * @rp: the probe; for an entry probe only @rp.u is used.  Its file is open
 *	from the definition on
 * @process: what it is in when it is in no file, with a reference; or NULL
 * @atomic: its handler runs in the trap, and in task context what that cannot
 *	fetch
 * @in_place: its records have a fixed size and need no memory of the program
 * @registered: it is in place
 * @batch: in tracer.starting, or among others that come or go
 * @lineno: which line of a write defined it, from 1; 0 for the only one
 * @registers: all arguments are registers
 * @args_at: where in a record's entry they start
 * @fixed: bytes of an entry before the strings
 * @size: most bytes that a record of it takes, its stack aside
 * @lost: hits that left no record for want of memory, or above the rate, or of
 *	a published event none in tracefs for want of room
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
	bool atomic;
	bool in_place;
	bool registered;
	struct list_head batch;
	unsigned int lineno;
	bool registers;
	u32 args_at;
	u32 fixed;
	unsigned int size;
	atomic64_t lost;
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
 * struct tracer_switch - a file of options/
 * @t: the tracer
 * @option: which it sets
 */
struct tracer_switch {
	struct tracer *t;
	enum tracer_option option;
};

/**
 * struct tracer - a control directory and what it controls
 * @define: see the top of this file
 * @lock: see the top of this file
 * @events: all events, in the order of their definition
 * @by_name: events, to be found by their names
 * @by_place: all sites, to be found by event, place and fetches; under @define
 * @groups: all groups
 * @starting: sites of a session that were defined and are to be put in place,
 *	by their batch; under @define
 * @formats_sem: protects @formats, @forgotten and @nforgotten
 * @formats: id -> struct tracer_format
 * @forgotten: formats whose events are removed, oldest first
 * @nforgotten: their number
 * @buffer: what was recorded
 * @errors: what was refused, by all tracers
 * @live: a session: events are enabled when they are defined, and may be
 *	removed while they are
 * @options: a bit per enum tracer_option
 * @pids: whose hits are recorded
 * @ns: ids in records are those of this pid namespace, of a session who opened it; NULL for
 *	the initial one
 * @whose: whose are of interest, of a session; does not change while there are events
 * @view: all CPUs
 * @cpus: each CPU; NULL for a session
 * @switches: the files of options/
 * @dirs: makes the directories of groups and events; NULL for a session, which has none
 * @dir: the directory; NULL for a session
 * @events_dir: events/ in it
 */
struct tracer {
	struct mutex define;	/* one change of the definitions at a time */
	struct mutex lock;	/* lists of events, what is enabled */
	struct list_head events;
	struct rhashtable by_name;
	struct rhashtable by_place;
	struct list_head groups;
	struct list_head starting;
	struct rw_semaphore formats_sem;
	struct idr formats;
	struct list_head forgotten;
	unsigned int nforgotten;
	struct tracer_buffer buffer;
	struct tracer_errlog *errors;
	bool live;
	unsigned long options;
	struct tracer_pids pids;
	struct pid_namespace *ns;
	struct tracer_whose whose;
	struct tracer_view view;
	struct tracer_view *cpus;
	struct tracer_switch switches[TRACER_OPTIONS];
	const struct tracer_dir_ops *dirs;
	struct dentry *dir;
	struct dentry *events_dir;
};

int tracer_setup(struct tracer *t, unsigned long buffer_size, struct tracer_errlog *errors);
void tracer_teardown(struct tracer *t);

static inline bool tracer_option(const struct tracer *t, enum tracer_option option)
{
	return READ_ONCE(t->options) & 1UL << option;
}

#endif /* _TRACER_TRACER_H */
