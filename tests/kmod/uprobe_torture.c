// SPDX-License-Identifier: GPL-2.0
/*
 * The client of the torture.  Registers probes of all kinds at random, and checks what it gets.
 * target	(write) add a place: "PATH OFFSET VADDR FUNCTION K REF SPANNED".  PATH is not
 *	position-independent, and its process has the name of the file.  FUNCTION is the number of
 *	the function that begins there, or -1.  It is called with (x, ~x, ...), returns 3 * x + K
 * span	(write) 1: register an entry and a return probe on each function whose SPANNED is 1; 0:
 *	unregister them.  (read) lines "NAME FUNCTION entry|return HITS MISSED"
 * churn (write) start so many threads, which register and unregister; 0: stop them
 * state (read) lines "NAME NUMBER": operations, and errors, which are also in the kernel log
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <uprobes/uprobes.h>

#include "torture_condition.h"
#include "torture_target.h"

#define SPANS		128
#define CHURNERS	8
#define CHURNED		96
#define BULK		32

static unsigned int seed = 1;
module_param(seed, uint, 0400);
MODULE_PARM_DESC(seed, "of the random numbers");

/* The action of a handler, besides its checks. */
enum action { ACT_NOTHING, ACT_SLEEP, ACT_AGAIN, ACT_LEAVE, ACT_DECLINE, ACTIONS };

struct probe {
	struct uretprobe rp;
	struct target *target;
	bool returns;
	bool registered;
	/* If it is set, all hits of which the handler hears meet it. */
	const struct uprobe_condition *where;
	/* A handler may be called. */
	bool live;
	bool enabled;
	enum action action;
	/* Bit 0: a thread, or the handler, takes care of unregistering the probe. */
	unsigned long asked;
	struct completion left;
	atomic64_t calls;
	atomic64_t entries;
};

static struct probe *spans;
static unsigned int nr_spans;

static struct churner {
	struct task_struct *task;	/* with a reference, as the thread ends by itself */
	bool stop;
	/* The thread has unregistered all of its probes. */
	struct completion done;
	u64 random;
	struct probe *probes;
} churners[CHURNERS];

enum count {
	REGISTERED, UNREGISTERED, ENABLED, DISABLED, CONDITIONS, IN_HANDLER, ENDED, NO_PROCESS,
	NOT_THERE, REFUSED, HITS, MISSED, WRONG, COUNTS
};

static const char * const count_names[COUNTS] = {
	"registered", "unregistered", "enabled", "disabled", "conditions-changed",
	"unregistered-by-handler", "ended-by-themselves", "no-such-process", "no-such-mapping",
	"other-refusals",
	"hits", "missed", "wrong",
};

static atomic64_t counts[COUNTS];

static void count(enum count what)
{
	atomic64_inc(&counts[what]);
}

static void tell(const struct probe *p, const char *what, unsigned long value)
{
	count(WRONG);
	pr_err("wrong: %s (%#lx): %s+0x%llx function %d, %s, flags %x, action %d, %s, by %s[%d]\n",
	       what, value, p->target->name, p->target->offset, p->target->function,
	       p->returns ? "return" : "entry", p->rp.u.flags, p->action,
	       p->rp.u.vaddr ? "process" : "file", current->comm, current->pid);
}

static void look(struct probe *p)
{
	if (!READ_ONCE(p->live))
		tell(p, "the handler of an unregistered probe is called", 0);
	else if (!READ_ONCE(p->enabled))
		tell(p, "the handler of a disabled probe is called", 0);
}

static void look_at_entry(struct probe *p, unsigned long addr, struct pt_regs *regs)
{
	const struct uprobe_condition *where = READ_ONCE(p->where);

	look(p);
	if (where && !holds(where, regs))
		tell(p, "a hit does not meet the condition", where - conditions);
	if (offset_in_page(addr ^ p->target->offset) || regs->ip != addr)
		tell(p, "the ip is wrong at an entry", regs->ip);
	if (p->target->function >= 0 && regs->si != ~regs->di)
		tell(p, "the arguments are wrong", regs->si);
}

static void act(struct probe *p)
{
	u64 calls = atomic64_inc_return(&p->calls);

	switch (p->action) {
	case ACT_SLEEP:
		if (!(p->rp.u.flags & UPROBE_ATOMIC) && calls % 64 == 1)
			usleep_range(50, 2000);
		break;
	case ACT_AGAIN:
		uprobe_again();
		break;
	case ACT_LEAVE:
		if (calls > 20 && !test_and_set_bit(0, &p->asked)) {
			if (p->returns)
				unregister_uretprobe(&p->rp);
			else
				unregister_uprobe(&p->rp.u);
		}
		break;
	default:
		break;
	}
}

