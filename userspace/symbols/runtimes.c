// SPDX-License-Identifier: GPL-2.0
/*
 * Runtimes that look up return addresses to interpret the stack, or to find the handler of an
 * exception. They do not expect a return address that is not their own, and fail on it.
 */
#include "runtimes.h"

#include <string.h>

#include "go_symbols.h"
#include "util/util.h"

/*
 * Prefixes of functions that Java calls through a frame after which the virtual machine starts
 * its stack walk. The walk does not read the return addresses of these functions.
 */
static const char *const java_natives[] = { "JVM_", "JNI_", NULL };

/* Go programs are recognized by their sections, not by a symbol. */
static const struct runtime go = {
	.is = "a Go program",
	.why = "whose runtime moves stacks and would crash on a replaced return address",
};

static const struct runtime runtimes[] = {
	{
		.is = "an OCaml program",
		.why = "whose exceptions cut the stack, and whose collector looks up return addresses",
		.symbol = "caml_start_program",
	},
	{
		.is = "a Java virtual machine",
		.why = "which walks its stack by return addresses",
		.symbol = "JNI_CreateJavaVM",
		.safe = java_natives,
	},
	{
		.is = "a program with the V8 engine",
		.why = "which walks its stack by return addresses",
		.symbol = "_ZN2v82V810GetVersionEv",
	},
};

static const struct runtime *in_table(const struct elf_image *img, Elf_Scn *scn,
				      const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		if (sym.st_shndx == SHN_UNDEF || GELF_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		name = elf_strptr(img->elf, shdr->sh_link, sym.st_name);
		for (size_t k = 0; name && k < ARRAY_SIZE(runtimes); k++)
			if (!strcmp(name, runtimes[k].symbol))
				return &runtimes[k];
	}
	return NULL;
}

/**
 * runtime_of() - find out which runtime in a file reads return addresses
 * @img: the file
 *
 * Return: the runtime; NULL if the file has no known one.
 */
const struct runtime *runtime_of(const struct elf_image *img)
{
	const struct runtime *found = NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (go_is_program(img))
		return &go;
	while (!found && (scn = elf_nextscn(img->elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
		    (shdr.sh_type == SHT_DYNSYM || shdr.sh_type == SHT_SYMTAB))
			found = in_table(img, scn, &shdr);
	return found;
}

/**
 * runtime_needs_ret_addr() - check whether it is dangerous to replace a function's return address
 * @runtime: the runtime of the function's file, or NULL
 * @function: the function's name, or NULL
 */
bool runtime_needs_ret_addr(const struct runtime *runtime, const char *function)
{
	const char *const *safe = runtime ? runtime->safe : NULL;

	for (; function && safe && *safe; safe++)
		if (!strncmp(function, *safe, strlen(*safe)))
			return false;
	return runtime;
}
