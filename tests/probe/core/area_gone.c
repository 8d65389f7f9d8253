// SPDX-License-Identifier: GPL-2.0
/*
 * Prints its process ID and the addresses of first() and second().  Then executes the commands that
 * it reads, one a line:
 *
 *	unmap	print the addresses of the program's SSOL areas, and unmap them
 *	areas	print the addresses
 *	call	call second(), and print the result
 */
#include "puppet.h"

long first(long x);
long second(long x);
__asm__(".pushsection .text\n"
	"first:\n\tlea 1(%rdi), %rax\n\tret\n"
	".balign 64\n"
	"second:\n\tlea 2(%rdi), %rax\n\tret\n"
	".popsection\n");

static void each_area(int unmap)
{
	struct mapping m;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		printf(" %#lx", m.start);
		if (unmap)
			munmap((void *)m.start, m.end - m.start);
	}
	putchar('\n');
}

int main(void)
{
	struct command c;

	printf("%d %p %p\n", getpid(), (void *)first, (void *)second);
	while (next_command(&c)) {
		if (is(&c, "unmap")) {
			printf("unmapped");
			each_area(1);
		} else if (is(&c, "areas")) {
			printf("areas");
			each_area(0);
		} else {
			printf("second %ld\n", second(40));
		}
	}
	return 0;
}
