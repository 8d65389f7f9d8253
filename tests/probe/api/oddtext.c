// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Has text that cannot be probed, under symbols that name the reason.  Prints its process ID and
 * the address of main().  With an argument, maps a huge page of that file as text, and prints its
 * address instead.  Waits for a line on standard input.
 */
#include "puppet.h"

#define HUGE_PAGE	(2UL << 20)

__asm__(".pushsection .text\n"
	ASM_PART(breakpoint, "\tint3\n\tret\n")
	ASM_PART(undefined, "\t.byte 0x06, 0x06\n\tret\n")
	ASM_PART(enclave, "\t.byte 0x0f, 0x01, 0xd7\n\tret\n")
	".popsection\n");

/* Map a huge page of a file.  Read its first byte, so that the page is in memory. */
static void *map_huge(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *at;

	if (fd < 0 || ftruncate(fd, HUGE_PAGE))
		return NULL;
	at = mmap(NULL, HUGE_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED || *(volatile char *)at)
		return NULL;
	return at;
}

int main(int argc, char **argv)
{
	printf("%d %p\n", getpid(), argc > 1 ? map_huge(argv[1]) : (void *)main);
	wait_line();
	return 0;
}
