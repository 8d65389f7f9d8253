// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's process connector (Documentation/driver-api/connector.rst) reports
 * each fork before the child runs.  So read these messages before looking at
 * events: then all tasks that the events can come from are known.
 */
#include "task_watch.h"

#include <dirent.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/compiler.h"
#include "util/util.h"

/* Forks can happen faster than we are scheduled. */
#define RECEIVE_BUFFER (8 << 20)

_Static_assert(NLMSG_ALIGNTO == 4, "the alignment of netlink messages");

static size_t slot_of(const struct task_set *set, pid_t id)
{
	size_t i = (u32)id * 2654435761u & (set->cap - 1);

	while (set->slots[i] && set->slots[i] != id)
		i = (i + 1) & (set->cap - 1);
	return i;
}

static bool set_has(const struct task_set *set, pid_t id)
{
	/* 0 means an empty slot, and also the parent of init. */
	return set->cap && id > 0 && set->slots[slot_of(set, id)] == id;
}

static void set_add(struct task_set *set, pid_t id)
{
	size_t i;

	if (2 * (set->n + 1) > set->cap) {
		struct task_set old = *set;

		set->cap = old.cap ? 2 * old.cap : 64;
		set->slots = xcalloc(set->cap, sizeof(*set->slots));
		set->n = 0;
		for (i = 0; i < old.cap; i++)
			if (old.slots[i] > 0)
				set_add(set, old.slots[i]);
		free(old.slots);
	}
	i = slot_of(set, id);
	set->n += !set->slots[i];
	set->slots[i] = id;
}

static void set_remove(struct task_set *set, pid_t id)
{
	if (set_has(set, id))
		set->slots[slot_of(set, id)] = -1;
}

/* Call @each for every name in a directory that is a number. */
static void each_id(const char *path,
		    void (*each)(struct task_watch *, pid_t), void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t id = atoi(entry->d_name);

		if (id > 0)
			each(arg, id);
	}
	if (dir)
		closedir(dir);
}

static void add_task(struct task_watch *watch, pid_t tid)
{
	set_add(&watch->tasks, tid);
}

static void add_process(struct task_watch *watch, pid_t pid)
{
	char path[64];

	set_add(&watch->processes, pid);
	set_add(&watch->tasks, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	each_id(path, add_task, watch);
}

static void add_if_child(struct task_watch *watch, pid_t pid)
{
	char path[64], line[1024];
	const char *p = NULL;
	pid_t parent = 0;
	FILE *f;

	if (set_has(&watch->processes, pid))
		return;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	/* proc(5): ID (NAME) STATE PARENT; the name can contain any characters. */
	if (fgets(line, sizeof(line), f))
		p = strrchr(line, ')');
	if (p && sscanf(p, ") %*c %d", &parent) == 1 &&
	    set_has(&watch->processes, parent))
		add_process(watch, pid);
	fclose(f);
}

static int listen_for_forks(void)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = CN_IDX_PROC,
	};
	struct {
		struct nlmsghdr header;
		struct cn_msg msg;
		enum proc_cn_mcast_op op;
	} __packed __aligned(4) request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = NLMSG_DONE,
		},
		.msg = {
			.id = { .idx = CN_IDX_PROC, .val = CN_VAL_PROC },
			.len = sizeof(enum proc_cn_mcast_op),
		},
		.op = PROC_CN_MCAST_LISTEN,
	};
	int size = RECEIVE_BUFFER, fd;

	fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    NETLINK_CONNECTOR);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    send(fd, &request, sizeof(request), 0) != sizeof(request)) {
		close(fd);
		return -1;
	}
	return fd;
}

/**
 * task_watch_start() - watch a process from now on
 * @watch: filled in; to be stopped with task_watch_stop()
 * @pid: the process
 * @follow: processes that it has started and will start belong to it
 */
void task_watch_start(struct task_watch *watch, pid_t pid, bool follow)
{
	size_t before;

	memset(watch, 0, sizeof(*watch));
	watch->follow = follow;
	/* Listen before the look into /proc: a fork in between is seen twice, not missed. */
	watch->fd = listen_for_forks();
	add_process(watch, pid);
	do {
		before = watch->processes.n;
		if (follow)
			each_id("/proc", add_if_child, watch);
	} while (watch->processes.n != before);
	task_watch_update(watch);
}

/* Check whether task_watch_has() also knows tasks that have ended. */
bool task_watch_exact(const struct task_watch *watch)
{
	return watch->fd >= 0;
}

static void handle_fork(struct task_watch *watch,
			const struct proc_event *event)
{
	pid_t child = event->event_data.fork.child_pid;
	pid_t process = event->event_data.fork.child_tgid;
	bool ours = set_has(&watch->processes,
			    event->event_data.fork.parent_tgid);

	if (child != process)
		ours = set_has(&watch->processes, process);
	else if (!watch->follow)
		ours = false;
	if (ours) {
		set_add(&watch->tasks, child);
		if (child == process)
			set_add(&watch->processes, child);
		return;
	}
	/* A reused ID belongs to another task now. */
	if (child == process)
		set_remove(&watch->processes, child);
	set_remove(&watch->tasks, child);
}

static void handle_messages(struct task_watch *watch, const char *buf,
			    size_t len)
{
	const struct nlmsghdr *header = (const struct nlmsghdr *)buf;

	for (; NLMSG_OK(header, len); header = NLMSG_NEXT(header, len)) {
		const struct cn_msg *msg = NLMSG_DATA(header);
		struct proc_event event;

		if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) ||
		    msg->id.idx != CN_IDX_PROC)
			continue;
		memset(&event, 0, sizeof(event));
		memcpy(&event, msg->data, msg->len < sizeof(event) ?
					  msg->len : sizeof(event));
		if (event.what == PROC_EVENT_FORK)
			handle_fork(watch, &event);
	}
}

/**
 * task_watch_update() - read the reports of all forks up to now
 * @watch: the watch
 *
 * Call this after reading events and before looking at them.
 */
void task_watch_update(struct task_watch *watch)
{
	char buf[65536] __aligned(4);
	ssize_t n;

	while (watch->fd >= 0) {
		n = recv(watch->fd, buf, sizeof(buf), 0);
		if (n > 0) {
			handle_messages(watch, buf, n);
		} else if (n < 0 && errno == ENOBUFS) {
			/* Some reports were lost: from now on, use /proc only. */
			close(watch->fd);
			watch->fd = -1;
		} else if (n == 0 || errno != EINTR) {
			break;
		}
	}
}

/**
 * task_watch_has() - check whether a task belongs to the watched process
 * @watch: the watch
 * @tid: the task
 *
 * If the kernel does not report forks, look for the task in /proc.
 */
bool task_watch_has(struct task_watch *watch, pid_t tid)
{
	char path[64];

	if (set_has(&watch->tasks, tid))
		return true;
	if (watch->fd >= 0)
		return false;
	for (size_t i = 0; i < watch->processes.cap; i++) {
		pid_t pid = watch->processes.slots[i];

		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
		if (!access(path, F_OK)) {
			set_add(&watch->tasks, tid);
			return true;
		}
	}
	if (watch->follow)
		add_if_child(watch, tid);
	return set_has(&watch->tasks, tid);
}

void task_watch_stop(struct task_watch *watch)
{
	if (watch->fd >= 0)
		close(watch->fd);
	free(watch->processes.slots);
	free(watch->tasks.slots);
	memset(watch, 0, sizeof(*watch));
	watch->fd = -1;
}
