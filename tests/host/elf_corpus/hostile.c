// SPDX-License-Identifier: GPL-2.0
/*
 * Do everything that the helper does with an ELF file, with bytes in memory.
 *
 *   hostile ROUNDS SEED FILE NAME...
 *   hostile cut FROM TO STEP FILE NAME...
 *
 * The first form damages FILE ROUNDS times. The second cuts it to each length from FROM to TO, by
 * STEP.  Both look up each NAME in the result.  Build it with sanitizers: they must find nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "util/error.h"
#include "probe/return_sites.h"
#include "symbols/lookup.h"
#include "symbols/names.h"
#include "mutate.h"
#include "probe/place.h"
#include "util/probe_spec.h"
#include "sdt/sdt.h"
#include "sdt/sdt_define.h"
#include "sdt/sdt_operand.h"
#include "symbols/suggest.h"
#include "symbols/symbols.h"
#include "probe/target.h"
#include "util/probe_site.h"
#include "util/util.h"

/* Check each byte of the text of an error. */
static void check_error(struct error *err)
{
	if (!err)
		return;
	for (const char *p = err->text; *p; p++)
		if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t')
			abort();
	error_free(err);
}

static void look_up(struct target *target, struct symbols *syms,
		    const char *name, unsigned int force)
{
	struct place_options options = { .all = force, .force = force };
	struct places places;
	struct error *err;

	err = places_find(target, syms, name, &options, &places);
	for (size_t i = 0; !err && i < places.n; i++) {
		struct return_sites exits;

		/* A place must be in the file. */
		if (places.v[i].offset >= target->image.size)
			abort();
		check_error(return_sites_find(syms, &places.v[i], &exits));
		for (size_t j = 0; j < exits.returns.n; j++)
			if (exits.returns.v[j].offset >= target->image.size)
				abort();
		return_sites_free(&exits);
	}
	check_error(err);
	places_free(&places);
}

static void use_sdt(const struct symbols *syms)
{
	struct sdt_list list;

	sdt_load(syms->image, &list);
	for (size_t i = 0; i < list.n; i++) {
		struct probe_spec spec = {
			.kind = 'u',
			.function = (char *)list.v[i].name,
			.args = i % 2 ? "arg1:string +8(arg2)" : "",
		};
		struct probe_sites sites = { 0 };
		struct sdt_operands operands;

		sdt_operands_parse(list.v[i].operands, list.v[i].addr, syms, &operands);
		sdt_operands_free(&operands);
		if (i < 16)
			check_error(sdt_define(&spec, syms, &sites));
		for (size_t j = 0; j < sites.n; j++)
			if (!str_printable(sites.v[j].args))
				abort();
		probe_sites_free(&sites);
	}
	sdt_free(&list);
}

static void use(const unsigned char *bytes, size_t size, char *const *names, int n)
{
	struct target target = { .root = "", .debug_dir = "/nonexistent" };
	void *copy = xmalloc(size);
	struct symbols syms;
	struct error *err;

	memcpy(copy, bytes, size);
	err = elf_image_from_memory("/nonexistent/x", copy, size,
				    &target.image);
	if (err) {
		check_error(err);
		return;
	}
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	for (int i = 0; i < n; i++) {
		look_up(&target, &syms, names[i], 0);
		look_up(&target, &syms, names[i], ~0u);
	}
	for (size_t i = 0; i < syms.n; i += 1 + syms.n / 64) {
		char *label = symbol_label(&syms.v[i]);
		char address[32];

		if (!str_printable(label))
			abort();
		free(label);
		snprintf(address, sizeof(address), "@0x%llx",
			 (unsigned long long)syms.v[i].addr + i);
		look_up(&target, &syms, address, 0);
	}
	use_sdt(&syms);
	symbols_free(&syms);
	debug_info_close(&target.debug_info);
	elf_image_close(&target.image);
}

static unsigned char *read_file(const char *path, size_t *size)
{
	unsigned char *bytes;
	FILE *f = fopen(path, "rb");

	if (!f || fseek(f, 0, SEEK_END))
		exit(1);
	*size = ftell(f);
	rewind(f);
	bytes = xmalloc(*size);
	if (fread(bytes, 1, *size, f) != *size)
		exit(1);
	fclose(f);
	return bytes;
}

static void damage(unsigned long rounds, unsigned long seed, char *const *argv, int n)
{
	unsigned char *bytes, *copy;
	size_t size, left;

	bytes = read_file(argv[0], &size);
	copy = xmalloc(size);
	use(bytes, size, argv + 1, n - 1);
	for (unsigned long i = 0; i < rounds; i++) {
		/* The last line before a crash is the command that repeats it. */
		fprintf(stderr, "again: hostile 1 %lu %s\n", seed + i, argv[0]);
		memcpy(copy, bytes, size);
		left = mutate(seed + i, copy, size);
		use(copy, left, argv + 1, n - 1);
	}
	free(copy);
	free(bytes);
}

static void cut_short(size_t from, size_t to, size_t step, char *const *argv, int n)
{
	unsigned char *bytes;
	size_t size;

	bytes = read_file(argv[0], &size);
	for (; from < to && from < size; from += step) {
		fprintf(stderr, "again: hostile cut %zu %zu 1 %s\n", from, from + 1, argv[0]);
		use(bytes, from, argv + 1, n - 1);
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	if (argc > 6 && !strcmp(argv[1], "cut"))
		cut_short(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0),
			  strtoul(argv[4], NULL, 0), argv + 5, argc - 5);
	else if (argc > 4)
		damage(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0), argv + 3, argc - 3);
	else
		return 2;
	return 0;
}
