// SPDX-License-Identifier: GPL-2.0
/*
 * The parameter "inject", and the beginning of the section of sites.  Kbuild links this object
 * first.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#define INJECT_NOTHING
#include "inject.h"

#include <linux/moduleparam.h>

DEFINE_STATIC_KEY_FALSE(inject_key);

struct inject_site inject_first[0] __section("uprobes_inject") __aligned(64);

/* Number of calls at the selected sites until one fails; whether all later calls fail, too. */
static atomic_long_t inject_left = ATOMIC_LONG_INIT(0);
static bool inject_on;

/* The site of the last failure. */
static struct inject_site *inject_latest;

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

/* Parse SITE[,SITE...]:NTH.  A SITE that ends in a star matches all sites with that prefix. */
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
	if (!colon || colon == text || strscpy(number, colon + 1, sizeof(number)) < 0)
		return -EINVAL;
	plus = strchr(number, '+');
	if (plus)
		*plus = '\0';
	if (kstrtoul(number, 10, &nth) || !nth || nth > INT_MAX)
		return -EINVAL;

	static_branch_disable(&inject_key);
	for (site = inject_first; site < inject_last; site++) {
		bool named = site_named(site, text, colon - text);

		atomic_set(&site->wanted, !named ? 0 : colon[-1] == '*' ? INJECT_TURNS : -1);
		found += named;
	}
	if (!found)
		return -ENOENT;
	WRITE_ONCE(inject_latest, NULL);
	WRITE_ONCE(inject_on, plus);
	atomic_long_set(&inject_left, nth);
	static_branch_enable(&inject_key);
	return 0;
}

/* Show the site of the last failure, and the error that its caller sees. */
static int inject_get(char *buffer, const struct kernel_param *kp)
{
	const struct inject_site *site = READ_ONCE(inject_latest);

	if (!site)
		return sysfs_emit(buffer, "none\n");
	return sysfs_emit(buffer, "%s.%s.%s %d\n", site->source, site->function, site->call,
			  site->error);
}

static const struct kernel_param_ops inject_ops = { .set = inject_set, .get = inject_get };

module_param_cb(inject, &inject_ops, NULL, 0600);
MODULE_PARM_DESC(inject, "SITE:NTH, a call that is to fail, for tests; off: none");

static int sites_show(struct seq_file *m, void *v)
{
	const struct inject_site *site;

	for (site = inject_first; site < inject_last; site++)
		seq_printf(m, "%s.%s.%s %d %d %d\n", site->source, site->function, site->call,
			   site->error, atomic_read(&site->passed), atomic_read(&site->failed));
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
