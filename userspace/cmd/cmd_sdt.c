// SPDX-License-Identifier: GPL-2.0
/* uprobe sdt TARGET [GLOB], uprobe sdt -p PID [GLOB] */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "util/error.h"
#include "util/json.h"
#include "host/process.h"
#include "sdt/sdt.h"
#include "sdt/sdt_operand.h"
#include "symbols/symbols.h"
#include "probe/target.h"
#include "util/util.h"

static void print_operands(const struct sdt_site *site,
			   const struct symbols *syms)
{
	struct sdt_operands operands;

	sdt_operands_parse(site->operands, site->addr, syms, &operands);
	for (size_t i = 0; i < operands.n; i++) {
		const struct sdt_operand *operand = &operands.v[i];

		if (operand->fetch)
			printf(" arg%zu=%s:%s", i + 1, operand->fetch,
			       operand->type ? operand->type :
			       sdt_operand_type(operand->size,
						operand->is_signed));
		else
			printf(" arg%zu=(%s: %s)", i + 1, operand->text,
			       operand->problem);
	}
	sdt_operands_free(&operands);
}

static void json_operands(struct json *json, const struct sdt_site *site,
			  const struct symbols *syms)
{
	struct sdt_operands operands;

	sdt_operands_parse(site->operands, site->addr, syms, &operands);
	json_open(json, "args", '[');
	for (size_t i = 0; i < operands.n; i++) {
		const struct sdt_operand *operand = &operands.v[i];

		json_open(json, NULL, '{');
		json_text(json, "fetch", operand->fetch);
		if (operand->fetch)
			json_text(json, "type", operand->type ? operand->type :
				  sdt_operand_type(operand->size, operand->is_signed));
		else
			json_text(json, "problem", operand->problem);
		json_text(json, "operand", operand->text);
		json_close(json, '}');
	}
	json_close(json, ']');
	sdt_operands_free(&operands);
}

/* @sites: number of the sites that the object is for; 0 for one of them, with its position */
static void print_json(const char *file, const struct sdt_site *site, size_t sites,
		       const struct symbols *syms)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_text(&json, "provider", site->provider);
	json_text(&json, "probe", site->name);
	json_path(&json, "file", file);
	if (sites)
		json_number(&json, "sites", sites);
	else
		json_hex(&json, "offset", site->offset);
	if (site->semaphore)
		json_hex(&json, "counter", site->semaphore_offset);
	json_text(&json, "problem", site->problem);
	json_operands(&json, site, syms);
	json_end(&json);
}

static void print_text(const struct sdt_site *site, size_t sites, const struct symbols *syms,
		       bool verbose)
{
	if (verbose)
		printf("0x%016llx ", (unsigned long long)site->offset);
	printf("%s:%s", site->provider, site->name);
	if (sites > 1)
		printf(" (%zu sites)", sites);
	if (site->semaphore && verbose)
		printf(" (counter at 0x%llx)", (unsigned long long)site->semaphore_offset);
	else if (site->semaphore)
		fputs(" (counter)", stdout);
	if (site->problem)
		printf(" (cannot be used: %s)", site->problem);
	print_operands(site, syms);
	if (verbose && *site->operands)
		printf("\t%s", site->operands);
	putchar('\n');
}

static bool same_probe(const struct sdt_site *a, const struct sdt_site *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

static bool wanted(const struct sdt_site *site, const char *glob)
{
	_cleanup_free_ char *full = NULL;

	if (!glob || !fnmatch(glob, site->name, 0))
		return true;
	full = xasprintf("%s:%s", site->provider, site->name);
	return !fnmatch(glob, full, 0);
}

/* Print a line for each probe, or with -v for each site. */
static size_t print_list(const struct options *options, const char *file,
			 const struct sdt_list *list, const struct symbols *syms,
			 const char *glob)
{
	size_t shown = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct sdt_site *site = &list->v[i];
		size_t sites = 1;

		if (!wanted(site, glob))
			continue;
		while (!options->verbose && i + 1 < list->n &&
		       same_probe(site, &list->v[i + 1])) {
			sites++;
			i++;
		}
		if (options->json)
			print_json(file, site, options->verbose ? 0 : sites, syms);
		else
			print_text(site, sites, syms, options->verbose);
		shown++;
	}
	return shown;
}

static struct error *list_target(const struct options *options,
				 const char *name, const char *glob,
				 bool heading, size_t *shown)
{
	struct target target;
	struct symbols syms;
	struct sdt_list list;
	struct error *err;

	err = target_open(name, options, &target);
	if (err)
		return err;
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	sdt_load(&target.image, &list);
	if (heading && list.n && !options->json)
		printf("%s:\n", target.image.path);
	*shown += print_list(options, target.image.path, &list, &syms, glob);
	sdt_free(&list);
	symbols_free(&syms);
	target_close(&target);
	return NULL;
}

/* List the probes of all files that the process has mapped; skip files that are not ELF files. */
static struct error *list_process(const struct options *options,
				  const char *glob, size_t *shown)
{
	struct mappings maps;
	struct error *err;

	err = process_mappings(options->pid, &maps);
	if (err)
		return err;
	for (size_t i = 0; i < maps.n; i++) {
		size_t j;

		for (j = 0; j < i; j++)
			if (maps.v[j].ino == maps.v[i].ino &&
			    maps.v[j].dev == maps.v[i].dev)
				break;
		if (j == i)
			error_free(list_target(options, maps.v[i].path, glob,
					       true, shown));
	}
	mappings_free(&maps);
	return NULL;
}

int cmd_sdt(const struct options *options, int argc, char **argv)
{
	bool process = options->pid && argc < 2 &&
		       (!argc || strpbrk(argv[0], "*?["));
	struct error *err;
	size_t shown = 0;

	if (process) {
		err = list_process(options, argc ? argv[0] : NULL, &shown);
	} else if (argc < 1 || argc > 2) {
		err = error_new(STATUS_USAGE,
				"sdt takes a target or a process: uprobe sdt TARGET ['GLOB'], uprobe sdt -p PID");
	} else {
		err = list_target(options, argv[0], argc > 1 ? argv[1] : NULL,
				  false, &shown);
	}
	if (!err && !shown)
		err = error_new(STATUS_NOT_FOUND,
				"there are no such probes; functions are traced with p: and r:, see: uprobe list");
	return error_report(err);
}
