// SPDX-License-Identifier: GPL-2.0
/*
 * u:TARGET:[PROVIDER:]NAME [ARGS] becomes one event with a line for each site.
 * The sites keep their arguments in different places, but an event has only one
 * format.  So an argument gets a type that fits all sites.
 */
#include "sdt_define.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/probe_site.h"
#include "util/probe_spec.h"
#include "sdt.h"
#include "sdt_operand.h"
#include "util/util.h"

/* Number of other probes that a message offers. */
#define NEAR_MAX 6

/**
 * struct site - a site of the wanted probe
 * @sdt: the site
 * @operands: its arguments
 */
struct site {
	const struct sdt_site *sdt;
	struct sdt_operands operands;
};

/**
 * struct arg - an argument at all sites
 * @type: its type
 * @unreadable: the operand of the first site where it cannot be read, or NULL
 */
struct arg {
	const char *type;
	const struct sdt_operand *unreadable;
};

/**
 * struct probe - the wanted probe
 * @sites: its sites
 * @n: number of @sites
 * @cap: capacity of @sites
 * @args: number of arguments that every site has
 * @v: the arguments
 */
struct probe {
	struct site *sites;
	size_t n;
	size_t cap;
	size_t args;
	struct arg *v;
};

static bool is_wanted(const struct sdt_site *site, const char *name)
{
	size_t len = strlen(site->provider);

	if (!strcmp(site->name, name))
		return true;
	return !strncmp(site->provider, name, len) && name[len] == ':' &&
	       !strcmp(site->name, name + len + 1);
}

static struct error *not_found(const struct sdt_list *list, const char *path,
			       const char *name)
{
	const char *base = strrchr(name, ':');
	struct error *err;
	size_t shown = 0;

	if (!list->n)
		return error_new(STATUS_NOT_FOUND,
				 "%s has no USDT probes; trace its functions with p: and r:",
				 path);
	err = error_new(STATUS_NOT_FOUND,
			"there is no probe %s in %s; see: uprobe sdt %s", name,
			path, path);
	base = base ? base + 1 : name;
	/* Offer names that contain the name first, then names that start like it. */
	for (size_t i = 0; i < 2 * list->n && shown < NEAR_MAX; i++) {
		const struct sdt_site *site = &list->v[i % list->n];
		bool contains = strstr(site->name, base);

		if (i % list->n && !strcmp(site[-1].name, site->name))
			continue;
		if (i < list->n ? !contains :
				  contains || strncmp(site->name, base, 3))
			continue;
		error_append(err, "%s\n  %s:%s", shown ? "" : "\n  near it:",
			     site->provider, site->name);
		shown++;
	}
	return err;
}

static struct error *collect(const struct sdt_list *list,
			     const struct symbols *syms, const char *name,
			     struct probe *probe)
{
	const char *path = syms->image->path, *problem = NULL, *provider = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const struct sdt_site *sdt = &list->v[i];
		struct site *site;

		if (!is_wanted(sdt, name))
			continue;
		if (provider && strcmp(provider, sdt->provider))
			return error_new(STATUS_NOT_FOUND,
					 "%s has the probe %s from %s and from %s; write which: PROVIDER:%s",
					 path, name, provider, sdt->provider,
					 name);
		provider = sdt->provider;
		if (sdt->problem) {
			problem = sdt->problem;
			remark("one site of %s at 0x%llx is left out: %s", name,
			       (unsigned long long)sdt->addr, sdt->problem);
			continue;
		}
		probe->sites = grow(probe->sites, probe->n, &probe->cap,
				    sizeof(*probe->sites));
		site = &probe->sites[probe->n++];
		site->sdt = sdt;
		sdt_operands_parse(sdt->operands, sdt->addr, syms, &site->operands);
		if (probe->n == 1 || site->operands.n < probe->args)
			probe->args = site->operands.n;
	}
	if (probe->n)
		return NULL;
	if (problem)
		return error_new(STATUS_REFUSED,
				 "the probe %s of %s cannot be used: %s; is the file damaged, or being traced by writing into it?",
				 name, path, problem);
	return not_found(list, path, name);
}

/* Return the operand of the first site where an argument cannot be read, or NULL. */
static const struct sdt_operand *unreadable(const struct probe *probe,
					    size_t arg)
{
	for (size_t i = 0; i < probe->n; i++)
		if (!probe->sites[i].operands.v[arg].fetch)
			return &probe->sites[i].operands.v[arg];
	return NULL;
}

