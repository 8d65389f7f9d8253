// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer target: everything that the helper reads from an untrusted program or library:
 * headers, symbols, versions, notes of probes and their operands, Go tables, unwind tables, debug
 * information.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/debug_info.h"
#include "elf/eh_frame.h"
#include "util/error.h"
#include "probe/return_sites.h"
#include "symbols/go_symbols.h"
#include "dwarf/inlined.h"
#include "symbols/lookup.h"
#include "symbols/names.h"
#include "probe/place.h"
#include "dwarf/scope.h"
#include "sdt/sdt.h"
#include "sdt/sdt_operand.h"
#include "dwarf/source_line.h"
#include "symbols/symbols.h"
#include "probe/target.h"
#include "util/util.h"
#include "dwarf/variable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libdw leaks memory when it reads invalid data.  That does not matter: the helper runs once. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so\nleak:libelf.so\n";
}

/* Limit the elements of each kind: reading more of them finds nothing new. */
#define SOME 16

static void read_probes(const struct symbols *syms)
{
	struct sdt_list list;

	sdt_load(syms->image, &list);
	for (size_t i = 0; i < list.n && i < SOME; i++) {
		struct sdt_operands operands;

		sdt_operands_parse(list.v[i].operands, list.v[i].addr, syms, &operands);
		sdt_operands_free(&operands);
	}
	sdt_free(&list);
}

static void read_functions(struct target *target, struct symbols *syms)
{
	struct place_options how = { .all = true, .inlined = true };
	u64 start, end;

	for (size_t i = 0; i < syms->n && i < SOME; i++) {
		struct places places;
		struct error *err;

		free(symbol_label(&syms->v[i]));
		eh_frame_function_at(&target->image, syms->v[i].addr, &start,
				     &end);
		err = places_find(target, syms, syms->v[i].name, &how, &places);
		for (size_t j = 0; j < places.n && j < SOME; j++) {
			struct return_sites exits;

			error_free(return_sites_find(syms, &places.v[j], &exits));
			return_sites_free(&exits);
		}
		places_free(&places);
		error_free(err);
	}
}

static void read_variables(const struct debug_info *info, const struct symbol *function)
{
	/* In half of the cases, look up an instruction: there, inlined functions come first. */
	struct place place = { .addr = function->addr, .named = function->addr % 2 };
	struct scope scope;
	struct error *err = scope_open(info, &place, &scope);

	for (size_t i = 0; !err && i < scope.n && i < SOME; i++) {
		char *fetch;

		err = variable_fetch(&scope, scope.v[i].name, NULL, &fetch, NULL);
		if (!err)
			free(fetch);
		error_free(err);
		err = NULL;
	}
	if (!err)
		scope_close(&scope);
	error_free(err);
}

static void count(Dwarf_Die *copy, Dwarf_Die *function, void *arg)
{
	size_t *n = arg;

	*n += die_name(function) && copy->addr;
}

static void read_debug_info(struct target *target, const struct symbols *syms)
{
	const struct debug_info *info = target_debug_info(target, false);
	struct line_sites lines;
	size_t n = 0;

	if (!info)
		return;
	source_lines_of_file(info, "a.c", &lines);
	line_sites_free(&lines);
	error_free(source_line_find(info, "a.c", 3, &lines));
	line_sites_free(&lines);
	inlined_each(info, count, &n);
	for (size_t i = 0; i < syms->n && i < SOME; i++)
		read_variables(info, &syms->v[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target target = { 0 };
	struct symbols syms;
	struct error *err;
	void *bytes;

	if (!size)
		return 0;
	bytes = xmalloc(size);
	memcpy(bytes, data, size);
	err = elf_image_from_memory("input", bytes, size, &target.image);
	if (err) {
		error_free(err);
		return 0;
	}
	target.root = xstrdup("");
	target.debug_dir = xstrdup("/nonexistent");
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	read_probes(&syms);
	read_functions(&target, &syms);
	go_has_register_abi(&target.image);
	read_debug_info(&target, &syms);
	symbols_free(&syms);
	target_close(&target);
	return 0;
}
