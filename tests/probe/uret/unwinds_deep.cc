// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -fno-optimize-sibling-calls -rdynamic
/*
 *	unwinds_deep DEPTH TIMES
 *
 * Walks the stack while many calls of probed_deep() are in flight.  Exceptions walk it in the first
 * thread, in another thread, and where the stack continues elsewhere in the middle of the calls.
 * backtrace() walks it on an alternate signal stack.  Each time, other threads have calls in
 * flight, too.  Prints how many exceptions were caught, the number of frames, and what the other
 * threads' calls return.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include "puppet.h"

enum what { THROW, SEGMENT, SIGNAL, WAIT };

static long depth, times, frames;
static pthread_barrier_t waiting, done;

/*
 * Call FN(N, HOW) with the stack pointer TOP. A frame pointer leads back, as in Rust's stacker.
 */
extern "C" long on_stack(long n, long how, void *top, long (*fn)(long, long));
__asm__(".text\n"
	".globl on_stack\n"
	".type on_stack, @function\n"
	"on_stack:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	mov %rdx, %rsp\n"
	"	call *%rcx\n"
	"	leave\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size on_stack, . - on_stack\n");

static void *segment()
{
	static char *stack;
	size_t size = 16 << 20;

	if (!stack)
		stack = (char *)mmap(NULL, size, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return stack + size;
}

static void on_signal(int)
{
	static void *list[100000];

	frames = backtrace(list, 100000);
}

PROBED long probed_deep(long n, long how)
{
	if (!n && how == WAIT) {
		pthread_barrier_wait(&waiting);
		pthread_barrier_wait(&done);
		return 0;
	}
	if (!n && how == SIGNAL)
		raise(SIGUSR1);
	if (!n && how != SIGNAL)
		throw n;
	if (!n)
		return 0;
	if (how == SEGMENT && n == depth / 2)
		return on_stack(n - 1, how, segment(), probed_deep) + 1;
	return probed_deep(n - 1, how) + 1;
}

static long catches(long how)
{
	long caught = 0;

	for (long i = 0; i < times; i++) {
		try {
			probed_deep(depth, how);
		} catch (long) {
			caught++;
		}
	}
	return caught;
}

static void *thread(void *how)
{
	return (void *)catches((long)how);
}

static void *waiter(void *)
{
	return (void *)probed_deep(depth, WAIT);
}

static long in_thread(long how)
{
	pthread_t id;
	void *caught;

	pthread_create(&id, NULL, thread, (void *)how);
	pthread_join(id, &caught);
	return (long)caught;
}

int main(int argc, char **argv)
{
	stack_t alternate = {};
	struct sigaction action = {};
	pthread_t waiters[3];

	depth = argc == 3 ? atol(argv[1]) : 0;
	times = argc == 3 ? atol(argv[2]) : 0;
	if (depth < 2 || times < 1)
		return fprintf(stderr, "usage: unwinds_deep DEPTH TIMES\n"), 2;
	pthread_barrier_init(&waiting, NULL, 4);
	pthread_barrier_init(&done, NULL, 4);
	for (pthread_t &id : waiters)
		pthread_create(&id, NULL, waiter, NULL);
	pthread_barrier_wait(&waiting);

	printf("caught %ld, in a thread %ld\n", catches(THROW), in_thread(THROW));
	printf("from a stack that goes on elsewhere %ld, in a thread %ld\n", catches(SEGMENT),
	       in_thread(SEGMENT));
	alternate.ss_size = 1 << 20;
	alternate.ss_sp = malloc(alternate.ss_size);
	sigaltstack(&alternate, NULL);
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	probed_deep(depth, SIGNAL);
	printf("frames from a signal's stack: %ld\n", frames);

	pthread_barrier_wait(&done);
	for (pthread_t &id : waiters) {
		void *returned;

		pthread_join(id, &returned);
		printf("a waiting thread returned %ld\n", (long)returned);
	}
	return 0;
}