/*
 * Choose the type of an argument for all sites.  Take the narrowest type, so that
 * no site reads more than its operand.  The type is signed if it is signed at any
 * site.  Constants fit any type, so they count only if all operands are constants.
 */
static const char *common_type(const struct probe *probe, size_t arg)
{
	bool is_signed = false, constant = true;
	unsigned int size = 8;

	for (size_t i = 0; i < probe->n; i++)
		constant &= probe->sites[i].operands.v[arg].fetch[0] == '\\';
	for (size_t i = 0; i < probe->n; i++) {
		const struct sdt_operand *operand =
			&probe->sites[i].operands.v[arg];

		if (operand->type)
			return operand->type;
		if (!constant && operand->fetch[0] == '\\')
			continue;
		if (operand->size < size)
			size = operand->size;
		is_signed |= operand->is_signed;
	}
	return sdt_operand_type(size, is_signed);
}

/* Examine the arguments of all sites only once: there may be very many sites. */
static void find_args(struct probe *probe)
{
	probe->v = xcalloc(probe->args + 1, sizeof(*probe->v));
	for (size_t i = 0; i < probe->args; i++) {
		probe->v[i].unreadable = unreadable(probe, i);
		if (!probe->v[i].unreadable)
			probe->v[i].type = common_type(probe, i);
	}
}

/* If the word "argN" is at @p, set @arg to N - 1 and return the word's length; otherwise 0. */
static size_t arg_word(const char *start, const char *p, size_t *arg)
{
	char *end;

	if (strncmp(p, "arg", 3) || !isdigit((unsigned char)p[3]) ||
	    (p > start && (isalnum((unsigned char)p[-1]) ||
			   strchr("_%$\"\\", p[-1]))))
		return 0;
	*arg = strtoul(p + 3, &end, 10) - 1;
	return isalnum((unsigned char)*end) || *end == '_' ? 0 : end - p;
}

static struct error *check_arg(const struct probe *probe, size_t arg)
{
	const struct sdt_operand *operand;

	if (arg >= probe->args)
		return error_new(STATUS_NOT_FOUND,
				 "the probe has %zu arguments and no arg%zu",
				 probe->args, arg + 1);
	operand = probe->v[arg].unreadable;
	if (operand)
		return error_new(STATUS_REFUSED,
				 "arg%zu cannot be read: it is %s, and %s",
				 arg + 1, operand->text, operand->problem);
	return NULL;
}

/* Translate TYPE, in which the length of a string can be another argument. */
static struct error *translate_type(const struct probe *probe,
				    const struct site *site, const char *type,
				    char **out)
{
	const struct sdt_operand *operand;
	const char *open = strchr(type, '(');
	size_t arg, len = open ? arg_word(type, open + 1, &arg) : 0;
	struct error *err;

	if (!len || strcmp(open + 1 + len, ")")) {
		*out = xstrdup(type);
		return NULL;
	}
	err = check_arg(probe, arg);
	if (err)
		return err;
	operand = &site->operands.v[arg];
	*out = xasprintf("%.*s(%s:%s)", (int)(open - type), type,
			 operand->fetch, operand->type ? operand->type :
			 sdt_operand_type(operand->size, operand->is_signed));
	return NULL;
}

/* Translate FETCH up to @end: insert the operands of a site for the arguments. */
static struct error *translate_fetch(const struct probe *probe,
				     const struct site *site, const char *word,
				     const char *expr, const char *end,
				     char **out)
{
	struct error *err = NULL;
	char *text = xstrdup(""), *more;
	const char *p;
	size_t arg, len;

	for (p = word; p < end;) {
		len = p >= expr ? arg_word(expr, p, &arg) : 0;
		if (len)
			err = check_arg(probe, arg);
		if (err)
			break;
		more = len ? xasprintf("%s%s", text,
				       site->operands.v[arg].fetch) :
			     xasprintf("%s%c", text, *p);
		free(text);
		text = more;
		p += len ? len : 1;
	}
	if (err) {
		free(text);
		text = NULL;
	}
	*out = text;
	return err;
}

/*
 * Translate one word of ARGS: insert the operands of a site for the arguments.  @type is the
 * type of the word, or NULL.
 */
