// SPDX-License-Identifier: GPL-2.0
/*
 * A client that uses the whole interface, controlled by the tests:
 *
 *	echo "0 pid=123 vaddr=0x55d0c0ffee10 flags=1" >/sys/module/uprobe_client/parameters/set
 *	echo "register 0" >/sys/module/uprobe_client/parameters/run
 *	cat /sys/module/uprobe_client/parameters/state
 *
 * There are PROBES numbered probes.  "set" changes fields of one of them.  "run" applies a verb to
 * a range of them ("register 3", "unregister 0-999"), and returns the error of that call.  If a
 * handler still runs after "unregister" or "disable", "run" fails with EBUSY.
 *
 * "state" has a line for each probe that was ever set: number, registered or not, hits, missed,
 * handler calls, entry handler calls, task handler calls, registration callbacks, the result of the
 * last callback, whether that was for a registration, its type, and the number of handlers that
 * are running.  It has room for about a hundred lines.  "total" has the hits and the misses of all
 * probes.
 *
 * "where" adds a condition: "0 where=di.4.s.lt.-5" (register, size, signed or unsigned, comparison,
 * value); "where=none" removes all.  "run" with "condition" has a registered probe use them.
 * "places" has a line for each place of each probe: number, process, address, and why it traps.
 *
 * "order" has the numbers of the probes whose handlers were called last.  "seen" has a line for
 * each call of an entry handler or a return handler, until it is full: the number of the probe,
 * "entry" or "return", the function, the return address, the address of its stack word, the ip,
 * and the stack pointer.  A write clears "order" or "seen".
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <uprobes/uprobes.h>

#include "condition.h"

#define PROBES	2048

/* The action of a handler, besides counting. */
enum action {
	ACT_NOTHING,
	ACT_REGISTER,		/* register probe "other" */
	ACT_UNREGISTER,		/* unregister probe "other" */
	ACT_AGAIN,		/* ask for task context */
	ACT_SLEEP,		/* sleep for "other" milliseconds */
	ACT_SKIP,		/* skip "other" bytes of code */
	ACT_DECLINE,		/* decline every second call, in the entry handler */
	ACT_DATA,		/* check the data that the entry handler has stored */
	ACT_AWAIT,		/* the first call waits for a signal, "other" ms at most */
	ACT_LINGER,		/* wait until another task unregisters the probe, and for "other" */
				/* milliseconds; then unregister the probe, too */
	ACT_BULK,		/* try to register "other" and the next two; unregister them */
	ACT_CHANGE,		/* set the first argument, or the return value, to "other" */
	ACT_ENABLE,		/* try to enable and disable "other": both must fail */
	ACT_HOLD,		/* wait until another task unregisters or disables the probe, */
				/* and for "other" milliseconds */
};

/* The handler of a probe that does the action. */
enum acts { ACTS_HANDLER, ACTS_ENTRY, ACTS_TASK };

static const char * const action_names[] = {
	"nothing", "register", "unregister", "again", "sleep", "skip", "decline", "data",
	"await", "linger", "bulk", "change", "enable", "hold",
};

static struct probe {
	struct uretprobe rp;
	bool used;
	bool returns;
	char path[128];
	struct file *file;
	u8 expect[15];
	struct uprobe_condition conditions[UPROBE_CONDITIONS];
	enum action action;
	enum acts acts;
	unsigned int other;
	bool bare;
	bool mute;
	pid_t only;
	atomic64_t calls;
	atomic64_t entries;
	atomic64_t task_calls;
	atomic_t callbacks;
	atomic_t running;
	int result;
	int reg;
	enum uprobe_type type;
	bool leaving;		/* "unregister" or "disable" has been written */
} *probes;

/* One command at a time.  Handlers do not take it. */
static DEFINE_MUTEX(client_mutex);

static int probe_register(struct probe *p)
{
	return p->returns ? register_uretprobe(&p->rp) : register_uprobe(&p->rp.u);
}

