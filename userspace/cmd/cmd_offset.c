// SPDX-License-Identifier: GPL-2.0
/* uprobe offset TARGET FUNCTION[+OFF] */
#include <stdio.h>

#include "command.h"
#include "util/error.h"
#include "probe/place.h"
#include "symbols/symbols.h"
#include "probe/target.h"
#include "util/json.h"

static void print_json(const struct target *target, const struct place *place, pid_t pid)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	if (place->in_memory) {
		json_number(&json, "pid", pid);
		json_hex(&json, "address", place->addr);
	} else {
		json_path(&json, "file", target->image.path);
		json_hex(&json, "offset", place->offset);
	}
	json_end(&json);
}

static void print_place(const struct target *target, const struct place *place,
			const struct options *options)
{
	pid_t pid = options->pid;

	if (options->json)
		print_json(target, place, pid);
	else if (place->in_memory)
		printf("/proc/%d/mem:0x%llx\n", pid,
		       (unsigned long long)place->addr);
	else
		printf("%s:0x%llx\n", target->image.path,
		       (unsigned long long)place->offset);
}

int cmd_offset(const struct options *options, int argc, char **argv)
{
	struct place_options how = {
		.all = options->all, .force = options->force,
		.pid = options->pid,
	};
	struct target target;
	struct symbols syms;
	struct places places;
	struct error *err;

	if (argc != 2) {
		err = error_new(STATUS_USAGE,
				"offset takes a target and a function: uprobe offset TARGET FUNCTION[+OFFSET]");
		return error_report(err);
	}
	err = target_open(argv[0], options, &target);
	if (err)
		return error_report(err);
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	err = places_find(&target, &syms, argv[1], &how, &places);
	for (size_t i = 0; !err && i < places.n; i++)
		print_place(&target, &places.v[i], options);
	places_free(&places);
	symbols_free(&syms);
	target_close(&target);
	return error_report(err);
}
