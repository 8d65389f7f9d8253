// SPDX-License-Identifier: GPL-2.0
/*
 * The parameter "inject" of uprobes.ko, which is for the sites of uprobes_trace.ko, too, and the
 * beginning of the section of sites.  Kbuild links this object first.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#define INJECT_NOTHING
#include "inject.h"

#include <linux/moduleparam.h>

struct static_key_false inject_key = STATIC_KEY_FALSE_INIT;
EXPORT_SYMBOL_GPL(inject_key);

struct inject_site inject_first[0] __section("uprobes_inject") __aligned(64);

/* Protects the list of modules, and what is selected. */
static DEFINE_MUTEX(inject_mutex);

/*
 * The sites of each module.  The second one has sites while uprobes_trace.ko is loaded, or is being
 * loaded.  Changed with inject_mutex held.
 */
static struct {
	struct inject_site *first;
	struct inject_site *last;
} inject_modules[2] = { { inject_first, inject_last } };

/* Get the site after another one, or the first one; NULL at the end. */
static struct inject_site *next_site(const struct inject_site *site)
{
	struct inject_site *next = site ? (struct inject_site *)site + 1 : inject_first;

	if (next == inject_last)
		next = inject_modules[1].first;
	return next == inject_modules[1].last ? NULL : next;
}

/* The sites that are selected now: the part of the parameter before the number. */
static char inject_names[512];

/* Number of calls at the selected sites until one fails; whether all later calls fail, too. */
static atomic_long_t inject_left = ATOMIC_LONG_INIT(0);
static bool inject_on;

/* The site of the last failure; if its module has gone, what the parameter shows. */
static struct inject_site *inject_latest;
static char inject_was[160];

static struct dentry *inject_file;

/**
 * inject_fails() - decide whether a call fails
 * @site: the site of the call
 *
 * Context: any.
 * Return: true if the call must fail.
 */
bool inject_fails(struct inject_site *site)
{
	long left;

	atomic_inc(&site->passed);
	if (atomic_read(&site->wanted) >= 0 && atomic_dec_if_positive(&site->wanted) < 0)
		return false;
	left = atomic_long_dec_return(&inject_left);
	if (left && !(left < 0 && READ_ONCE(inject_on)))
		return false;
	atomic_inc(&site->failed);
	WRITE_ONCE(inject_latest, site);
	/*
	 * Do not log failures in hits: locks of the scheduler may be held there, and a failure may
	 * repeat for ever.
	 */
	if (!site->in_hit)
		pr_info("inject: %s.%s.%s fails\n", site->source, site->function, site->call);
	return true;
}
EXPORT_SYMBOL_GPL(inject_fails);

/*
 * Check whether @names, which commas separate, selects the site.  A name that ends in a star
 * selects no site that is passed in hits.
 */
static bool site_named(const struct inject_site *site, const char *names, size_t len)
{
	char own[128];
	size_t n = scnprintf(own, sizeof(own), "%s.%s.%s", site->source, site->function,
			     site->call);

	for (;;) {
		const char *comma = memchr(names, ',', len);
		size_t here = comma ? comma - names : len;
		bool all = here && names[here - 1] == '*';

		if ((all ? n >= here - 1 && !site->in_hit : n == here) &&
		    !strncmp(own, names, here - all))
			return true;
		if (!comma)
			return false;
		names = comma + 1;
		len -= here + 1;
	}
}

/* Have a site count if @inject_names selects it.  Return whether they do. */
static bool site_select(struct inject_site *site)
{
	size_t len = strlen(inject_names);
	bool named = len && site_named(site, inject_names, len);

	atomic_set(&site->wanted, !named ? 0 : inject_names[len - 1] == '*' ? INJECT_TURNS : -1);
	return named;
}

/*
 * Parse SITE[,SITE...]:NTH.  A SITE that ends in a star matches all sites with that prefix.  Any
 * SITE may be one of uprobes_trace.ko while that is not loaded.
 */