static void probe_unregister(struct probe *p)
{
	if (p->returns)
		unregister_uretprobe(&p->rp);
	else
		unregister_uprobe(&p->rp.u);
}

/* In a handler, registering several probes must fail, and unregistering several must work. */
static void probe_bulk(struct probe *p)
{
	struct uprobe *us[] = { &p[0].rp.u, &p[1].rp.u, &p[2].rp.u };
	struct uretprobe *rps[] = { &p[0].rp, &p[1].rp, &p[2].rp };
	int ret;

	if (p->returns) {
		ret = register_uretprobes(rps, ARRAY_SIZE(rps));
		unregister_uretprobes(rps, ARRAY_SIZE(rps));
	} else {
		ret = register_uprobes(us, ARRAY_SIZE(us));
		unregister_uprobes(us, ARRAY_SIZE(us));
	}
	WARN(ret != -EDEADLK, "registering many in a handler: %d", ret);
}

/* Wait by delays in the trap, for at most 8 s, and by sleeping elsewhere, for at most 60 s. */
static void probe_hold(struct probe *p)
{
	unsigned int ms;

	for (ms = 0; irqs_disabled() && !READ_ONCE(p->leaving) && ms < 8000; ms++)
		mdelay(1);
	for (ms = 0; !irqs_disabled() && !READ_ONCE(p->leaving) && ms < 60000; ms += 20)
		msleep(20);
	if (irqs_disabled())
		mdelay(p->other);
	else
		msleep(p->other);
}

static void probe_act(struct probe *p, enum acts where, struct pt_regs *regs)
{
	unsigned int ms;
	int ret;

	if (p->acts != where)
		return;
	switch (p->action) {
	case ACT_REGISTER:
		ret = probe_register(&probes[p->other]);
		WARN(ret != -EINPROGRESS, "registering in a handler: %d", ret);
		break;
	case ACT_HOLD:
		probe_hold(p);
		break;
	case ACT_UNREGISTER:
		probe_unregister(&probes[p->other]);
		break;
	case ACT_AGAIN:
		uprobe_again();
		break;
	case ACT_SLEEP:
		msleep(p->other);
		break;
	case ACT_AWAIT:
		for (ms = 0; atomic64_read(&p->calls) == 1 && !signal_pending(current) &&
		     ms < p->other; ms += 20)
			msleep(20);
		break;
	case ACT_LINGER:
		for (ms = 0; !READ_ONCE(p->leaving) && ms < 60000; ms += 20)
			msleep(20);
		msleep(p->other);
		probe_unregister(p);
		break;
	case ACT_BULK:
		if (p->other + 2 < PROBES)
			probe_bulk(&probes[p->other]);
		break;
	case ACT_ENABLE:
		ret = enable_uprobe(&probes[p->other].rp.u);
		WARN(ret != -EDEADLK, "enabling in a handler: %d", ret);
		ret = disable_uprobe(&probes[p->other].rp.u);
		WARN(ret != -EDEADLK, "disabling in a handler: %d", ret);
		break;
	case ACT_SKIP:
		regs->ip += p->other;
		break;
	case ACT_CHANGE:
		*(p->returns ? &regs->ax : &regs->di) = p->other;
		break;
	default:
		break;
	}
}

/* The probes whose handlers were called last, in the order of the calls. */
static char order[128];
static DEFINE_SPINLOCK(order_lock);

static void order_note(const struct probe *p)
{
	unsigned long flags;
	size_t len;

	spin_lock_irqsave(&order_lock, flags);
	len = strlen(order);
	if (len > sizeof(order) - 8)
		len = 0;
	scnprintf(order + len, sizeof(order) - len, "%s%d", len ? " " : "", (int)(p - probes));
	spin_unlock_irqrestore(&order_lock, flags);
}

/* The arguments of entry and return handlers, until the array is full. */
static struct seen {
	const struct probe *p;
	bool entry;
	unsigned long func, ret_addr, at, ip, sp;
} seen[32];
static atomic_t nr_seen = ATOMIC_INIT(0);

