// SPDX-License-Identifier: GPL-2.0
/* uprobe resolve SPEC... */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "probe/definition.h"
#include "util/error.h"
#include "util/json.h"
#include "util/probe_spec.h"
#include "util/util.h"

static void print_json(const struct definition *def, const struct probe_site *site,
		       const char *line)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_text(&json, "line", line);
	json_raw(&json, "kind", "\"%c\"", def->kind);
	json_text(&json, "group", def->group);
	json_text(&json, "event", def->event);
	json_path(&json, "file", site->path);
	json_hex(&json, "offset", site->offset);
	json_text(&json, "args", site->args);
	json_end(&json);
}

static struct error *resolve(const struct options *options, const char *text)
{
	struct definition def;
	struct error *err = definition_read(text, options, &def);

	if (err)
		return err;
	for (size_t i = 0; i < def.sites.n; i++) {
		char *line = options->verbose ?
			definition_checked_line(&def, i, def.group) :
			definition_line(&def, i, def.group);

		if (options->json)
			print_json(&def, &def.sites.v[i], line);
		else
			puts(line);
		free(line);
	}
	definition_free(&def);
	return NULL;
}

int cmd_resolve(const struct options *options, int argc, char **argv)
{
	struct error *err = NULL;

	if (argc < 1)
		err = error_new(STATUS_USAGE,
				"resolve takes probes: uprobe resolve 'p:TARGET:FUNCTION ARGS'...");
	for (int i = 0; !err && i < argc; i++) {
		_cleanup_free_ char *full = probe_spec_full(argv[i]);

		err = resolve(options, full);
	}
	return error_report(err);
}
