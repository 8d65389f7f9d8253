// SPDX-License-Identifier: GPL-2.0
/*
 * Loads all registers, and calls a function that changes all of them, three times.  Prints each
 * register at the entry of the function and after its return:
 *
 *	EVENT: ip=... sp=... flags=... ax=... ...
 *
 * If the program then has other registers, prints that, too.  At both events, the register di is an
 * address in a file that is not in memory.
 */
#include "puppet.h"

struct registers {
	unsigned long ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15, flags;
	unsigned long sp;	/* where the call is made */
};

/* Call changed() with the registers in @in, and store the registers that it leaves in @out. */
void load(const struct registers *in, struct registers *out);
void changed(void);
extern char behind[];

/* Of the flags: CF, PF, AF, ZF, SF, OF. */
#define FLAGS 0x8d5

#define AT(name) \
	[name] "i" (offsetof(struct registers, name))

ASM_FUNCTION(changed,
	     "\tcmc\n"
	     "\tnot %rax\n\tnot %rbx\n\tnot %rcx\n\tnot %rdx\n\tnot %rsi\n\tnot %rbp\n"
	     "\tnot %r9\n\tnot %r10\n\tnot %r11\n"
	     "\tnot %r12\n\tnot %r13\n\tnot %r14\n\tnot %r15\n"
	     "\txchg %rdi, %r8\n"
	     "\tret\n");

__attribute__((used)) static void load_body(void)
{
	__asm__ volatile(".pushsection .text\n"
			 ".globl load\n.type load, @function\n"
			 "load:\n"
			 "\tpush %%rbx\n\tpush %%rbp\n\tpush %%r12\n"
			 "\tpush %%r13\n\tpush %%r14\n\tpush %%r15\n"
			 "\tpush %%rsi\n"
			 "\tmov %%rsp, %c[sp](%%rsi)\n"
			 "\tpush %c[flags](%%rdi)\n\tpopf\n"
			 "\tmov %c[ax](%%rdi), %%rax\n\tmov %c[bx](%%rdi), %%rbx\n"
			 "\tmov %c[cx](%%rdi), %%rcx\n\tmov %c[dx](%%rdi), %%rdx\n"
			 "\tmov %c[si](%%rdi), %%rsi\n\tmov %c[bp](%%rdi), %%rbp\n"
			 "\tmov %c[r8](%%rdi), %%r8\n\tmov %c[r9](%%rdi), %%r9\n"
			 "\tmov %c[r10](%%rdi), %%r10\n\tmov %c[r11](%%rdi), %%r11\n"
			 "\tmov %c[r12](%%rdi), %%r12\n\tmov %c[r13](%%rdi), %%r13\n"
			 "\tmov %c[r14](%%rdi), %%r14\n\tmov %c[r15](%%rdi), %%r15\n"
			 "\tmov %c[di](%%rdi), %%rdi\n"
			 "\tcall changed\n"
			 ".globl behind\n"
			 "behind:\n"
			 "\tpushf\n\tpush %%rdi\n"
			 "\tmov 16(%%rsp), %%rdi\n"
			 "\tmov %%rax, %c[ax](%%rdi)\n\tmov %%rbx, %c[bx](%%rdi)\n"
			 "\tmov %%rcx, %c[cx](%%rdi)\n\tmov %%rdx, %c[dx](%%rdi)\n"
			 "\tmov %%rsi, %c[si](%%rdi)\n\tmov %%rbp, %c[bp](%%rdi)\n"
			 "\tmov %%r8, %c[r8](%%rdi)\n\tmov %%r9, %c[r9](%%rdi)\n"
			 "\tmov %%r10, %c[r10](%%rdi)\n\tmov %%r11, %c[r11](%%rdi)\n"
			 "\tmov %%r12, %c[r12](%%rdi)\n\tmov %%r13, %c[r13](%%rdi)\n"
			 "\tmov %%r14, %c[r14](%%rdi)\n\tmov %%r15, %c[r15](%%rdi)\n"
			 "\tpop %c[di](%%rdi)\n\tpop %c[flags](%%rdi)\n"
			 "\tpop %%rsi\n"
			 "\tpop %%r15\n\tpop %%r14\n\tpop %%r13\n"
			 "\tpop %%r12\n\tpop %%rbp\n\tpop %%rbx\n"
			 "\tret\n"
			 ".size load, . - load\n"
			 ".popsection\n"
			 : : AT(ax), AT(bx), AT(cx), AT(dx), AT(si), AT(di), AT(bp), AT(r8),
			     AT(r9), AT(r10), AT(r11), AT(r12), AT(r13), AT(r14), AT(r15),
			     AT(flags), AT(sp));
}

static void say(const char *event, const void *ip, unsigned long sp, const struct registers *r)
{
	unsigned long flags = r->flags;

	printf("%s: ip=%p sp=%#lx", event, ip, sp);
	printf(" cf=%lu pf=%lu af=%lu zsf=%lu of=%lu", flags & 1, flags >> 2 & 1, flags >> 4 & 1,
	       flags >> 6 & 3, flags >> 11 & 1);
	printf(" ax=%#lx bx=%#lx cx=%#lx dx=%#lx si=%#lx", r->ax, r->bx, r->cx, r->dx, r->si);
	printf(" di=%#lx bp=%#lx r8=%#lx r9=%#lx r10=%#lx", r->di, r->bp, r->r8, r->r9, r->r10);
	printf(" r11=%#lx r12=%#lx r13=%#lx r14=%#lx r15=%#lx\n", r->r11, r->r12, r->r13, r->r14,
	       r->r15);
}

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	/* Use two mappings: if one page is brought into memory, so are the pages around it. */
	char *absent = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	char *later = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	const unsigned int all = offsetof(struct registers, flags) / sizeof(unsigned long);
	const unsigned long flags[] = { FLAGS, 0, FLAGS & 0x555 };
	struct registers in, out, wanted;

	for (unsigned long i = 1; i <= 3; i++) {
		unsigned long *word = &in.ax;

		for (unsigned int n = 0; n < all; n++)
			word[n] = i * 0x1020304050607000 + n * 0x11;
		in.flags = 0x202 | flags[i - 1];
		in.di = (unsigned long)absent;
		in.r8 = (unsigned long)later;
		wanted = in;
		for (unsigned int n = 0; n < all; n++)
			(&wanted.ax)[n] = ~word[n];
		wanted.di = in.r8;
		wanted.r8 = in.di;
		wanted.flags ^= 1;
		madvise(absent, 4096, MADV_DONTNEED);
		madvise(later, 4096, MADV_DONTNEED);
		load(&in, &out);
		wanted.sp = out.sp;
		out.flags = (out.flags & FLAGS) | 0x202;
		say("entry", changed, out.sp - 8, &in);
		say("exit", behind, out.sp, &wanted);
		if (memcmp(&out, &wanted, sizeof(out)))
			printf("the program has other registers\n");
	}
	return 0;
}
