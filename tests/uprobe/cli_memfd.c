// SPDX-License-Identifier: GPL-2.0
// cflags: -ldl
/*
 *	cli_memfd LIBRARY
 *
 * Loads the library from memory, as libstapsdt does with the probes that a script asks for.
 * Executes the library's probe for each line of input, and prints the line.
 */
#include "puppet.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void (*fire)(long n, const char *text);
	int from = open(argv[argc - 1], O_RDONLY);
	int fd = memfd_create("probes.so", MFD_CLOEXEC);
	char buf[65536], line[64];
	void *library;
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(fd, buf, n) != n)
			return 1;
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fd);
	library = dlopen(buf, RTLD_NOW);
	fire = library ? (void (*)(long, const char *))dlsym(library, "fire") : NULL;
	if (!fire)
		return 1;
	puts("ready");
	for (long i = 1; next_line(line, sizeof(line)); i++) {
		fire(-i, line);
		puts(line);
	}
	return 0;
}