static int inject_set(const char *text, const struct kernel_param *kp)
{
	const char *colon = strrchr(text, ':');
	struct inject_site *site;
	unsigned int found = 0;
	char number[16], *plus;
	unsigned long nth;

	if (sysfs_streq(text, "off") || sysfs_streq(text, "")) {
		static_branch_disable(&inject_key);
		return 0;
	}
	if (!colon || colon == text || colon - text >= sizeof(inject_names) ||
	    strscpy(number, colon + 1, sizeof(number)) < 0)
		return -EINVAL;
	plus = strchr(number, '+');
	if (plus)
		*plus = '\0';
	if (kstrtoul(number, 10, &nth) || !nth || nth > INT_MAX)
		return -EINVAL;

	mutex_lock(&inject_mutex);
	static_branch_disable(&inject_key);
	strscpy(inject_names, text, colon - text + 1);
	for (site = next_site(NULL); site; site = next_site(site))
		found += site_select(site);
	found += !inject_modules[1].first;
	if (found) {
		WRITE_ONCE(inject_latest, NULL);
		inject_was[0] = '\0';
		WRITE_ONCE(inject_on, plus);
		atomic_long_set(&inject_left, nth);
		static_branch_enable(&inject_key);
	}
	mutex_unlock(&inject_mutex);
	return found ? 0 : -ENOENT;
}

/* Show the site of the last failure, and the error that its caller sees. */
static int inject_get(char *buffer, const struct kernel_param *kp)
{
	const struct inject_site *site;
	int ret;

	mutex_lock(&inject_mutex);
	site = READ_ONCE(inject_latest);
	if (site)
		ret = sysfs_emit(buffer, "%s.%s.%s %d\n", site->source, site->function, site->call,
				 site->error);
	else
		ret = sysfs_emit(buffer, "%s\n", inject_was[0] ? inject_was : "none");
	mutex_unlock(&inject_mutex);
	return ret;
}

static const struct kernel_param_ops inject_ops = { .set = inject_set, .get = inject_get };

module_param_cb(inject, &inject_ops, NULL, 0600);
MODULE_PARM_DESC(inject, "SITE:NTH, a call that is to fail, for tests; off: none");

/**
 * inject_join() - add the sites of uprobes_trace.ko
 * @first: the first one
 * @last: the end of the last one
 *
 * Context: module init.
 */
void inject_join(struct inject_site *first, struct inject_site *last)
{
	struct inject_site *site;

	mutex_lock(&inject_mutex);
	inject_modules[1].first = first;
	inject_modules[1].last = last;
	for (site = first; site < last; site++)
		site_select(site);
	mutex_unlock(&inject_mutex);
}
EXPORT_SYMBOL_GPL(inject_join);

/**
 * inject_leave() - remove the sites of uprobes_trace.ko
 *
 * Context: module exit, or module init that fails.
 */
void inject_leave(void)
{
	struct inject_site *site;

	mutex_lock(&inject_mutex);
	site = inject_latest;
	if (site >= inject_modules[1].first && site < inject_modules[1].last) {
		scnprintf(inject_was, sizeof(inject_was), "%s.%s.%s %d", site->source,
			  site->function, site->call, site->error);
		WRITE_ONCE(inject_latest, NULL);
	}
	inject_modules[1].first = NULL;
	inject_modules[1].last = NULL;
	mutex_unlock(&inject_mutex);
}
EXPORT_SYMBOL_GPL(inject_leave);

static int sites_show(struct seq_file *m, void *v)
{
	const struct inject_site *site;

	mutex_lock(&inject_mutex);
	for (site = next_site(NULL); site; site = next_site(site))
		seq_printf(m, "%s.%s.%s %d %d %d\n", site->source, site->function, site->call,
			   site->error, atomic_read(&site->passed), atomic_read(&site->failed));
	mutex_unlock(&inject_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sites);

/* Errors are ignored: without debugfs, tests do not use the file.  Context: may sleep. */
void inject_init(void)
{
	inject_file = debugfs_create_file("uprobes-inject", 0400, NULL, NULL, &sites_fops);
}

/* Context: may sleep. */
void inject_exit(void)
{
	debugfs_remove(inject_file);
}
