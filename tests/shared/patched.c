// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Patches the operand of an instruction.  Executes the commands that it reads, one a line:
 *
 *	call	print what amount() returns
 *	fork	print what amount() returns in a child, or how the child ended
 *	patch	change amount(), so that it returns one more
 *	move	move amount() elsewhere by mremap()
 *	replace	map data at the old place that begins with the byte of a breakpoint
 *	look	print whether the data begin with that byte, here and in a child
 *	open	make the text of amount() writable
 *	poke	change amount() in writable text, so that it returns one more
 *	drop	have the kernel drop the text, so that it comes from the file again
 *	load	map another function there, which begins with the same byte and returns 9
 */
#include "puppet.h"

asm(".text\n"
	".balign 4096\n"
	ASM_PART(amount, "\tmov $5, %eax\n\tret\n")
	".balign 4096\n");

int amount(void);

/* Where amount() is now. */
static int (*there_is)(void) = amount;

static void make_writable(void)
{
	if (mprotect(amount, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(1);
}

static void poke(void)
{
	unsigned char *operand = (unsigned char *)amount + 1;

	++*operand;
}

static void patch(void)
{
	make_writable();
	poke();
	mprotect(amount, PAGE, PROT_READ | PROT_EXEC);
}

static void replace(unsigned char first)
{
	const unsigned char data[] = { first, 9, 0, 0, 0, 0xc3 };

	if (mmap(amount, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (void *)amount)
		exit(1);
	memcpy(amount, data, sizeof(data));
}

static void move(void)
{
	void *to = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (to == MAP_FAILED ||
	    mremap(amount, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		exit(1);
	there_is = to;
}

static int there(void)
{
	return *(volatile unsigned char *)amount == 0xcc;
}

int main(void)
{
	struct command c;
	int status;

	printf("ready\n");
	while (next_command(&c)) {
		if (is(&c, "call")) {
			printf("%d\n", there_is());
		} else if (is(&c, "fork")) {
			if (!fork())
				_exit(there_is());
			wait(&status);
			printf("%s %d\n", WIFEXITED(status) ? "child" : "signal",
			       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		} else if (is(&c, "look")) {
			if (!fork())
				_exit(there());
			wait(&status);
			printf("%d %d\n", there(), WEXITSTATUS(status));
		} else if (is(&c, "replace")) {
			replace(0xcc);
			printf("replaced\n");
		} else if (is(&c, "load")) {
			replace(0xb8);
			printf("loaded\n");
		} else if (is(&c, "move")) {
			move();
			printf("moved\n");
		} else if (is(&c, "open")) {
			make_writable();
			printf("opened\n");
		} else if (is(&c, "poke")) {
			poke();
			printf("poked\n");
		} else if (is(&c, "drop")) {
			if (madvise(amount, PAGE, MADV_DONTNEED))
				exit(1);
			printf("dropped\n");
		} else {
			patch();
			printf("patched\n");
		}
	}
	return 0;
}
