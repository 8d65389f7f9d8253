// SPDX-License-Identifier: GPL-2.0
#include "vdso.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "elf/elf_image.h"
#include "util/error.h"
#include "host/process.h"
#include "symbols.h"
#include "util/util.h"

/* The kernel's vDSO has two pages.  A mapping larger than this limit is not the vDSO. */
#define VDSO_MAX (64 * 4096)

/* Functions of the vDSO have names with this prefix, and their libc names as aliases. */
#define VDSO_PREFIX "__vdso_"

/* Find the vDSO of a process.  Return false if the process has none or has ended. */
static bool find_mapping(pid_t pid, u64 *start, u64 *end)
{
	char path[64], *line = NULL;
	bool found = false;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = str_ends(line, " [vdso]") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, start, end) == 2 &&
			*start < *end && *end - *start <= VDSO_MAX;
	}
	free(line);
	fclose(f);
	return found;
}

/* Read memory of a process.  If not all of it can be read, set errno and return NULL. */
static void *read_memory(pid_t pid, u64 start, size_t size)
{
	char *bytes = xmalloc(size), path[64];
	ssize_t n = -1;
	int fd, error;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = pread(fd, bytes, size, start);
	if (n == (ssize_t)size) {
		close(fd);
		return bytes;
	}
	error = n < 0 ? errno : EIO;
	if (fd >= 0)
		close(fd);
	free(bytes);
	errno = error;
	return NULL;
}

static bool is_called(const struct symbol *sym, const char *name)
{
	const char *plain = str_starts(sym->name, VDSO_PREFIX) ?
			    sym->name + strlen(VDSO_PREFIX) : sym->name;

	return sym->defined && sym->type == STT_FUNC && !strcmp(plain, name);
}

static bool find_symbol(const struct elf_image *img, const char *name, u64 *addr)
{
	struct symbols syms = { 0 };
	bool found = false;

	symbols_load_dynamic(img, &syms);
	for (size_t i = 0; i < syms.n && !found; i++) {
		const struct symbol *sym = &syms.v[i];

		found = is_called(sym, name) && elf_image_is_code(img, sym->addr);
		if (found)
			*addr = sym->addr;
	}
	symbols_free(&syms);
	return found;
}

/**
 * vdso_find() - find a function in the vDSO of a process
 * @pid: the process
 * @name: its name in libc, such as gettimeofday
 * @addr: set to its address in the process; 0 if the vDSO has no such function,
 *	or if the process has no vDSO
 */
struct error *vdso_find(pid_t pid, const char *name, u64 *addr)
{
	struct elf_image img;
	struct error *err;
	u64 start, end;
	void *bytes;

	*addr = 0;
	pid = process_reader(pid);
	if (!find_mapping(pid, &start, &end))
		return NULL;
	bytes = read_memory(pid, start, end - start);
	if (!bytes)
		return error_new(STATUS_DENIED,
				 "the memory of process %d cannot be read (%s); try it as root",
				 pid, strerror(errno));
	err = elf_image_from_memory("[vdso]", bytes, end - start, &img);
	if (err)
		return err;
	if (find_symbol(&img, name, addr)) {
		u64 offset;

		err = elf_image_offset(&img, *addr, &offset);
		*addr = start + offset;
	}
	if (err)
		*addr = 0;
	elf_image_close(&img);
	return err;
}

/**
 * vdso_has() - check whether this kernel's vDSO has a function
 * @name: its name in libc
 */
bool vdso_has(const char *name)
{
	struct error *err;
	u64 addr;

	err = vdso_find(getpid(), name, &addr);
	error_free(err);
	return !err && addr;
}
