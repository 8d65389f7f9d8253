// SPDX-License-Identifier: GPL-2.0
/*
 * Register and unregister the probes of events, many at a time.
 *
 * There may be thousands of probes in one library.  To register them one by one, the module would
 * search all processes for each probe.  The bulk calls register all probes or none.  If one fails,
 * halve the batch to find the probe that cannot be registered.
 */
#include <linux/list.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "enable.h"
#include "conditions.h"
#include "event.h"
#include "process.h"
#include "site.h"

/**
 * struct batch - sites that are being registered
 * @todo: sites that are not registered yet, by their batch
 * @n: number of sites in @todo
 * @step: number of sites to try at once
 */
struct batch {
	struct list_head todo;
	unsigned int n;
	unsigned int step;
};

/**
 * struct probes - sites in the form that the bulk calls take
 * @us: entry probes
 * @rps: return probes
 * @nus: number of entry probes
 * @nrps: number of return probes
 */
struct probes {
	struct uprobe **us;
	struct uretprobe **rps;
	unsigned int nus;
	unsigned int nrps;
};

static int probes_alloc(struct probes *p, unsigned int n)
{
	*p = (struct probes) {
		.us = kvcalloc(n, sizeof(*p->us), GFP_KERNEL),
		.rps = kvcalloc(n, sizeof(*p->rps), GFP_KERNEL),
	};
	return p->us && p->rps ? 0 : -ENOMEM;
}

static void probes_add(struct probes *p, struct tracer_site *site)
{
	if (site->def->kind == TRACER_RETURN)
		p->rps[p->nrps++] = &site->rp;
	else
		p->us[p->nus++] = &site->rp.u;
}

static void probes_free(struct probes *p)
{
	kvfree(p->us);
	kvfree(p->rps);
}

static int probes_register(const struct probes *p)
{
	int ret;

	ret = p->nus ? register_uprobes(p->us, p->nus) : 0;
	if (ret || !p->nrps)
		return ret;
	ret = register_uretprobes(p->rps, p->nrps);
	if (ret && p->nus)
		unregister_uprobes(p->us, p->nus);
	return ret;
}

/* Register all of the first @n sites of @todo, or none. */
static int register_first(const struct list_head *todo, unsigned int n,
			  struct tracer_diag *diag)
{
	struct tracer_site *site;
	struct probes p;
	int ret;

	if (n == 1)
		return tracer_site_register(list_first_entry(todo,
							     struct tracer_site,
							     batch), diag);
	ret = probes_alloc(&p, n);
	if (!ret) {
		list_for_each_entry(site, todo, batch) {
			if (!n-- || ret)
				break;
			ret = tracer_site_aim(site);
			tracer_site_conditions(site);
			probes_add(&p, site);
		}
		ret = ret ?: probes_register(&p);
	}
	probes_free(&p);
	return ret;
}

static void batch_take(struct batch *b, struct tracer_site *site)
{
	list_del_init(&site->batch);
	b->n--;
}

/*
 * Register the sites of a batch.  Return 0 if all are registered; otherwise the error of the first
 * site that is left.  The sites before it are registered.
 */
static int batch_register(struct batch *b, struct tracer_diag *diag)
{
	unsigned int n, i;
	int ret;

	while (b->n) {
		diag->err = TRACER_ERR_PROBE_FAILED;
		if (fatal_signal_pending(current))
			return -EINTR;
		n = min(b->step, b->n);
		ret = register_first(&b->todo, n, diag);
		if (ret && n == 1)
			return ret;
		if (ret) {
			b->step = n / 2;
			continue;
		}
		for (i = 0; i < n; i++) {
			struct tracer_site *site =
				list_first_entry(&b->todo, struct tracer_site,
						 batch);

			site->registered = true;
			batch_take(b, site);
		}
		/* If a batch fails, usually one probe of it does: grow the step again. */
		if (b->step < b->n)
			b->step *= 2;
		cond_resched();
	}
	return 0;
}

static void unregister_each(struct list_head *sites)
{
	struct tracer_site *site;

	list_for_each_entry(site, sites, batch)
		tracer_site_unregister(site);
}

