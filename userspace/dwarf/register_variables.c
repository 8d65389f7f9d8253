// SPDX-License-Identifier: GPL-2.0
/*
 * Variables for the places of arguments in a calling convention:
 *
 *	$arg1 to $arg6		System V: %di, %si, ...; with 32 bits, $stack1 and so on
 *	$go1 to $go9		Go: %ax, %bx, ...
 */
#include "register_variables.h"

#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "symbols/go_symbols.h"
#include "util/util.h"

static const char *const wide[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

/* The return address is below these arguments on the stack. */
static const char *const narrow[] = {
	"$stack1", "$stack2", "$stack3", "$stack4", "$stack5", "$stack6",
};

/* Other variables that the tracer or the translation of names knows. */
static const char *const others[] = {
	"retval", "stack", "comm", "params", "vars",
};

static struct error *go_argument(const struct elf_image *img, u64 n,
				 const char **reg)
{
	if (!go_has_register_abi(img) || !n || n > go_registers_n)
		return error_new(STATUS_USAGE,
				 "$go1 to $go%zu are the first integer and pointer arguments in programs that Go 1.18 or later has built; %s has no $go%llu",
				 go_registers_n, img->path,
				 (unsigned long long)n);
	*reg = go_registers[n - 1];
	return NULL;
}

static struct error *argument(const struct elf_image *img, char kind, u64 n,
			      const char **reg)
{
	if (kind == 'r')
		return error_new(STATUS_USAGE,
				 "$arg%llu is gone when the function has returned; fetch it with p:",
				 (unsigned long long)n);
	if (go_is_program(img))
		return error_new(STATUS_USAGE,
				 "functions of Go do not have their arguments where $arg%llu would be; write $go1, $go2 and so on, or the registers: %%di",
				 (unsigned long long)n);
	if (!n || n > ARRAY_SIZE(wide))
		return error_new(STATUS_USAGE,
				 "$arg1 to $arg%zu are the arguments in registers, and there is no $arg%llu; what follows them is on the stack: $stack1, $stack2 and so on",
				 ARRAY_SIZE(wide), (unsigned long long)n);
	*reg = (img->ehdr.e_machine == EM_X86_64 ? wide : narrow)[n - 1];
	return NULL;
}

static struct error *unknown(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (len >= strlen(others[i]) &&
		    !strncmp(name, others[i], strlen(others[i])) &&
		    (len == strlen(others[i]) || !strcmp(others[i], "stack")))
			return NULL;
	return error_new(STATUS_USAGE,
			 "there is no $%.*s; there are $arg1 to $arg6, $stack, $stackN, $comm, $params and $vars, $go1 to $go9 in Go programs, and in return probes $retval; variables of the program are written without a $",
			 (int)len, name);
}

/* Look up the variable @name, without its dollar; @reg stays NULL if it is not replaced. */
static struct error *look_up(const struct elf_image *img, char kind,
			     const char *name, size_t len, const char **reg)
{
	size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");
	char *end;
	u64 n = strtoull(name + letters, &end, 10);

	*reg = NULL;
	if (letters == len || end != name + len)
		return unknown(name, len);
	if (letters == 2 && !strncmp(name, "go", 2))
		return go_argument(img, n, reg);
	if (letters == 3 && !strncmp(name, "arg", 3))
		return argument(img, kind, n, reg);
	return unknown(name, len);
}

/* Find the next dollar that starts a variable; ignore a dollar in \"text". */
static const char *next_dollar(const char *p)
{
	bool quoted = false;

	for (; *p; p++) {
		if (quoted)
			quoted = *p != '"';
		else if (p[0] == '\\' && p[1] == '"')
			quoted = p++;
		else if (*p == '$')
			return p;
	}
	return NULL;
}

/**
 * register_variables() - replace $argN and $goN by registers or stack words
 * @img: the program or library
 * @kind: kind of the probe
 * @args: arguments
 * @out: set on success to the arguments after the replacement, from malloc()
 */
struct error *register_variables(const struct elf_image *img, char kind,
				 const char *args, char **out)
{
	char *text = xstrdup(""), *more;
	const char *dollar;

	*out = NULL;
	while ((dollar = next_dollar(args))) {
		const char *name = dollar + 1, *reg;
		struct error *err;
		size_t len = name_end(name) - name;

		err = look_up(img, kind, name, len, &reg);
		if (err) {
			free(text);
			return err;
		}
		more = xasprintf("%s%.*s%.*s%s", text, (int)(dollar - args),
				 args, reg ? 0 : (int)len + 1, dollar,
				 reg ? reg : "");
		free(text);
		text = more;
		args = name + len;
	}
	*out = xasprintf("%s%s", text, args);
	free(text);
	return NULL;
}