static void seen_note(const struct probe *p, bool entry, const struct uretprobe_instance *ri,
		      const struct pt_regs *regs)
{
	int n = atomic_fetch_add_unless(&nr_seen, 1, ARRAY_SIZE(seen));

	if (n < ARRAY_SIZE(seen))
		seen[n] = (struct seen) {
			.p = p, .entry = entry, .func = ri->func, .ret_addr = ri->ret_addr,
			.at = ri->sp, .ip = regs->ip, .sp = regs->sp,
		};
}

/* Each handler calls these at its beginning and its end. */
static void handler_begins(struct probe *p, bool in_trap)
{
	WARN_ONCE(irqs_disabled() != in_trap, "a handler is called %s the trap",
		  in_trap ? "outside of" : "in");
	atomic_inc(&p->running);
}

static void handler_ends(struct probe *p)
{
	atomic_dec(&p->running);
}

static bool probe_atomic(const struct probe *p)
{
	return p->rp.u.flags & UPROBE_ATOMIC;
}

static void on_hit(struct uprobe *u, struct pt_regs *regs)
{
	struct probe *p = container_of(u, struct probe, rp.u);

	handler_begins(p, probe_atomic(p));
	order_note(p);
	atomic64_inc(&p->calls);
	if (p->acts == ACTS_TASK)
		uprobe_again();
	probe_act(p, ACTS_HANDLER, regs);
	handler_ends(p);
}

static void task_handler(struct probe *p, struct pt_regs *regs)
{
	handler_begins(p, false);
	might_sleep();
	atomic64_inc(&p->task_calls);
	probe_act(p, ACTS_TASK, regs);
	handler_ends(p);
}

static void on_task(struct uprobe *u, struct pt_regs *regs)
{
	task_handler(container_of(u, struct probe, rp.u), regs);
}

/* The byte that an entry handler fills the data of a call with. */
static u8 data_byte(const struct uretprobe_instance *ri)
{
	return (ri->sp >> 4) ^ (ri->ret_addr << 1);
}

static int on_entry(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct probe *p = container_of(ri->rp, struct probe, rp);
	s64 n = atomic64_inc_return(&p->entries);

	if (p->action == ACT_DECLINE)
		return n % 2;
	handler_begins(p, probe_atomic(p));
	seen_note(p, true, ri, regs);
	if (memchr_inv(ri->data, 0, ri->rp->data_size))
		pr_err("the data of a call is not clear\n");
	memset(ri->data, data_byte(ri), ri->rp->data_size);
	probe_act(p, ACTS_ENTRY, regs);
	handler_ends(p);
	return 0;
}

static void on_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct probe *p = container_of(ri->rp, struct probe, rp);

	if (p->action == ACT_DATA && memchr_inv(ri->data, data_byte(ri), ri->rp->data_size)) {
		pr_err("the data of a call has changed\n");
		return;
	}
	handler_begins(p, probe_atomic(p));
	seen_note(p, false, ri, regs);
	order_note(p);
	atomic64_inc(&p->calls);
	if (p->acts == ACTS_TASK)
		uprobe_again();
	probe_act(p, ACTS_HANDLER, regs);
	handler_ends(p);
}

static void on_task_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	task_handler(container_of(ri->rp, struct probe, rp), regs);
}

static void on_done(struct uprobe *u, int reg, enum uprobe_type type, int result)
{
	struct probe *p = container_of(u, struct probe, rp.u);

	if (p->action == ACT_LINGER)
		msleep(p->other);
	p->result = result;
	p->reg = reg;
	p->type = type;
	/* If the test sees the new number of callbacks, it must see their result, too. */
	smp_wmb();
	atomic_inc(&p->callbacks);
}

static bool filter_pid(struct uprobe *u, struct mm_struct *mm)
{
	struct probe *p = container_of(u, struct probe, rp.u);
	struct task_struct *task;
	bool same;

	rcu_read_lock();
	task = pid_task(find_vpid(p->only), PIDTYPE_PID);
	same = task && READ_ONCE(task->mm) == mm;
	rcu_read_unlock();
	return same;
}

