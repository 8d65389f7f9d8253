// SPDX-License-Identifier: GPL-2.0
/*
 * Changes instructions of its own through /proc/self/mem:
 *
 *	poked [jumps] [arguments]
 *
 * The byte that it changes belongs to an instruction of two(), but is behind the first five bytes.
 * jumps: before each change, it calls two() until a jump is there, for ten seconds at
 * most.  arguments: it first says that its arguments are all of its address space
 * (PR_SET_MM_MAP).  It prints how many jumps it has seen, and how many results were wrong.
 */
#include "puppet.h"
#include <linux/prctl.h>
#include <sys/prctl.h>

#define ROUNDS 2
#define JUMP 0xe9

int two(int n);
__asm__(".p2align 6\n"
	ASM_PART(two, "\tlea 1(%rdi), %eax\n\tadd $1, %eax\n\tret\n"));

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Field @n of /proc/self/stat, from 1 on; the second one is in parentheses. */
static unsigned long stat_field(int n)
{
	static char text[4096];
	int fd = open("/proc/self/stat", O_RDONLY), i;
	char *at;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		die("/proc/self/stat");
	close(fd);
	at = strrchr(text, ')') + 1;
	for (i = 2; i < n - 1; i++)
		at = strchr(at + 1, ' ');
	return strtoul(at + 1, NULL, 10);
}

static void stretch_arguments(void)
{
	struct prctl_mm_map map = {
		.start_code = stat_field(26), .end_code = stat_field(27),
		.start_stack = stat_field(28), .start_data = stat_field(45),
		.end_data = stat_field(46), .start_brk = stat_field(47),
		.brk = (unsigned long)sbrk(0), .arg_start = 0x10000, .arg_end = 0x11000,
		.env_start = 0x11000, .env_end = 0x7ffffffff000UL - 4096, .exe_fd = -1,
	};

	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0))
		die("PR_SET_MM_MAP");
}

static int jump_there(void)
{
	time_t start = time(NULL);

	while (*(volatile unsigned char *)two != JUMP && time(NULL) - start < 10)
		two(0);
	return *(volatile unsigned char *)two == JUMP;
}

int main(int argc, char **argv)
{
	int fd = open("/proc/self/mem", O_RDWR), seen = 0, wrong = 0, waits = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "jumps"))
			waits = 1;
		else
			stretch_arguments();
	}
	for (unsigned char imm = 2; imm < 2 + ROUNDS; imm++) {
		seen += waits && jump_there();
		if (pwrite(fd, &imm, 1, (off_t)((unsigned long)two + 5)) != 1)
			die("/proc/self/mem");
		for (int i = 0; i < 100000; i++)
			wrong += two(i) != i + 1 + imm;
	}
	printf("%d jumps, %d wrong\n", seen, wrong);
	return 0;
}