static void on_hit(struct uprobe *u, struct pt_regs *regs)
{
	struct probe *p = container_of(u, struct probe, rp.u);

	look_at_entry(p, regs->ip, regs);
	act(p);
}

static void on_task(struct uprobe *u, struct pt_regs *regs)
{
	might_sleep();
	look(container_of(u, struct probe, rp.u));
}

static int on_entry(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct probe *p = container_of(ri->rp, struct probe, rp);
	unsigned long *data = (unsigned long *)ri->data;

	look_at_entry(p, ri->func, regs);
	if (ri->sp != regs->sp)
		tell(p, "the stack pointer is wrong at an entry", ri->sp);
	if (data[0] || data[1])
		tell(p, "the data of a call are not clear", data[0] | data[1]);
	data[0] = regs->di;
	data[1] = ~ri->sp;
	return p->action == ACT_DECLINE && atomic64_inc_return(&p->entries) % 2;
}

static void on_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	struct probe *p = container_of(ri->rp, struct probe, rp);
	unsigned long *data = (unsigned long *)ri->data;

	look(p);
	if (offset_in_page(ri->func ^ p->target->offset))
		tell(p, "the function is wrong at a return", ri->func);
	if (regs->ip != ri->ret_addr)
		tell(p, "the ip is wrong at a return", regs->ip);
	if (regs->sp <= ri->sp)
		tell(p, "the stack pointer is wrong at a return", regs->sp);
	if (ri->rp->data_size && data[1] != ~ri->sp)
		tell(p, "the data of a call have changed", data[1]);
	else if (ri->rp->data_size && regs->ax != 3 * data[0] + p->target->k)
		tell(p, "the result is wrong", regs->ax);
	act(p);
}

static void on_task_return(struct uretprobe_instance *ri, struct pt_regs *regs)
{
	might_sleep();
	look(container_of(ri->rp, struct probe, rp));
}

static void on_done(struct uprobe *u, int reg, enum uprobe_type type, int result)
{
	struct probe *p = container_of(u, struct probe, rp.u);

	if (reg || type != (p->returns ? UPTY_URETPROBE : UPTY_UPROBE))
		tell(p, "the callback is about something else", reg);
	if (result)
		tell(p, "unregistering in a handler has failed", result);
	complete(&p->left);
}

static bool filter_by_mm(struct uprobe *u, struct mm_struct *mm)
{
	might_sleep();
	return (unsigned long)mm / 64 % 4;
}

static void prepare(struct probe *p, struct target *t, bool returns, unsigned int flags)
{
	memset(p, 0, sizeof(*p));
	init_completion(&p->left);
	p->target = t;
	p->returns = returns;
	p->rp.u.handler = flags & UPROBE_COUNT ? NULL : on_hit;
	p->rp.handler = on_return;
	p->rp.u.registration_callback = on_done;
	p->rp.u.flags = flags;
	p->rp.u.file = t->file;
	p->rp.u.offset = t->offset;
	p->enabled = !(flags & UPROBE_DISABLED);
	p->live = true;
}

static void set_condition(struct probe *p, const struct uprobe_condition *where)
{
	p->where = where;
	p->rp.u.conditions = where;
	p->rp.u.nr_conditions = 1;
}

/* Set up a random probe at a place.  Return false if it needs a process, and there is none. */
static bool prepare_any(struct probe *p, struct target *t, bool returns, bool processes,
			u64 *random)
{
	unsigned int by = draw(random, 3 - !t->by_inode);
	struct uprobe *u = &p->rp.u;

	prepare(p, t, returns,
		draw(random, 2) * UPROBE_ATOMIC | !draw(random, 5) * UPROBE_DISABLED |
		(!returns && !draw(random, 5)) * UPROBE_COUNT);
	p->action = u->handler ? draw(random, ACTIONS) : ACT_NOTHING;
	if (!draw(random, 3))
		set_condition(p, &conditions[draw(random, ARRAY_SIZE(conditions))]);
	if (p->action == ACT_AGAIN) {
		u->task_handler = on_task;
		p->rp.task_handler = on_task_return;
	}
	if (returns && (p->action == ACT_DECLINE || draw(random, 2))) {
		p->rp.entry_handler = on_entry;
		p->rp.data_size = 16 + draw(random, 3) * 100;
	}
	if (t->ref && draw(random, 2))
		u->ref_ctr_offset = t->ref;
	if (processes && t->vaddr && draw(random, 3)) {
		u->file = NULL;
		u->offset = 0;
		u->vaddr = t->vaddr;
		u->flags |= draw(random, 2) * UPROBE_INHERIT;
		u->pid = process_of(t, random);
		return u->pid;
	}
	u->file = by == 0 ? t->file : NULL;
	u->path = by == 1 ? t->path : NULL;
	u->inode = by == 2 ? file_inode(t->file) : NULL;
	if (!draw(random, 3))
		u->filter = filter_by_mm;
	return true;
}

