// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -rdynamic -Wl,-z,now
/*
 * Calls functions whose first instructions are shorter than a jump. Executes the commands that it
 * reads from standard input, and prints for each one the sum of what the functions have returned,
 * and how many results were wrong:
 *
 *	call N		call each function N times
 *	threads N	4 threads do that
 *	busy		16 threads do that until "idle", more than run at once; prints nothing
 *	idle		how often it did
 *	loops		the first thread calls the functions until there is another command
 *	peek		remember where the jumps at the functions lead to
 *	pads		call these addresses, as a thread does that was preempted there
 *	fork N		call each function N times, and fork a child that does the same, 20 times
 *	loop N		call spin(N), which jumps N times to its second instruction
 *	spins N		call spin(1) and spin(2), N times each
 *	protect		make the text of the functions writable, call them, and undo that
 *	forget		discard the private pages of the text (MADV_DONTNEED)
 *	copy		copy the text to memory that is writable and executable, and call the functions there
 *	move		move the text elsewhere and back, and call the functions at both places
 */
#include "puppet.h"
#include <poll.h>
#include <stdatomic.h>

#define CALLED 6
#define BUSY 16

__asm__(".pushsection .text\n"
	".balign 4096\n"
	LABEL(jumps_page)
	".macro F name\n.balign 16\n.globl \\name\n.type \\name, @function\n\\name:\n.endm\n"
	/* Instructions begin at offsets 1 and 4. */
	"F pushes\n\tpush %rbx\n\tmov %rdi, %rbx\n\tlea 1(%rbx,%rbx,2), %rax\n\tpop %rbx\n\tret\n"
	/* At offset 4. */
	"F ends\n\tendbr64\n\tlea 1(%rdi,%rdi,2), %rax\n\tret\n"
	/* One that is long enough. */
	"F leas\n\tlea 1(%rdi,%rdi,2), %rax\n\tret\n"
	/* At offsets 2 and 3, where flags are of use. */
	"F compares\n\ttest $1, %dil\n"
	"compares_between:\n\tmov %edi, %ecx\n\tcld\n\tjz 1f\n\tnop\n"
	"1:\tlea 1(%rdi,%rdi,2), %rax\n\tret\n"
	/* It counts down by a carry. */
	"F carries\n\tlea (%rdi,%rdi,2), %rax\n\tstc\n"
	"carries_between:\n\tmov %edi, %ecx\n\tmov %ecx, %edx\n\tadc $0, %rax\n\tret\n"
	/* It stores below its stack pointer. */
	"F reds\n\tmov %rdi, -8(%rsp)\n\tcmp $5, %edi\n"
	"reds_between:\n\tmov %edi, %ecx\n\tmov -8(%rsp), %rdx\n\tseta %cl\n"
	"\tlea 1(%rdx,%rdx,2), %rax\n\tret\n"
	/* A loop to its second instruction. */
	"F spin\n\txor %eax, %eax\n1:\tinc %eax\n\tdec %edi\n\tjnz 1b\n\tret\n"
	".globl compares_between, carries_between, reds_between\n"
	".balign 4096\n"
	".popsection\n");

typedef long function_t(long x);
extern char jumps_page[];
function_t pushes, ends, leas, compares, carries, reds;
int spin(int n);

static function_t *const functions[CALLED] = { pushes, ends, leas, compares, carries, reds };
static atomic_long sum, wrong;
static atomic_int stop;

static void call_at(long n, long by)
{
	long i, x, got, total = 0;

	for (i = 0; i < n * CALLED; i++) {
		x = i & 1023;
		got = ((function_t *)((char *)functions[i % CALLED] + by))(x);
		if (got != 3 * x + 1)
			wrong++;
		total += got;
	}
	sum += total;
}

/* The pads of the functions, as they were found by peek(). */
static function_t *pads[CALLED];

