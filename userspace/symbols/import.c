// SPDX-License-Identifier: GPL-2.0
/*
 * Search for libraries as the dynamic linker does (ld.so(8)), without running
 * it: search all needed libraries, breadth first.  Look for each library in
 * the run path of the file that needs it, then in the cache.
 */
#include "import.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"
#include "host/library.h"
#include "util/util.h"

/* More libraries than any program loads; a limit on hostile files. */
#define LIBRARIES_MAX 512

static Elf_Data *dynamic_data(const struct elf_image *img, GElf_Shdr *shdr)
{
	Elf_Scn *scn = elf_image_section_of_type(img, SHT_DYNAMIC, shdr);

	return scn ? elf_getdata(scn, NULL) : NULL;
}

/* Call @each for every entry with this tag that names a printable string. */
static void each_dynamic_string(const struct elf_image *img, s64 tag,
				void (*each)(const char *, void *), void *arg)
{
	GElf_Shdr shdr;
	Elf_Data *data = dynamic_data(img, &shdr);
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) &&
	     dyn.d_tag != DT_NULL; i++) {
		const char *s;

		if (dyn.d_tag != tag)
			continue;
		s = elf_strptr(img->elf, shdr.sh_link, dyn.d_un.d_val);
		if (s && *s && str_printable(s))
			each(s, arg);
	}
}

static void collect(const char *s, void *arg)
{
	paths_add(arg, s);
}

/* Return one directory of a run path, with $ORIGIN replaced; NULL if it cannot be resolved. */
static char *run_path_entry(const char *entry, size_t len, const char *root,
			    const struct elf_image *img)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(img->file, '/');

	for (size_t i = 0; i < ARRAY_SIZE(origins); i++) {
		size_t n = strlen(origins[i]);

		if (len >= n && !strncmp(entry, origins[i], n) && slash)
			return xasprintf("%.*s%.*s", (int)(slash - img->file),
					 img->file, (int)(len - n), entry + n);
	}
	if (!len || entry[0] != '/' || memchr(entry, '$', len))
		return NULL;
	return xasprintf("%s%.*s", root, (int)len, entry);
}

static char *find_in_run_path(const char *library, const char *root,
			      const struct elf_image *img)
{
	struct paths runpaths = { 0 };
	char *found = NULL;

	each_dynamic_string(img, DT_RUNPATH, collect, &runpaths);
	if (!runpaths.n)
		each_dynamic_string(img, DT_RPATH, collect, &runpaths);
	for (size_t i = 0; i < runpaths.n; i++) {
		const char *p = runpaths.v[i];

		while (!found && *p) {
			_cleanup_free_ char *dir = run_path_entry(p, strcspn(p, ":"), root, img);
			size_t len = strcspn(p, ":");

			if (dir) {
				found = xasprintf("%s/%s", dir, library);
				if (access(found, R_OK)) {
					free(found);
					found = NULL;
				}
			}
			p += len + (p[len] == ':');
		}
	}
	paths_free(&runpaths);
	return found;
}

static char *find_library(const char *library, const char *root,
			  const struct elf_image *img)
{
	const struct machine machine = {
		.elf_class = img->ehdr.e_ident[EI_CLASS],
		.machine = img->ehdr.e_machine,
	};
	struct paths paths, others = { 0 };
	char *found;

	if (strchr(library, '/'))
		return xasprintf("%s%s", root, library);
	found = find_in_run_path(library, root, img);
	if (found)
		return found;
	error_free(library_find(library, root, &machine, &paths, &others));
	paths_free(&others);
	if (paths.n)
		found = xstrdup(paths.v[0]);
	paths_free(&paths);
	return found;
}

static bool defines(const struct elf_image *img, const struct symbol *wanted)
{
	struct symbols syms;
	bool yes = false;

	symbols_load_dynamic(img, &syms);
	for (size_t i = 0; i < syms.n && !yes; i++) {
		const struct symbol *sym = &syms.v[i];

		yes = !strcmp(sym->name, wanted->name) && sym->defined &&
		      (!wanted->version || !sym->version ||
		       !strcmp(sym->version, wanted->version));
	}
	symbols_free(&syms);
	return yes;
}

static bool known(const struct paths *paths, const char *path)
{
	for (size_t i = 0; i < paths->n; i++)
		if (!strcmp(paths->v[i], path))
			return true;
	return false;
}

static void enqueue(struct paths *queue, const struct elf_image *img,
		    const char *root)
{
	struct paths needed = { 0 };

	each_dynamic_string(img, DT_NEEDED, collect, &needed);
	for (size_t i = 0; i < needed.n && queue->n < LIBRARIES_MAX; i++) {
		_cleanup_free_ char *path = find_library(needed.v[i], root, img);

		if (path && !known(queue, path))
			paths_add(queue, path);
	}
	paths_free(&needed);
}

/**
 * import_find_definer() - find the library that defines an imported symbol
 * @syms: symbols of the file that imports it
 * @sym: the imported symbol
 *
 * Return: the library's path, from malloc(); NULL if none of the libraries
 * that the file needs defines the symbol.
 */
char *import_find_definer(const struct symbols *syms, const struct symbol *sym)
{
	struct paths queue = { 0 };
	char *definer = NULL;

	enqueue(&queue, syms->image, syms->root);
	for (size_t i = 0; i < queue.n && !definer; i++) {
		struct elf_image lib;
		struct error *err = elf_image_open(queue.v[i], &lib);

		if (err) {
			error_free(err);
			continue;
		}
		if (defines(&lib, sym))
			definer = xstrdup(queue.v[i]);
		else
			enqueue(&queue, &lib, syms->root);
		elf_image_close(&lib);
	}
	paths_free(&queue);
	return definer;
}