/* A struct probe begins with a return probe, which begins with a probe, so pointers can be cast. */
static int register_some(struct probe **ps, unsigned int n)
{
	BUILD_BUG_ON(offsetof(struct probe, rp) || offsetof(struct uretprobe, u));
	if (ps[0]->returns)
		return n == 1 ? register_uretprobe(&ps[0]->rp) :
			register_uretprobes((struct uretprobe **)ps, n);
	return n == 1 ? register_uprobe(&ps[0]->rp.u) : register_uprobes((struct uprobe **)ps, n);
}

static void unregister_some(struct probe **ps, unsigned int n)
{
	if (!n)
		return;
	if (ps[0]->returns)
		n == 1 ? unregister_uretprobe(&ps[0]->rp) :
			unregister_uretprobes((struct uretprobe **)ps, n);
	else
		n == 1 ? unregister_uprobe(&ps[0]->rp.u) :
			unregister_uprobes((struct uprobe **)ps, n);
}

static void registered(struct probe *p)
{
	p->registered = true;
	count(REGISTERED);
}

/* Check a probe that has been unregistered.  No handler may be called now, and counts are final. */
static void gone(struct probe *p)
{
	struct uprobe_counts c = uprobe_counts(&p->rp.u);
	u64 calls = atomic64_read(&p->calls);

	WRITE_ONCE(p->live, false);
	if (p->rp.u.kdata)
		tell(p, "an unregistered probe has kdata", (unsigned long)p->rp.u.kdata);
	if (p->action == ACT_AGAIN ? calls < c.hits || calls > c.hits + c.missed :
				     calls != c.hits && p->rp.u.handler)
		tell(p, "hits and calls of the handler differ", calls - c.hits);
	atomic64_add(c.hits, &counts[HITS]);
	atomic64_add(c.missed, &counts[MISSED]);
	p->registered = false;
	count(UNREGISTERED);
}

static void unregister_any(struct probe **ps, unsigned int n)
{
	struct probe *left[BULK];
	unsigned int i, nr_left = 0;

	for (i = 0; i < n; i++) {
		if (!ps[i]->rp.u.kdata && !test_bit(0, &ps[i]->asked))
			count(ENDED);
		if (!test_and_set_bit(0, &ps[i]->asked)) {
			left[nr_left++] = ps[i];
			continue;
		}
		count(IN_HANDLER);
		while (!wait_for_completion_timeout(&ps[i]->left, 120 * HZ))
			tell(ps[i], "unregistering in a handler does not end", 0);
	}
	unregister_some(left, nr_left);
	for (i = 0; i < n; i++)
		gone(ps[i]);
}

/* Check for the errors that a call gets if the process ends, at any moment. */
static bool kill_errno(int ret)
{
	return ret == -EINVAL || ret == -EFAULT || ret == -ESRCH || ret == -EIO;
}

/* Count a refusal of @p, or of a probe that was registered in the same call. */
static void refused(struct probe *p, int ret)
{
	enum count what = !p->rp.u.vaddr || !kill_errno(ret) ? REFUSED :
			  ret == -ESRCH ? NO_PROCESS : NOT_THERE;

	count(what);
	if (what == REFUSED)
		tell(p, "registering has failed, of this one or one with it", -ret);
}

/*
 * Collect probes from @first on that are registered, and of one type; or, if @is_registered is
 * false, probes that are not registered.
 */
static unsigned int collect(struct churner *c, unsigned int first, bool is_registered,
			    struct probe **ps, unsigned int limit)
{
	struct probe *p, *end = c->probes + CHURNED;
	unsigned int n = 0;

	for (p = c->probes + first; n < limit && p < end; p++) {
		if (p->registered == is_registered &&
		    (!n || !is_registered || p->returns == ps[0]->returns))
			ps[n++] = p;
	}
	return n;
}

