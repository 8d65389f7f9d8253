// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -no-pie -fno-pic
/*
 *	mode_switch TIMES [BASE]
 *
 * A 64-bit program that calls a function of 32-bit code TIMES times, and prints the sum of the
 * results.  The function executes in the 32-bit code segment, or in a segment of the program's own
 * that begins at BASE. Its instructions have another meaning in 64-bit code: one-byte increments
 * are prefixes there, and an absolute address is a relative one.
 */
#include "puppet.h"
#include <asm/ldt.h>

#define SELECTOR_32	0x23
/* The first entry of the program's own table. */
#define SELECTOR_LDT	0x7

unsigned int table = 1000;
static char low_stack[65536] __attribute__((aligned(16)));

/* Both addresses fit in 32 bits, as the program is not position-independent. */
struct {
	unsigned int offset;
	unsigned short selector;
} __attribute__((packed)) far_code;

__asm__(".pushsection .text\n"
	".globl narrow, enter_narrow\n"
	".type narrow, @function\n"
	".code32\n"
	"narrow:\n"
	"\tpush %ebx\n"
	"\tmov %eax, %ebx\n"
	"\tinc %ebx\n"
	"\tdec %eax\n"
	"\tmov table, %ecx\n"
	"\tadd %ecx, %eax\n"
	"\tadd %ebx, %eax\n"
	"\tpop %ebx\n"
	"\tlret\n"
	".size narrow, . - narrow\n"
	".code64\n"
	".type enter_narrow, @function\n"
	"enter_narrow:\n"
	"\tpush %rbx\n"
	"\tpush %rbp\n"
	"\tmov %rsp, %rbp\n"
	"\tmov %ds, %ebx\n"
	"\tmov %rsi, %rsp\n"
	"\tmov $0x2b, %ecx\n"
	"\tmov %ecx, %ds\n"
	"\tmov %edi, %eax\n"
	"\tlcall *far_code(%rip)\n"
	"\tmov %ebx, %ds\n"
	"\tmov %rbp, %rsp\n"
	"\tpop %rbp\n"
	"\tpop %rbx\n"
	"\tret\n"
	".size enter_narrow, . - enter_narrow\n"
	".popsection\n");

long narrow(void);
long enter_narrow(long x, char *stack);

static int make_segment(unsigned int base)
{
	struct user_desc segment = {
		.base_addr = base,
		.limit = 0xfffff,
		.seg_32bit = 1,
		.contents = MODIFY_LDT_CONTENTS_CODE,
		.limit_in_pages = 1,
	};

	return syscall(SYS_modify_ldt, 1, &segment, sizeof(segment));
}

int main(int argc, char **argv)
{
	long i, times = argc > 1 ? atol(argv[1]) : 1, sum = 0;
	unsigned int base = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	far_code.offset = (unsigned int)(unsigned long)narrow - base;
	far_code.selector = SELECTOR_32;
	if (base) {
		if (make_segment(base))
			err(1, "modify_ldt");
		far_code.selector = SELECTOR_LDT;
	}
	for (i = 0; i < times; i++)
		sum += (unsigned int)enter_narrow(i, low_stack + sizeof(low_stack));
	printf("sum %ld\n", sum);
	return 0;
}