/* Unregister all of @sites, which are linked by their batch. */
static void unregister_list(struct list_head *sites)
{
	struct tracer_site *site, *next;
	unsigned int n = 0;
	struct probes p;

	list_for_each_entry(site, sites, batch)
		n++;
	if (n < 2) {
		unregister_each(sites);
	} else {
		if (probes_alloc(&p, n)) {
			unregister_each(sites);
		} else {
			list_for_each_entry(site, sites, batch)
				probes_add(&p, site);
			unregister_uprobes(p.us, p.nus);
			unregister_uretprobes(p.rps, p.nrps);
		}
		probes_free(&p);
	}
	list_for_each_entry_safe(site, next, sites, batch) {
		site->registered = false;
		list_del_init(&site->batch);
	}
}

/* Add the registered sites of @event to @sites. */
static void gather_registered(struct tracer_event *event,
			      struct list_head *sites)
{
	struct tracer_site *site;

	list_for_each_entry(site, &event->sites, node) {
		if (site->registered)
			list_add_tail(&site->batch, sites);
	}
}

/*
 * Unregister all sites of the event of the first site in the batch, and remove them from the batch:
 * an event has all of its probes, or none.
 */
static void abandon_event(struct batch *b)
{
	struct tracer_event *event =
		list_first_entry(&b->todo, struct tracer_site, batch)->event;
	struct tracer_site *site;
	LIST_HEAD(back);

	gather_registered(event, &back);
	unregister_list(&back);
	list_for_each_entry(site, &event->sites, node) {
		if (!list_empty(&site->batch))
			batch_take(b, site);
	}
}

static void log_site_error(struct tracer *t, const struct tracer_site *site,
			   struct tracer_diag *diag)
{
	struct tracer_text text = {};
	char *line;

	/* Log the definition as uprobe_events lists it: its PATH is the second word. */
	tracer_render_def(&text, site->def);
	line = kmalloc(text.len, GFP_KERNEL);
	if (!line)
		return;
	text = (struct tracer_text){ .buf = line, .size = text.len };
	tracer_render_def(&text, site->def);
	diag->column = strcspn(line, " ") + 1;
	tracer_errlog_add(t->errors, line, text.len - 1, site->lineno, diag);
	kfree(line);
}

static bool is_meant(const struct tracer_event *event, const struct tracer_choice *c)
{
	const char *group = event->group->name, *name = event->format->def->event;

	return (!c->group || event->group == c->group) && (!c->event || event == c->event) &&
	       (!c->group_name || !strcmp(group, c->group_name)) &&
	       (!c->event_name || !strcmp(name, c->event_name)) &&
	       (!c->either || !strcmp(group, c->either) || !strcmp(name, c->either));
}

/* Register the probes of the selected events: for each event, all probes or none. */
static int enable(struct tracer *t, const struct tracer_choice *choice)
{
	struct batch b = { .todo = LIST_HEAD_INIT(b.todo) };
	struct tracer_diag diag = {};
	struct tracer_event *event;
	struct tracer_site *site;
	int ret, first = 0;

	lockdep_assert_held(&t->lock);

	ret = tracer_buffer_expand(&t->buffer);
	if (ret)
		return ret;
	list_for_each_entry(event, &t->events, node) {
		if (event->enabled || !is_meant(event, choice))
			continue;
		list_for_each_entry(site, &event->sites, node) {
			list_add_tail(&site->batch, &b.todo);
			b.n++;
		}
	}
	b.step = b.n;

	while ((ret = batch_register(&b, &diag))) {
		site = list_first_entry(&b.todo, struct tracer_site, batch);
		if (!first)
			first = ret;
		if (ret != -EINTR)
			log_site_error(t, site, &diag);
		abandon_event(&b);
	}
	list_for_each_entry(event, &t->events, node) {
		if (is_meant(event, choice))
			event->enabled = list_first_entry(&event->sites,
							  struct tracer_site,
							  node)->registered;
	}
	return first;
}

static void disable(struct tracer *t, const struct tracer_choice *choice)
{
	struct tracer_event *event;
	LIST_HEAD(sites);

	lockdep_assert_held(&t->lock);

	list_for_each_entry(event, &t->events, node) {
		if (is_meant(event, choice))
			gather_registered(event, &sites);
	}
	unregister_list(&sites);
	list_for_each_entry(event, &t->events, node) {
		if (is_meant(event, choice))
			event->enabled = false;
	}
}

