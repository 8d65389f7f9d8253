// SPDX-License-Identifier: GPL-2.0
/*
 * ldcache CACHE: print "NAME PATH" for each entry.
 * ldcache CACHE ROUNDS: read damaged copies of CACHE instead.  Build it with sanitizers.
 */
#include "host/ldcache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"
#include "mutate.h"

static int print_all(const char *path, FILE *out)
{
	const char *name, *file;
	struct ldcache cache;
	struct error *err = ldcache_open(path, &cache);

	if (err) {
		error_free(err);
		return 1;
	}
	for (size_t i = 0; i < cache.n; i++)
		if (ldcache_entry(&cache, i, &name, &file))
			fprintf(out, "%s %s\n", name, file);
	ldcache_close(&cache);
	return 0;
}

int main(int argc, char **argv)
{
	char path[] = "damaged.cache";
	unsigned char *bytes, *copy;
	FILE *f, *null;
	size_t size;

	if (argc == 2)
		return print_all(argv[1], stdout);
	f = fopen(argv[1], "rb");
	null = fopen("/dev/null", "w");
	if (argc != 3 || !f || !null || fseek(f, 0, SEEK_END))
		return 2;
	size = ftell(f);
	rewind(f);
	bytes = malloc(size);
	copy = malloc(size);
	if (!bytes || !copy || fread(bytes, 1, size, f) != size)
		return 2;
	fclose(f);
	for (int i = 0; i < atoi(argv[2]); i++) {
		size_t left;

		memcpy(copy, bytes, size);
		left = mutate(i, copy, size);
		/* The first bytes matter most: give each of them many values. */
		copy[i % 64] = i >> 6;
		f = fopen(path, "wb");
		if (!f || fwrite(copy, 1, left, f) != left || fclose(f))
			return 2;
		print_all(path, null);
	}
	fclose(null);
	free(bytes);
	free(copy);
	return 0;
}