static int set_file(struct probe *p, const char *name, const char *value)
{
	struct file *file = filp_open(value, *name == 'w' ? O_WRONLY : O_RDONLY, 0);
	bool by_inode = *name == 'i';

	if (IS_ERR(file))
		return PTR_ERR(file);
	if (p->file)
		fput(p->file);
	p->file = file;
	p->rp.u.file = by_inode ? NULL : file;
	p->rp.u.inode = by_inode ? file_inode(file) : NULL;
	return 0;
}

static int set_field(struct probe *p, char *name, char *value)
{
	struct uprobe *u = &p->rp.u;
	unsigned long long number = 0;
	int i = -1;

	if (!strcmp(name, "path")) {
		u->path = strscpy(p->path, value, sizeof(p->path)) > 0 ? p->path : NULL;
		return 0;
	}
	if (!strcmp(name, "file") || !strcmp(name, "writable") || !strcmp(name, "inode"))
		return set_file(p, name, value);
	if (!strcmp(name, "where"))
		return condition_add(u, p->conditions, value);
	if (!strcmp(name, "action")) {
		i = match_string(action_names, ARRAY_SIZE(action_names), value);
		p->action = max(i, 0);
		return i < 0 ? i : 0;
	}
	if (!strcmp(name, "expect")) {
		u->expect = p->expect;
		u->expect_len = strlen(value) / 2;
		if (strlen(value) / 2 > sizeof(p->expect))
			return -EINVAL;
		for (i = 0; i < u->expect_len; i++) {
			if (sscanf(value + 2 * i, "%2hhx", &p->expect[i]) != 1)
				return -EINVAL;
		}
		return 0;
	}
	if (kstrtoull(value, 0, &number))
		return -EINVAL;
	if (!strcmp(name, "pid"))
		u->pid = number;
	else if (!strcmp(name, "vaddr"))
		u->vaddr = number;
	else if (!strcmp(name, "offset"))
		u->offset = number;
	else if (!strcmp(name, "ref"))
		u->ref_ctr_offset = number;
	else if (!strcmp(name, "flags"))
		u->flags = number;
	else if (!strcmp(name, "returns"))
		p->returns = number;
	else if (!strcmp(name, "data"))
		p->rp.data_size = number;
	else if (!strcmp(name, "entry"))
		p->rp.entry_handler = number ? on_entry : NULL;
	else if (!strcmp(name, "other"))
		p->other = number;
	else if (!strcmp(name, "acts"))
		p->acts = number;
	else if (!strcmp(name, "handler"))
		p->bare = !number;
	else if (!strcmp(name, "callback"))
		p->mute = !number;
	else if (!strcmp(name, "only"))
		p->only = number;
	else
		return -ENOKEY;
	return 0;
}

static int set_probe(const char *line, const struct kernel_param *kp)
{
	char *copy = kstrdup(line, GFP_KERNEL), *rest = copy, *word;
	unsigned int number;
	struct probe *p;
	int ret;

	if (!copy)
		return -ENOMEM;
	mutex_lock(&client_mutex);
	ret = kstrtouint(strsep(&rest, " "), 0, &number);
	if (!ret && number >= PROBES)
		ret = -ERANGE;
	p = &probes[ret ? 0 : number];
	while (!ret && (word = strsep(&rest, "\n "))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (value)
			*value++ = '\0';
		ret = value ? set_field(p, word, value) : -EINVAL;
	}
	if (!ret) {
		p->used = true;
		/* Set the handlers of both kinds of probes.  Only one kind is called. */
		p->rp.u.handler = p->bare && !p->returns ? NULL : on_hit;
		p->rp.u.task_handler = p->bare ? NULL : on_task;
		p->rp.u.filter = p->only ? filter_pid : NULL;
		p->rp.u.registration_callback = p->mute ? NULL : on_done;
		p->rp.handler = p->bare && p->returns ? NULL : on_return;
		p->rp.task_handler = on_task_return;
	}
	mutex_unlock(&client_mutex);
	kfree(copy);
	return ret;
}

