// SPDX-License-Identifier: GPL-2.0
/*
 * Prints its process ID and the addresses of first() and second().  Then executes the commands that
 * it reads, one a line:
 *
 *	unmap	print the addresses of the program's SSOL areas, and unmap them
 *	areas	print the addresses
 *	call	call second(), and print the result
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

long first(long x);
long second(long x);
__asm__(".pushsection .text\n"
	"first:\n\tlea 1(%rdi), %rax\n\tret\n"
	".balign 64\n"
	"second:\n\tlea 2(%rdi), %rax\n\tret\n"
	".popsection\n");

static void each_area(int unmap)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], *start, *end;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "[uprobes]") || sscanf(line, "%p-%p", &start, &end) != 2)
			continue;
		printf(" %p", start);
		if (unmap)
			munmap(start, end - start);
	}
	if (maps)
		fclose(maps);
	putchar('\n');
}

int main(void)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("%d %p %p\n", getpid(), (void *)first, (void *)second);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "unmap\n")) {
			printf("unmapped");
			each_area(1);
		} else if (!strcmp(line, "areas\n")) {
			printf("areas");
			each_area(0);
		} else {
			printf("second %ld\n", second(40));
		}
	}
	return 0;
}
