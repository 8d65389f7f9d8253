// SPDX-License-Identifier: GPL-2.0
/* Symbols as people write and read them. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "symbols.h"
#include "util/util.h"

/**
 * demangles_to() - is this how a programmer writes a symbol?
 * @symbol: its name, of which @len bytes count
 * @len: without what the compiler has added
 * @squeezed: what was typed, from name_squeeze()
 * @form: with or without parameters
 */
bool demangles_to(const char *symbol, size_t len, const char *squeezed,
		  enum demangle_form form)
{
	char *plain = xstrndup(symbol, len), *pretty, *s;
	bool same;

	pretty = demangle(plain, form);
	s = pretty ? name_squeeze(pretty) : NULL;
	same = s && !strcmp(s, squeezed);
	free(s);
	free(pretty);
	free(plain);
	return same;
}

/**
 * symbol_label() - a symbol as a person should see it
 * @sym: the symbol
 *
 * Return: its demangled name, if it has one, and what kind of clone it is;
 * from malloc().
 */
char *symbol_label(const struct symbol *sym)
{
	const char *suffix = clone_suffix(sym->name);
	char *pretty, *label;

	if (suffix && *clone_kind(suffix)) {
		char *plain = xstrndup(sym->name, suffix - sym->name);

		pretty = demangle(plain, DEMANGLE_CALL);
		label = xasprintf("%s (%s %s)", sym->name, clone_kind(suffix),
				  pretty ? pretty : plain);
		free(plain);
	} else {
		pretty = demangle(sym->name, DEMANGLE_CALL);
		label = pretty ? xasprintf("%s (%s)", pretty, sym->name) :
				 xstrdup(sym->name);
	}
	free(pretty);
	return label;
}
