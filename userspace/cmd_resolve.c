// SPDX-License-Identifier: GPL-2.0
/* uprobe resolve SPEC... */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "definition.h"
#include "error.h"
#include "probe_spec.h"

static struct error *resolve(const struct options *options, const char *text)
{
	struct definition def = { 0 };
	struct probe_spec spec;
	struct error *err;

	err = probe_spec_parse(text, &spec);
	if (err)
		return err;
	err = definition_make(&spec, options, &def);
	for (size_t i = 0; !err && i < def.sites.n; i++) {
		char *line = options->verbose ?
			definition_checked_line(&def, i, def.group) :
			definition_line(&def, i, def.group);

		puts(line);
		free(line);
	}
	definition_free(&def);
	probe_spec_free(&spec);
	return err;
}

int cmd_resolve(const struct options *options, int argc, char **argv)
{
	struct error *err = NULL;

	if (argc < 1)
		err = error_new(STATUS_USAGE,
				"resolve takes probes: uprobe resolve 'p:TARGET:FUNCTION ARGS'...");
	for (int i = 0; !err && i < argc; i++)
		err = resolve(options, argv[i]);
	return error_report(err);
}
