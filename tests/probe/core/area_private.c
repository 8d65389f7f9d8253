// SPDX-License-Identifier: GPL-2.0
/*
 *	area_private OFFSET
 *
 * Prints which slots the processes of one family can see in their SSOL areas.
 *
 * At OFFSET in the file of this program is the page of marked(), whose first instruction is probed.
 * There are three processes: a parent, and two children that have become user 65534.  Each maps
 * that page once more, gives the instruction an operand of its own, and calls it.  The slot then
 * contains that operand.  Each process searches its own areas for the operands of all three, and
 * prints those that it found.
 */
#include "puppet.h"

#define NAMES	3

long marked(void);
__asm__(".pushsection .text\n"
	".balign 4096\n"
	LABEL(marked)
	"\tmovabs $0x1111111111111111, %rax\n"
	"\tret\n"
	".balign 4096\n"
	".popsection\n");

static const char name[NAMES][9] = { "OfParent", "OfChild1", "OfChild2" };

/* Map the page with the operand of process @i, and execute it.  Return false if that fails. */
static int execute_own(int fd, off_t offset, int i)
{
	unsigned long at = ((unsigned long)marked & -PAGE) + 0x10000000 + i * 0x100000;
	char *page = mmap((void *)at, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, offset);
	long (*own)(void) = (long (*)(void))page;
	long want;

	if (page == MAP_FAILED)
		return 0;
	memcpy(page + 2, name[i], 8);
	memcpy(&want, name[i], 8);
	return !mprotect(page, PAGE, PROT_READ | PROT_EXEC) && own() == want;
}

/* Print whose operands are in the areas of this process. */
static void tell(const char *who)
{
	int found[NAMES] = {}, areas = 0, i;
	struct mapping m;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		areas++;
		for (i = 0; i < NAMES; i++)
			found[i] += !!memmem((void *)m.start, m.end - m.start, name[i], 8);
	}
	printf("%s %u:%s", who, getuid(), areas ? "" : " no area");
	for (i = 0; i < NAMES; i++) {
		if (found[i])
			printf(" %s", name[i]);
	}
	putchar('\n');
}

static void child(int i, int fd, off_t offset, const int *up, const int *down)
{
	char byte = '.';

	if (setgid(65534) || setuid(65534) || !execute_own(fd, offset, i))
		_exit(1);
	if (write(up[1], &byte, 1) != 1 || read(down[0], &byte, 1) != 1)
		_exit(2);
	tell("child");
	_exit(0);
}

int main(int argc, char **argv)
{
	off_t offset = argc > 1 ? strtol(argv[1], NULL, 0) : 0;
	int fd = open("/proc/self/exe", O_RDONLY), up[2], down[2], i, status;
	char byte;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (fd < 0 || pipe(up) || pipe(down))
		return 2;
	/* Hit the probe, so that there is an area before the first fork. */
	marked();
	for (i = 1; i < NAMES; i++) {
		if (!fork())
			child(i, fd, offset, up, down);
		if (read(up[0], &byte, 1) != 1)
			return 3;
	}
	if (!execute_own(fd, offset, 0))
		return 4;
	tell("parent");
	/* Let one child after the other print; their order does not matter. */
	for (i = 1; i < NAMES; i++) {
		if (write(down[1], &byte, 1) != 1 || wait(&status) < 0 || status)
			return 5;
	}
	return 0;
}