static struct error *translate_word(const struct probe *probe,
				    const struct site *site, const char *word,
				    const char *type, char **out)
{
	const char *expr = word, *equals = name_end(word), *end;
	bool string = type && (str_starts(type, "string") ||
			       str_starts(type, "ustring"));
	struct error *err;
	size_t arg, len;
	char *fetch;

	if (*equals == '=')
		expr = equals + 1;
	end = type ? strchr(expr, ':') : expr + strlen(expr);
	len = arg_word(expr, expr, &arg);
	if (!len || expr + len != end) {
		/* The argument is part of an expression: +0(arg1):string. */
		err = translate_fetch(probe, site, word, expr, end, &fetch);
		if (err)
			return err;
		*out = xasprintf("%s%s%s", fetch, type ? ":" : "",
				 type ? type : "");
		free(fetch);
		return NULL;
	}
	/* The word is just the argument. */
	err = check_arg(probe, arg);
	if (err)
		return err;
	*out = xasprintf("%.*s%s%s%s:%s",
			 expr == word ? (int)len : (int)(equals - word), word,
			 string ? "=+0(" : "=", site->operands.v[arg].fetch,
			 string ? ")" : "",
			 type ? type : probe->v[arg].type);
	return NULL;
}

static struct error *translate(const struct probe *probe,
			       const struct site *site, const char *word,
			       char **out)
{
	_cleanup_free_ char *type = NULL;
	/* A word with text such as \"a:b" has no type. */
	const char *colon = strstr(word, "\\\"") ? NULL : strchr(word, ':');
	struct error *err = NULL;

	*out = NULL;
	if (colon)
		err = translate_type(probe, site, colon + 1, &type);
	if (!err)
		err = translate_word(probe, site, word, type, out);
	return err;
}

/* Return all arguments that can be read, named by their numbers. */
static char *default_args(const struct probe *probe, const struct site *site,
			  bool report)
{
	char *args = xstrdup(""), *more;

	for (size_t i = 0; i < probe->args; i++) {
		const struct sdt_operand *operand = probe->v[i].unreadable;

		if (operand) {
			if (report)
				remark("arg%zu is left out: it is %s, and %s",
				       i + 1, operand->text, operand->problem);
			continue;
		}
		more = xasprintf("%s arg%zu=%s:%s", args, i + 1,
				 site->operands.v[i].fetch, probe->v[i].type);
		free(args);
		args = more;
	}
	return args;
}

static struct error *make_args(const struct probe *probe,
			       const struct site *site, const char *text,
			       char **args)
{
	char *more, *word;
	struct error *err;

	if (!*text) {
		*args = default_args(probe, site, site == probe->sites);
		return NULL;
	}
	*args = xstrdup("");
	while (*(text += strspn(text, " \t"))) {
		size_t len = strcspn(text, " \t");
		char *copy = xstrndup(text, len);

		err = translate(probe, site, copy, &word);
		free(copy);
		if (err) {
			free(*args);
			*args = NULL;
			return err;
		}
		more = xasprintf("%s %s", *args, word);
		free(word);
		free(*args);
		*args = more;
		text += len;
	}
	return NULL;
}

/**
 * sdt_define() - make the definitions for a statically defined probe
 * @spec: the probe; its function is [PROVIDER:]NAME
 * @syms: symbols of the target
 * @sites: a line for each site is added: PATH:OFFSET[(COUNTER)] ARGS
 */
struct error *sdt_define(const struct probe_spec *spec,
			 const struct symbols *syms, struct probe_sites *sites)
{
	struct probe probe = { 0 };
	struct sdt_list list;
	struct error *err;

	sdt_load(syms->image, &list);
	err = collect(&list, syms, spec->function, &probe);
	if (!err)
		find_args(&probe);
	for (size_t i = 0; !err && i < probe.n; i++) {
		const struct sdt_site *sdt = probe.sites[i].sdt;
		char *args;

		err = make_args(&probe, &probe.sites[i], spec->args, &args);
		if (err)
			break;
		probe_sites_add(sites, syms->image->path, sdt->offset,
				sdt->semaphore ? sdt->semaphore_offset : 0,
				args + strspn(args, " "));
		free(args);
	}
	for (size_t i = 0; i < probe.n; i++)
		sdt_operands_free(&probe.sites[i].operands);
	free(probe.sites);
	free(probe.v);
	sdt_free(&list);
	return err;
}
