// SPDX-License-Identifier: GPL-2.0
/*
 * The parameter "inject", and the sites that there are.  The first of the
 * module's objects: its part of their section is the beginning.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#define INJECT_NOTHING
#include "inject.h"

#include <linux/moduleparam.h>

DEFINE_STATIC_KEY_FALSE(inject_key);

struct inject_site inject_first[0] __section("uprobes_inject") __aligned(64);

/* Which of the calls at wanted sites fails, and whether all later ones do. */
static atomic_long_t inject_left = ATOMIC_LONG_INIT(0);
static bool inject_on;

/* Where the last failure was. */
static struct inject_site *inject_latest;

static struct dentry *inject_file;

/**
 * inject_fails() - whether a call is to fail
 * @site: where it is made
 *
 * Context: any.
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
	/* What is in a hit may also be under the scheduler's locks, and be repeated for ever. */
	if (!site->in_hit)
		pr_info("inject: %s.%s.%s fails\n", site->source, site->function, site->call);
	return true;
}

/* Whether @names, between commas, has the site; a star has none that is in a hit. */
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

/* SITE[,SITE...]:NTH, a SITE with a star at its end for all that begin like this. */
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

/* Where the last failure was, and the error that its caller is to see. */
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

/* Tests do without the file where it cannot be.  Context: may sleep. */
void inject_init(void)
{
	inject_file = debugfs_create_file("uprobes-inject", 0400, NULL, NULL, &sites_fops);
}

/* Context: may sleep. */
void inject_exit(void)
{
	debugfs_remove(inject_file);
}