static bool any_running(unsigned int first, unsigned int last)
{
	unsigned int i;

	for (i = first; i <= last; i++) {
		if (atomic_read(&probes[i].running))
			return true;
	}
	return false;
}

static long register_in_thread(void *p)
{
	return probe_register(p);
}

static int run_range(const char *verb, unsigned int first, unsigned int last)
{
	bool ends = !strcmp(verb, "unregister") || !strcmp(verb, "unmap") ||
		    !strcmp(verb, "disable");
	unsigned int i, n = last - first + 1;
	bool returns = probes[first].returns;
	struct uretprobe **rps;
	struct uprobe **us;
	int ret = 0;

	rps = kvmalloc_array(n, sizeof(*rps), GFP_KERNEL);
	us = kvmalloc_array(n, sizeof(*us), GFP_KERNEL);
	for (i = 0; rps && us && i < n; i++) {
		rps[i] = &probes[first + i].rp;
		us[i] = &probes[first + i].rp.u;
		WRITE_ONCE(probes[first + i].leaving, ends);
	}
	if (!rps || !us)
		ret = -ENOMEM;
	else if (!strcmp(verb, "register"))
		ret = n == 1 ? probe_register(&probes[first]) :
			returns ? register_uretprobes(rps, n) : register_uprobes(us, n);
	else if (!strcmp(verb, "thread-register"))
		ret = work_on_cpu(raw_smp_processor_id(), register_in_thread, &probes[first]);
	else if (!strcmp(verb, "unregister") && n == 1)
		probe_unregister(&probes[first]);
	else if (!strcmp(verb, "unregister") && returns)
		unregister_uretprobes(rps, n);
	else if (!strcmp(verb, "unregister"))
		unregister_uprobes(us, n);
	else if (!strcmp(verb, "unmap") && returns)
		unmap_uretprobe(rps[0]);
	else if (!strcmp(verb, "unmap"))
		unmap_uprobe(us[0]);
	else if (!strcmp(verb, "enable"))
		ret = enable_uprobe(us[0]);
	else if (!strcmp(verb, "disable"))
		ret = disable_uprobe(us[0]);
	else if (!strcmp(verb, "condition"))
		ret = set_uprobe_conditions(us[0], us[0]->conditions, us[0]->nr_conditions);
	else if (!strcmp(verb, "check"))
		ret = returns ? uretprobe_check(rps[0]) : uprobe_check(us[0]);
	else
		ret = -ENOKEY;
	kvfree(rps);
	kvfree(us);
	return ret ?: ends && any_running(first, last) ? -EBUSY : 0;
}

static int run_command(const char *line, const struct kernel_param *kp)
{
	unsigned int first, last;
	char verb[16];
	int n, ret;

	n = sscanf(line, "%15s %u-%u", verb, &first, &last);
	if (n < 2)
		return -EINVAL;
	if (n == 2)
		last = first;
	if (first > last || last >= PROBES)
		return -ERANGE;
	mutex_lock(&client_mutex);
	ret = run_range(verb, first, last);
	mutex_unlock(&client_mutex);
	return ret;
}

static int show_state(char *buffer, const struct kernel_param *kp)
{
	struct probe *p;
	int n = 0;

	for (p = probes; p < probes + PROBES; p++) {
		struct uprobe_counts counts;

		if (!p->used || n > PAGE_SIZE - 128)
			continue;
		counts = uprobe_counts(&p->rp.u);
		n += sysfs_emit_at(buffer, n, "%d %d %llu %llu %lld %lld %lld %d %d %d %d %d\n",
				   (int)(p - probes), !!p->rp.u.kdata, counts.hits, counts.missed,
				   atomic64_read(&p->calls), atomic64_read(&p->entries),
				   atomic64_read(&p->task_calls), atomic_read(&p->callbacks),
				   p->result, p->reg, p->type, atomic_read(&p->running));
	}
	return n;
}