static void peek(void)
{
	int i, distance;

	for (i = 0; i < CALLED; i++) {
		const char *text = (const char *)functions[i];

		memcpy(&distance, text + 1, sizeof(distance));
		pads[i] = *text == '\xe9' ? (function_t *)(text + 5 + distance) : functions[i];
	}
}

static void call_pads(void)
{
	long x;
	int i;

	for (i = 0; i < CALLED; i++) {
		for (x = 0; x < 100; x++)
			wrong += pads[i](x) != 3 * x + 1;
	}
}

static void *thread(void *n)
{
	call_at((long)n, 0);
	return NULL;
}

static void *busy(void *unused)
{
	long n = 0;

	while (!stop) {
		call_at(1, 0);
		n++;
	}
	return (void *)n;
}

/* Each round is the same. */
static void loops(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	long n;

	for (n = 0; !poll(&in, 1, 0); n++)
		call_at(200, 0);
	printf("%ld times, %ld wrong\n", n, wrong);
}

static void forks(long n)
{
	int i, status;

	for (i = 0; i < 20; i++) {
		call_at(n, 0);
		if (!fork()) {
			call_at(n, 0);
			_exit(wrong != 0);
		}
		if (wait(&status) < 0 || status)
			wrong++;
	}
}

static void spins(long n)
{
	long i;

	for (i = 0; i < n; i++)
		sum += spin(1) + spin(2);
}

static void move(void)
{
	char *room = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;

	if (mremap(jumps_page, PAGE, PAGE, flags, room + PAGE) == MAP_FAILED)
		wrong++;
	call_at(100, room + PAGE - jumps_page);
	if (mremap(room + PAGE, PAGE, PAGE, flags, jumps_page) == MAP_FAILED)
		wrong++;
	call_at(100, 0);
}

/* Execute copies in memory that is mapped so, and in memory that is made so. */
static void copy(void)
{
	const int code = PROT_READ | PROT_WRITE | PROT_EXEC;
	char *room;
	int i;

	for (i = 0; i < 2; i++) {
		room = mmap(NULL, PAGE, i ? PROT_NONE : code, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (room == MAP_FAILED || (i && mprotect(room, PAGE, code))) {
			wrong++;
			return;
		}
		memcpy(room, jumps_page, PAGE);
		call_at(100, room - jumps_page);
		munmap(room, PAGE);
	}
}

/* Carry out a command. Return false if there is nothing to print then. */
static bool obey(const struct command *c)
{
	static pthread_t *ids;

	if (is(c, "call")) {
		call_at(c->n, 0);
	} else if (is(c, "threads")) {
		join_threads(start_threads(4, thread, (void *)c->n), 4);
	} else if (is(c, "busy")) {
		stop = 0;
		ids = start_threads(BUSY, busy, NULL);
		return false;
	} else if (is(c, "idle")) {
		stop = 1;
		printf("%ld times, ", join_threads(ids, BUSY));
		printf("%ld wrong\n", wrong);
		return false;
	} else if (is(c, "loops")) {
		loops();
		return false;
	} else if (is(c, "stop")) {
		return false;
	} else if (is(c, "peek")) {
		peek();
	} else if (is(c, "pads")) {
		call_pads();
	} else if (is(c, "fork")) {
		forks(c->n);
	} else if (is(c, "loop")) {
		sum += spin(c->n);
	} else if (is(c, "spins")) {
		spins(c->n);
	} else if (is(c, "protect")) {
		mprotect(jumps_page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
		call_at(100, 0);
		mprotect(jumps_page, PAGE, PROT_READ | PROT_EXEC);
	} else if (is(c, "forget")) {
		madvise(jumps_page, PAGE, MADV_DONTNEED);
	} else if (is(c, "copy")) {
		copy();
	} else if (is(c, "move")) {
		move();
	}
	return true;
}

int main(void)
{
	struct command c;

	printf("%d %p\n", getpid(), jumps_page);
	while (next_command(&c)) {
		if (obey(&c))
			printf("sum %ld, %ld wrong\n", sum, wrong);
	}
	return wrong != 0;
}
