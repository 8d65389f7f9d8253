// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fno-omit-frame-pointer
/*
 * Executes code such as a JIT compiler makes, and writes the file that names it for perf:
 *
 *	cli_jit
 *
 * Prints its process ID and the address of the code.  Then calls landmark() through the code for
 * each line of its input.
 */
#include "puppet.h"

__attribute__((noinline, noipa)) long landmark(void)
{
	return getppid() + 1;
}

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

int main(void)
{
	char path[64];
	unsigned char *text;
	FILE *names;

	text = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (text == MAP_FAILED)
		return 1;
	memcpy(text, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	names = fopen(path, "w");
	if (!names)
		return 1;
	fprintf(names, "%lx %zx older\n%lx 1000 far\nno line of it\n%lx %zx jit frame:1\n",
		(long)text, sizeof(code), (long)text + 4096, (long)text, sizeof(code));
	fclose(names);
	printf("%d %p\n", getpid(), text);
	while (wait_line()) {
		((long (*)(long (*)(void)))text)(landmark);
		putchar('.');
	}
	return 0;
}