static void churn_register(struct churner *c, unsigned int first)
{
	unsigned int i, n, limit = draw(&c->random, 2) ? 1 : 1 + draw(&c->random, BULK);
	bool returns = draw(&c->random, 2);
	/* If the process of one probe has ended, the registration of all probes fails. */
	bool processes = limit == 1 || !draw(&c->random, 4);
	struct probe *ps[BULK];
	int ret;

	n = collect(c, first, false, ps, limit);
	for (i = 0; i < n; i++) {
		struct target *t;

		do
			t = &targets[draw(&c->random, nr_targets)];
		while (returns && t->function < 0);
		if (!prepare_any(ps[i], t, returns, processes, &c->random)) {
			count(NO_PROCESS);
			return;
		}
	}
	ret = register_some(ps, n);
	for (i = 0; !ret && i < n; i++)
		registered(ps[i]);
	/* The process of a probe may have ended: blame the first probe that has one. */
	while (ret && i < n - 1 && !ps[i]->rp.u.vaddr)
		i++;
	if (ret)
		refused(ps[i], ret);
}

static void churn_enable(struct probe *p, bool enable)
{
	bool process = p->rp.u.vaddr;
	int ret;

	if (enable) {
		WRITE_ONCE(p->enabled, true);
		ret = enable_uprobe(&p->rp.u);
	} else {
		ret = disable_uprobe(&p->rp.u);
		if (!ret)
			WRITE_ONCE(p->enabled, false);
	}
	if (!ret)
		count(enable ? ENABLED : DISABLED);
	else if (process ? !kill_errno(ret) : ret != -EINVAL || !p->asked)
		tell(p, enable ? "enabling has failed" : "disabling has failed", -ret);
}

static void churn_condition(struct probe *p, u64 *random)
{
	bool process = p->rp.u.vaddr, some = draw(random, 2);
	int ret;

	/* The handler may hear of hits that have met either the old condition or the new one. */
	WRITE_ONCE(p->where, NULL);
	ret = set_uprobe_conditions(&p->rp.u, &conditions[draw(random, ARRAY_SIZE(conditions))],
				    some);
	if (!ret)
		count(CONDITIONS);
	else if (process ? !kill_errno(ret) : ret != -EINVAL || !p->asked)
		tell(p, "a change of the condition has failed", -ret);
}

static void churn_once(struct churner *c)
{
	unsigned int first = draw(&c->random, CHURNED), n;
	struct probe *p = &c->probes[first], *ps[BULK];

	if (!p->registered) {
		churn_register(c, first);
		return;
	}
	switch (draw(&c->random, 7)) {
	case 0:
		churn_enable(p, true);
		break;
	case 1:
		churn_enable(p, false);
		break;
	case 2:
	case 3:
		n = collect(c, first, true, ps, 1 + draw(&c->random, BULK));
		unregister_any(ps, n);
		break;
	case 4:
		churn_condition(p, &c->random);
		break;
	default:
		unregister_any(&p, 1);
	}
}

static int churn(void *data)
{
	struct churner *c = data;
	struct probe *ps[BULK];
	unsigned int n;

	/* Otherwise the programs would leave the thread little time. */
	set_user_nice(current, -10);
	while (!READ_ONCE(c->stop)) {
		churn_once(c);
		if (!draw(&c->random, 8))
			usleep_range(100, 2000);
		cond_resched();
	}
	while ((n = collect(c, 0, true, ps, BULK)))
		unregister_any(ps, n);
	complete(&c->done);
	return 0;
}

static void churn_stop(void)
{
	struct churner *c;

	/* Tell all threads to stop before waiting for the first one. */
	for (c = churners; c < churners + CHURNERS; c++)
		WRITE_ONCE(c->stop, true);
	for (c = churners; c < churners + CHURNERS; c++) {
		if (!c->task)
			continue;
		/* Wait in short periods, so that this task is not taken for a hung one. */
		while (!wait_for_completion_timeout(&c->done, 10 * HZ))
			;
		kthread_stop(c->task);
		put_task_struct(c->task);
		kvfree(c->probes);
		c->task = NULL;
	}
}