/**
 * tracer_event_switch() - register or unregister the probes of an event
 * @t: the tracer
 * @event: the event
 * @on: true to register them
 *
 * Context: under @t->lock.  If the probes are unregistered, none of their handlers runs when this
 * returns.
 * Return: 0, or -errno; then error_log has the details and no probe of @event is registered.
 */
int tracer_event_switch(struct tracer *t, struct tracer_event *event, bool on)
{
	const struct tracer_choice choice = { .event = event };

	if (on)
		return event->enabled ? 0 : enable(t, &choice);
	disable(t, &choice);
	return 0;
}

/**
 * tracer_events_switch() - register or unregister the probes of many events
 * @t: the tracer
 * @group: the group of these events, or NULL for all events
 * @on: true to register them
 *
 * If an event cannot be enabled, go on with the others.
 *
 * Context: not under @t->lock.  If the probes are unregistered, none of their handlers runs when
 * this returns.
 * Return: 0, or the first error; error_log has all errors.
 */
int tracer_events_switch(struct tracer *t, const struct tracer_group *group,
			 bool on)
{
	const struct tracer_choice choice = { .group = group };
	int ret = 0;

	mutex_lock(&t->lock);
	if (on)
		ret = enable(t, &choice);
	else
		disable(t, &choice);
	mutex_unlock(&t->lock);
	return ret;
}

/**
 * tracer_events_choose() - register or unregister the probes of selected events
 * @t: the tracer
 * @choice: selects the events
 * @on: true to register them
 *
 * Context: not under @t->lock.
 * Return: as tracer_events_switch(); -EINVAL if there is no such event.
 */
int tracer_events_choose(struct tracer *t, const struct tracer_choice *choice, bool on)
{
	struct tracer_event *event;
	int ret = -EINVAL;

	mutex_lock(&t->lock);
	list_for_each_entry(event, &t->events, node) {
		if (is_meant(event, choice)) {
			ret = 0;
			break;
		}
	}
	if (!ret && on)
		ret = enable(t, choice);
	else if (!ret)
		disable(t, choice);
	mutex_unlock(&t->lock);
	return ret;
}

/**
 * tracer_unlinked_disable() - unregister probes that are not in the tracer's lists any more
 * @t: the tracer
 * @events: events, by their node
 * @sites: sites of other events, by their node
 *
 * Context: under @t->lock.  None of their handlers runs when this returns.
 */
void tracer_unlinked_disable(struct tracer *t, struct list_head *events,
			     struct list_head *sites)
{
	struct tracer_event *event;
	struct tracer_site *site;
	LIST_HEAD(registered);

	lockdep_assert_held(&t->lock);

	list_for_each_entry(site, sites, node) {
		if (site->registered)
			list_add_tail(&site->batch, &registered);
	}
	list_for_each_entry(event, events, node) {
		gather_registered(event, &registered);
		event->enabled = false;
	}
	unregister_list(&registered);
}

/**
 * tracer_start() - register the probes that have been defined
 * @t: the tracer, a session
 *
 * If a site cannot be registered, discard it and all sites that were defined after it.
 *
 * Context: under @t->define.
 * Return: 0, or -errno; then error_log has the details.
 */
int tracer_start(struct tracer *t)
{
	struct batch b = { .todo = LIST_HEAD_INIT(b.todo) };
	struct tracer_diag diag = { .err = TRACER_ERR_NO_MEMORY };
	struct tracer_site *site, *prev;
	int ret;

	lockdep_assert_held(&t->define);

	if (list_empty(&t->starting))
		return 0;
	mutex_lock(&t->lock);
	list_splice_init(&t->starting, &b.todo);
	list_for_each_entry(site, &b.todo, batch)
		b.n++;
	b.step = b.n;
	ret = tracer_buffer_expand(&t->buffer);
	if (!ret)
		ret = batch_register(&b, &diag);
	if (ret && ret != -EINTR)
		log_site_error(t, list_first_entry(&b.todo, struct tracer_site,
						   batch), &diag);
	mutex_unlock(&t->lock);

	list_for_each_entry_safe_reverse(site, prev, &b.todo, batch) {
		list_del_init(&site->batch);
		tracer_site_discard(t, site);
	}
	return ret;
}
