// SPDX-License-Identifier: GPL-2.0
/* uprobe status, uprobe clean */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "tracer/control.h"
#include "util/error.h"
#include "util/json.h"
#include "tracer/listing.h"
#include "tracer/own_group.h"
#include "tracer/sessions.h"
#include "tracer/trace.h"
#include "util/util.h"

static const char *owner(const char *group)
{
	bool ours, alive = own_group_alive(group, &ours);

	return alive ? "in use" : ours ? "stale" : "by hand";
}

static void print_json(const struct listed *site, bool enabled)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_raw(&json, "kind", "\"%c\"", site->kind);
	json_text(&json, "group", site->group);
	json_text(&json, "event", site->event);
	json_text(&json, "definition", site->rest);
	json_bool(&json, "enabled", enabled);
	json_text(&json, "owner", owner(site->group));
	if (site->counted) {
		json_number(&json, "hits", site->counts.hits);
		json_number(&json, "missed", site->counts.missed);
	}
	json_end(&json);
}

static void print_text(const struct listed *site, bool enabled)
{
	printf("%c:%s/%s %s  [%s, %s", site->kind, site->group, site->event,
	       site->rest, enabled ? "enabled" : "disabled",
	       owner(site->group));
	if (site->counted)
		printf(", %llu hits, %llu missed",
		       (unsigned long long)site->counts.hits,
		       (unsigned long long)site->counts.missed);
	puts("]");
}

static void print_site(const char *dir, const struct listed *site, bool as_json)
{
	_cleanup_free_ char *file = control_event_file(site->group, site->event, "enable");
	_cleanup_free_ char *text = NULL;
	bool enabled;

	error_free(control_read(dir, file, &text));
	enabled = text && text[0] == '1';
	(as_json ? print_json : print_text)(site, enabled);
}

static struct error *open_listing(const struct options *options,
				  const char **dir, struct listing *listing)
{
	struct error *err;

	*dir = control_dir(options);
	err = control_check(*dir);
	/* The devices have sessions only. */
	if (!err && !strcmp(*dir, CONTROL_DEVICES))
		return NULL;
	return err ? err : listing_read(*dir, listing);
}

static struct error *print_status(const struct options *options)
{
	struct listing listing = { 0 };
	const char *dir;
	struct error *err = open_listing(options, &dir, &listing);
	size_t n;

	if (err)
		return err;
	for (n = 0; n < listing.n; n++)
		print_site(dir, &listing.v[n], options->json);
	listing_free(&listing);
	if (!(n + sessions_print(dir, options->json)))
		fputs("no events are defined\n", stderr);
	return NULL;
}

static struct error *remove_event(const char *dir, const struct listed *site)
{
	error_free(control_enable(dir, site->group, site->event, false));
	return control_remove(dir, site->group, site->event);
}

/* If an event cannot be removed, still remove the others. */
static struct error *remove_stale(const struct options *options)
{
	unsigned int removed = 0, in_use = 0, by_hand = 0;
	struct error *first = NULL, *err;
	struct listing listing = { 0 };
	const char *dir;

	err = open_listing(options, &dir, &listing);
	if (err)
		return err;
	for (size_t i = 0; i < listing.n; i++) {
		const struct listed *site = &listing.v[i];
		bool ours;

		/* With the first site of an event, all its other sites are removed. */
		if (!listing_first(&listing, i))
			continue;
		if (own_group_alive(site->group, &ours)) {
			in_use++;
			continue;
		}
		if (!ours && !options->all) {
			by_hand++;
			continue;
		}
		err = remove_event(dir, site);
		removed += !err;
		if (first)
			error_free(err);
		else
			first = err;
	}
	listing_free(&listing);
	fprintf(stderr, "%u %s removed", removed,
		removed == 1 ? "event" : "events");
	if (in_use)
		fprintf(stderr, ", %u in use", in_use);
	if (by_hand)
		fprintf(stderr, ", %u made by hand: uprobe clean --all",
			by_hand);
	fputc('\n', stderr);
	return first;
}

int cmd_status(const struct options *options, int argc, char **argv)
{
	(void)argv;
	if (argc)
		return error_report(error_new(STATUS_USAGE,
					      "status takes no arguments"));
	return error_report(print_status(options));
}

int cmd_clean(const struct options *options, int argc, char **argv)
{
	(void)argv;
	if (argc)
		return error_report(error_new(STATUS_USAGE,
					      "clean takes no arguments but --all"));
	return error_report(remove_stale(options));
}
