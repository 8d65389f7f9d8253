/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose hits are of interest, as the lines
 *
 *	only WHAT VALUE		WHAT: pid, tree (the process and those it started, and
 *				will start), tid, uid or comm
 *	except PID		not those of this process
 *
 * of a session and of aggregate say.  Where they name a process, nobody else is probed.
 */
#ifndef _TRACER_WHOSE_H
#define _TRACER_WHOSE_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "trace/buffer/drop.h"
#include "pids.h"

#define TRACER_EXCEPT_MAX 16	/* processes that are left out */

struct mm_struct;
struct pid;

/**
 * struct tracer_whose - whose hits are of interest
 * @any: the rest says anything
 * @tgid: of this process
 * @tree: and of those in @listed, which it has started
 * @listed: @tgid and its descendants, those too whose parents have ended
 * @tid: of this thread
 * @uid: of this user, if @has_uid
 * @has_uid: see @uid
 * @comm: of tasks of this name; "" for any
 * @except: not of these processes
 * @nexcept: how many they are
 *
 * None of it changes while there are probes that it is about.
 */
struct tracer_whose {
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

int tracer_whose_only(struct tracer_whose *whose, const char *words);
int tracer_whose_except(struct tracer_whose *whose, const char *value);
void tracer_whose_release(struct tracer_whose *whose);
enum tracer_drop tracer_whose_look(const struct tracer_whose *whose);
bool tracer_whose_needs(const struct tracer_whose *whose, struct mm_struct *mm);

/**
 * tracer_whose_drops() - why a hit of the current task is of no interest
 * @whose: whose hits are
 *
 * Context: any.
 * Return: %TRACER_DROP_NOT when it is.
 */
static inline enum tracer_drop tracer_whose_drops(const struct tracer_whose *whose)
{
	return likely(!whose->any) ? TRACER_DROP_NOT : tracer_whose_look(whose);
}

/**
 * tracer_whose_names() - is it about processes, so that others need not be probed?
 * @whose: whose hits are of interest
 */
static inline bool tracer_whose_names(const struct tracer_whose *whose)
{
	return whose->tgid || whose->tid || whose->nexcept;
}

#endif /* _TRACER_WHOSE_H */