static int show_total(char *buffer, const struct kernel_param *kp)
{
	u64 hits = 0, missed = 0;
	struct probe *p;

	for (p = probes; p < probes + PROBES; p++) {
		struct uprobe_counts counts = uprobe_counts(&p->rp.u);

		hits += counts.hits;
		missed += counts.missed;
	}
	return sysfs_emit(buffer, "%llu %llu\n", hits, missed);
}

static int show_places(char *buffer, const struct kernel_param *kp)
{
	struct uprobe_place places[8];
	unsigned int i, number, n;
	int len = 0;

	for (number = 0; number < PROBES; number++) {
		if (!probes[number].used || len > PAGE_SIZE - 1024)
			continue;
		n = uprobe_places(&probes[number].rp.u, places, ARRAY_SIZE(places));
		for (i = 0; i < min_t(unsigned int, n, ARRAY_SIZE(places)); i++)
			len += sysfs_emit_at(buffer, len, "%u %d %#lx %s\n", number,
					     places[i].pid, places[i].vaddr,
					     places[i].trap ?: "no trap");
	}
	return len;
}

static int show_order(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", order);
}

static int clear_order(const char *line, const struct kernel_param *kp)
{
	order[0] = '\0';
	return 0;
}

static int show_seen(char *buffer, const struct kernel_param *kp)
{
	int i, n = 0;

	for (i = 0; i < atomic_read(&nr_seen); i++)
		n += sysfs_emit_at(buffer, n, "%d %s %lx %lx %lx %lx %lx\n",
				   (int)(seen[i].p - probes), seen[i].entry ? "entry" : "return",
				   seen[i].func, seen[i].ret_addr, seen[i].at, seen[i].ip,
				   seen[i].sp);
	return n;
}

static int clear_seen(const char *line, const struct kernel_param *kp)
{
	atomic_set(&nr_seen, 0);
	return 0;
}

static const struct kernel_param_ops order_ops = { .set = clear_order, .get = show_order };
static const struct kernel_param_ops seen_ops = { .set = clear_seen, .get = show_seen };
static const struct kernel_param_ops set_ops = { .set = set_probe };
static const struct kernel_param_ops run_ops = { .set = run_command };
static const struct kernel_param_ops state_ops = { .get = show_state };
static const struct kernel_param_ops total_ops = { .get = show_total };
static const struct kernel_param_ops places_ops = { .get = show_places };

module_param_cb(set, &set_ops, NULL, 0200);
MODULE_PARM_DESC(set, "change fields of a probe");
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "register (in a kernel thread: thread-register), unregister, enable, disable, unmap or check probes");
module_param_cb(order, &order_ops, NULL, 0600);
MODULE_PARM_DESC(order, "whose handlers were called last");
module_param_cb(seen, &seen_ops, NULL, 0600);
MODULE_PARM_DESC(seen, "how the last calls were entered and left");
module_param_cb(places, &places_ops, NULL, 0400);
MODULE_PARM_DESC(places, "where they are, and why they trap");
module_param_cb(state, &state_ops, NULL, 0400);
MODULE_PARM_DESC(state, "what has come of them");
module_param_cb(total, &total_ops, NULL, 0400);
MODULE_PARM_DESC(total, "hits and misses of all of them");

static int __init client_init(void)
{
	probes = kvcalloc(PROBES, sizeof(*probes), GFP_KERNEL);
	return probes ? 0 : -ENOMEM;
}

static void __exit client_exit(void)
{
	struct uprobe **us = kvmalloc_array(PROBES, sizeof(*us), GFP_KERNEL | __GFP_NOFAIL);
	unsigned int i;

	for (i = 0; i < PROBES; i++)
		us[i] = &probes[i].rp.u;
	unregister_uprobes(us, PROBES);
	for (i = 0; i < PROBES; i++) {
		if (probes[i].file)
			fput(probes[i].file);
	}
	kvfree(us);
	kvfree(probes);
}

module_init(client_init);
module_exit(client_exit);

MODULE_DESCRIPTION("Test client of uprobes.ko");
MODULE_AUTHOR("The uprobes.ko authors");
MODULE_LICENSE("GPL");
