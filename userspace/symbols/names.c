// SPDX-License-Identifier: GPL-2.0
/* Symbol names in the form that users write and read. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "symbols.h"
#include "util/util.h"

/**
 * demangles_to() - check whether a symbol demangles to a given name
 * @symbol: the symbol's name; only the first @len bytes count
 * @len: length of the name without a suffix that the compiler has added
 * @squeezed: the name that the user typed, from name_squeeze()
 * @form: with or without parameters
 */
bool demangles_to(const char *symbol, size_t len, const char *squeezed,
		  enum demangle_form form)
{
	_cleanup_free_ char *plain = xstrndup(symbol, len), *pretty = NULL, *s = NULL;

	pretty = demangle(plain, form);
	s = pretty ? name_squeeze(pretty) : NULL;
	return s && !strcmp(s, squeezed);
}

/**
 * symbol_label() - format a symbol for the user
 * @sym: the symbol
 *
 * Return: its name, with its demangled name and the kind of clone where they
 * exist; from malloc().
 */
char *symbol_label(const struct symbol *sym)
{
	const char *suffix = clone_suffix(sym->name);
	char *pretty, *label;

	if (suffix && *clone_kind(suffix)) {
		_cleanup_free_ char *plain = xstrndup(sym->name, suffix - sym->name);

		pretty = demangle(plain, DEMANGLE_CALL);
		label = xasprintf("%s (%s %s)", sym->name, clone_kind(suffix),
				  pretty ? pretty : plain);
	} else {
		pretty = demangle(sym->name, DEMANGLE_CALL);
		label = pretty ? xasprintf("%s (%s)", pretty, sym->name) :
				 xstrdup(sym->name);
	}
	free(pretty);
	return label;
}
