// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -rdynamic
/*
 * Executes restartable sequences (man 2 rseq).  Threads increment a counter of the CPU on which
 * they run, without atomic instructions.  They do so in critical sections, which the kernel must
 * abort when it takes the CPU away:
 *
 *	critical THREADS TIMES [storm]
 *
 * With "storm", another thread makes the kernel abort all of them, all the time (man 2 membarrier).
 * Prints the sum of the counters: THREADS * TIMES, whether the program is probed or not.
 */
#include "puppet.h"
#include <linux/membarrier.h>
#include <linux/rseq.h>
#include <sys/rseq.h>

#define MAX_CPUS 64

/* Each counter has a cache line of its own. */
struct counter {
	long n;
	long rest[7];
};

struct counter counters[MAX_CPUS];

/*
 * Increment a counter. rdi: the thread's struct rseq; rsi: counters.  Return 1 if the counter was
 * incremented, 0 if the kernel aborted the sequence.
 */
long critical_add(struct rseq *self, struct counter *all);
__asm__(".pushsection __rseq_cs, \"aw\"\n"
	".balign 32\n"
	"critical_cs:\n"
	"\t.long 0, 0\n"
	"\t.quad critical_start, critical_end - critical_start, critical_abort\n"
	".popsection\n"
	".pushsection .text\n"
	ASM_PART(critical_add,
		 "\tlea critical_cs(%rip), %rax\n"
		 "\tmov %rax, 8(%rdi)\n"
		 "critical_start:\n"
		 "\tmov 4(%rdi), %ecx\n"
		 "\tshl $6, %rcx\n"
		 "\tmov (%rsi,%rcx), %rax\n"
		 "\tnop\n"
		 "\tlea 1(%rax), %rax\n"
		 "\tmov %rax, (%rsi,%rcx)\n"
		 "critical_end:\n"
		 "\tmov $1, %eax\n"
		 "\tret\n"
		 /* RSEQ_SIG, in front of the abort handler. */
		 "\t.byte 0x0f, 0xb9, 0x3d\n"
		 "\t.long 0x53053053\n"
		 "critical_abort:\n"
		 "\txor %eax, %eax\n"
		 "\tret\n")
	".popsection\n");

static long times;
static volatile int done;

static void *add(void *arg)
{
	struct rseq *self = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	long i;

	for (i = 0; i < times; i++) {
		while (!critical_add(self, counters))
			;
		if (i % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static void *storm(void *arg)
{
	while (!done)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 4, sum = 0, i;
	pthread_t *storming = NULL, *threads;

	times = argc > 2 ? atol(argv[2]) : 1000;
	if (!__rseq_size) {
		puts("no rseq");
		return 4;
	}
	if (argc > 3) {
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
		storming = start_threads(1, storm, NULL);
	}
	threads = start_threads(nr, add, NULL);
	join_threads(threads, nr);
	done = 1;
	if (storming)
		join_threads(storming, 1);
	for (i = 0; i < MAX_CPUS; i++)
		sum += counters[i].n;
	printf("sum %ld\n", sum);
	return 0;
}
