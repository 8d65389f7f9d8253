// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Patches the operand of an instruction.  Reads a word a line: "call" says what amount()
 * returns, "fork" what it returns in a child, or how that ended, "patch" has amount()
 * return one more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096UL

asm(".text\n"
	".balign 4096\n"
	".globl amount\n"
	".type amount, @function\n"
	"amount:\n"
	"	mov $5, %eax\n"
	"	ret\n"
	".balign 4096\n");

int amount(void);

static void patch(void)
{
	unsigned char *operand = (unsigned char *)amount + 1;

	if (mprotect(amount, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(1);
	++*operand;
	mprotect(amount, PAGE, PROT_READ | PROT_EXEC);
}

int main(void)
{
	char line[64];
	int status;

	setlinebuf(stdout);
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "call\n")) {
			printf("%d\n", amount());
		} else if (!strcmp(line, "fork\n")) {
			if (!fork())
				_exit(amount());
			wait(&status);
			printf("%s %d\n", WIFEXITED(status) ? "child" : "signal",
			       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		} else {
			patch();
			printf("patched\n");
		}
	}
	return 0;
}