static int churn_set(const char *line, const struct kernel_param *kp)
{
	static unsigned int rounds;
	unsigned int n, i;
	int ret = kstrtouint(line, 0, &n);

	if (ret || n > CHURNERS || (n && !nr_targets))
		return ret ?: -EINVAL;
	churn_stop();
	rounds++;
	for (i = 0; i < n; i++) {
		struct churner *c = &churners[i];
		struct task_struct *task;

		c->random = seed * 1000003ULL + rounds * 101 + i;
		c->probes = kvcalloc(CHURNED, sizeof(*c->probes), GFP_KERNEL);
		if (!c->probes)
			return -ENOMEM;
		c->stop = false;
		init_completion(&c->done);
		task = kthread_create(churn, c, "torture/%u", i);
		if (IS_ERR(task)) {
			kvfree(c->probes);
			return PTR_ERR(task);
		}
		c->task = get_task_struct(task);
		wake_up_process(task);
	}
	return 0;
}

static void span_stop(void)
{
	struct probe *ps[BULK];
	unsigned int i, n;

	/* The entry probes come before the return probes; one call unregisters one type only. */
	for (i = 0; i < nr_spans; i += n) {
		for (n = 0; n < BULK && i + n < nr_spans; n++) {
			ps[n] = &spans[i + n];
			if (ps[n]->returns != ps[0]->returns)
				break;
		}
		unregister_any(ps, n);
	}
	nr_spans = 0;
}

static int span_start(void)
{
	u64 random = seed * 1000003ULL + 999;
	static struct probe *ps[SPANS];
	static const unsigned int kinds[] = { UPROBE_ATOMIC, 0, UPROBE_COUNT };
	unsigned int i, returns, n = 0;
	int ret;

	for (returns = 0; returns < 2; returns++) {
		for (i = 0; i < nr_targets && n < SPANS; i++) {
			if (!targets[i].spanned || targets[i].function < 0)
				continue;
			prepare(&spans[n], &targets[i], returns, kinds[draw(&random, 3 - returns)]);
			spans[n].rp.u.ref_ctr_offset = returns ? 0 : targets[i].ref;
			/* All hits count, so the condition must hold. */
			if (draw(&random, 2))
				set_condition(&spans[n], &conditions[draw(&random, ALWAYS_HOLD)]);
			ps[n] = &spans[n];
			n++;
		}
	}
	if (!n || n % 2)
		return -EINVAL;
	ret = register_some(ps, n / 2);
	if (ret)
		return ret;
	ret = register_some(ps + n / 2, n / 2);
	if (ret) {
		unregister_some(ps, n / 2);
		return ret;
	}
	for (nr_spans = 0; nr_spans < n; nr_spans++)
		registered(&spans[nr_spans]);
	return 0;
}

static int span_set(const char *line, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(line, &on);

	if (ret)
		return ret;
	if (on)
		return nr_spans ? -EBUSY : span_start();
	span_stop();
	return 0;
}

static int span_get(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < SPANS && spans[i].target; i++) {
		struct uprobe_counts c = uprobe_counts(&spans[i].rp.u);

		n += sysfs_emit_at(buffer, n, "%s %d %s %llu %llu\n", spans[i].target->name,
				   spans[i].target->function, spans[i].returns ? "return" : "entry",
				   c.hits, c.missed);
	}
	return n;
}

static int state_get(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < COUNTS; i++)
		n += sysfs_emit_at(buffer, n, "%s %lld\n", count_names[i],
				   atomic64_read(&counts[i]));
	return n;
}

static const struct kernel_param_ops span_ops = { .set = span_set, .get = span_get };
static const struct kernel_param_ops churn_ops = { .set = churn_set };
static const struct kernel_param_ops state_ops = { .get = state_get };

module_param_cb(target, &target_ops, NULL, 0200);
MODULE_PARM_DESC(target, "add a place to probe");
module_param_cb(span, &span_ops, NULL, 0600);
MODULE_PARM_DESC(span, "probes that stay for a while");
module_param_cb(churn, &churn_ops, NULL, 0200);
MODULE_PARM_DESC(churn, "threads that register and unregister");
module_param_cb(state, &state_ops, NULL, 0400);
MODULE_PARM_DESC(state, "what has come of it");

static int __init torture_init(void)
{
	spans = kvcalloc(SPANS, sizeof(*spans), GFP_KERNEL);
	return spans ? 0 : -ENOMEM;
}

static void __exit torture_exit(void)
{
	churn_stop();
	span_stop();
	targets_put();
	kvfree(spans);
}

module_init(torture_init);
module_exit(torture_exit);

MODULE_DESCRIPTION("Torture client of uprobes.ko");
MODULE_LICENSE("GPL");
