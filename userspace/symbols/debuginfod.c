// SPDX-License-Identifier: GPL-2.0
/*
 * debuginfod(8): ask the servers in DEBUGINFOD_URLS by build ID. Load the
 * library only when it is needed, because it brings a web client with it.
 */
#include "debuginfod.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/error.h"

#define LIBRARY "libdebuginfod.so.1"

/**
 * struct client - the functions of libdebuginfod that are used
 * @begin: debuginfod_begin()
 * @find: debuginfod_find_debuginfo(); returns a descriptor, sets a path
 * @end: debuginfod_end()
 */
struct client {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int len,
		    char **path);
	void (*end)(void *client);
};

static bool load(struct client *client)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		remark("DEBUGINFOD_URLS is set, but %s cannot be loaded; install libdebuginfod1",
		       LIBRARY);
		return false;
	}
	client->begin = (void *(*)(void))dlsym(library, "debuginfod_begin");
	client->find = (int (*)(void *, const unsigned char *, int, char **))
		dlsym(library, "debuginfod_find_debuginfo");
	client->end = (void (*)(void *))dlsym(library, "debuginfod_end");
	return client->begin && client->find && client->end;
}

/**
 * debuginfod_open() - fetch the debug file of a program or library
 * @img: the program or library
 * @debug: filled in on success; to be closed by the caller
 *
 * If no server is configured, send no request.
 *
 * Return: whether there is one.
 */
bool debuginfod_open(const struct elf_image *img, struct elf_image *debug)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client client;
	struct error *err;
	const void *id;
	ssize_t len;
	char *path;
	void *handle;
	int fd;

	if (!urls || !*urls)
		return false;
	len = dwelf_elf_gnu_build_id(img->elf, &id);
	if (len <= 0 || !load(&client))
		return false;
	handle = client.begin();
	if (!handle)
		return false;
	fd = client.find(handle, id, len, &path);
	client.end(handle);
	if (fd < 0)
		return false;
	close(fd);
	err = elf_image_open(path, debug);
	free(path);
	error_free(err);
	return !err;
}
