// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -rdynamic
/*
 * Executes the commands that it reads from standard input, one a line, and prints the results:
 *
 *	call N		call work() N times: the sum of the results
 *	busy		call work() over and over, some calls every millisecond, until the next line
 *	idle		how many calls "busy" made, and how many returned something wrong
 *	nest N		call nest(N), which calls itself: its result
 *	fork N		a child calls work() N times: its sum, and the counter (see below), also
 *			where it is mapped once more
 *	forkmap N	the same, with a child that maps the counter itself
 *	forklib N	a child calls library_work() of the loaded library
 *	vfork N		a child of vfork() calls work() N times: the sum
 *	grandchild N	a child's child does what the child of "fork N" does
 *	threads N	4 threads call work() N times each: the sum
 *	exec		execute this program again
 *	start HOW	start a child by HOW (fork, vfork, spawn, clone).  Except with "spawn", the
 *			child calls work() once.  Then it executes this program, which prints the
 *			counter and the sum of two calls of work().  At last, the counter of this
 *			process, and the child's status
 *	inside N	call inside(N), which returns after another line: its result
 *	into DIR	start a child in the cgroup DIR, which calls work() 3 times on SIGUSR1: its
 *			process ID, and later its sum
 *	leave		the first thread exits, and another one continues
 *	share N		a process that shares the memory calls work() N times and nest(N), forks a
 *			child that does the same, and executes another program: their sums
 *	orphan N	such a process waits until this one has ended, and only then calls them
 *	around		call around(), which calls work(3) and adds 1000: its result
 *	jump N		call jumps() N times, which jumps to work(): the sum of the results
 *	counter		the 16-bit reference counter of this program's probes
 *	clear		set the counter to 0
 *	map		map the counter once more: its value there
 *	mapped		the counter's value in that mapping now
 *	move		move that mapping: the counter's value there
 *	protect		make that mapping read-only
 *	load PATH	dlopen() a library: the value of its counter
 *	library N	call its library_work(N): the result
 *	unload		dlclose() the library
 *	exit N		exit with status N
 *
 * The first line of output is the process ID, and the addresses of work(), of nest() and of the
 * second instruction of work().
 */
#include "puppet.h"
#include <dlfcn.h>
#include <link.h>
#include <linux/sched.h>
#include <poll.h>
#include <spawn.h>

long work(long x);
long nest(long n);
long around(void);
long jumps(long x);
extern char work_second[];

/*
 * In assembly, so that the tests know the instructions: an add of 4 bytes, which a handler may
 * skip, and three more.
 */
ASM_FUNCTION(work,
	     "\tadd $100, %rdi\n"
	     LABEL(work_second)
	     "\tlea 1(%rdi,%rdi,2), %rax\n"
	     "\tnop\n"
	     "\tret\n");

/* After the call, there is an add of 6 bytes, which a return handler may skip. */
ASM_FUNCTION(around,
	     "\tsub $8, %rsp\n"
	     "\tmov $3, %edi\n"
	     "\tcall work\n"
	     "\tadd $1000, %rax\n"
	     "\tadd $8, %rsp\n"
	     "\tret\n");

/* jumps() and work() have the same return address; the return of work() is the return of both. */
ASM_FUNCTION(jumps, "\tadd $1, %rdi\n\tjmp work\n");

__attribute__((noinline)) long nest(long n)
{
	long below = n ? nest(n - 1) : 0;

	__asm__ volatile("" ::: "memory");
	return below + n;
}

__attribute__((noinline)) long inside(long n)
{
	printf("inside\n");
	if (!wait_line())
		n = -1;
	__asm__ volatile("" ::: "memory");
	return n;
}

/* Like the semaphore of a USDT probe. */
volatile unsigned short steps_counter __attribute__((section(".probes"), aligned(2))) = 0;

static long works(long n)
{
	long sum = 0;

	while (n-- > 0)
		sum += work(n);
	return sum;
}

static long busy_calls, busy_wrong;

/* Call work() over and over, but leave time to others.  Print "busy" when calls have returned. */
static void busy(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	long i;

	busy_calls = 0;
	busy_wrong = 0;
	do {
		for (i = 0; i < 10; i++, busy_calls++)
			busy_wrong += work(busy_calls) != 3 * (busy_calls + 100) + 1;
		if (busy_calls == 10) {
			puts("busy");
			fflush(stdout);
		}
	} while (!poll(&in, 1, 1));
}

static long jumps_work(long n)
{
	long sum = 0;

	while (n-- > 0)
		sum += jumps(n);
	return sum;
}

static void *works_thread(void *arg)
{
	return (void *)works((long)arg);
}

static void in_threads(long n)
{
	printf("threads %ld\n", join_threads(start_threads(4, works_thread, (void *)n), 4));
}

/* Input and results of a process that shares the memory of this one. */
static struct {
	long n;
	pid_t parent;
	long sum;
	int child;
	char stack[256 * 1024] __attribute__((aligned(16)));
} shared;

static int sharer(void *arg)
{
	pid_t pid;

	shared.sum = works(shared.n) + nest(shared.n);
	pid = fork();
	if (!pid)
		_exit(works(shared.n) + nest(shared.n) == shared.sum ? 11 : 12);
	waitpid(pid, &shared.child, 0);
	execl("/bin/true", "true", NULL);
	return 1;
}

static int stays(void *arg)
{
	while (getppid() == shared.parent)
		usleep(1000);
	dprintf(1, "orphan %ld\n", works(shared.n) + nest(shared.n));
	_exit(0);
}

static pid_t start_sharer(int (*fn)(void *), long n)
{
	shared.n = n;
	shared.parent = getpid();
	return clone(fn, shared.stack + sizeof(shared.stack), CLONE_VM | SIGCHLD, NULL);
}

static void with_sharer(long n)
{
	int status = -1;

	waitpid(start_sharer(sharer, n), &status, 0);
	printf("share %ld child %d status %d\n", shared.sum, WEXITSTATUS(shared.child), status);
}

static char *const anew[] = { "steps", "started", NULL };

static int start_anew(void *arg)
{
	extern char **environ;

	if (work(1) == 304)
		execve("/proc/self/exe", anew, environ);
	_exit(1);
}

/*
 * Start a child.  Except with fork(), it shares this process's memory until it executes the
 * program.
 */
static void start_child(const char *how)
{
	extern char **environ;
	int status = -1;
	pid_t pid = -1;

	if (!strcmp(how, "fork"))
		pid = fork();
	else if (!strcmp(how, "vfork"))
		pid = vfork();
	else if (!strcmp(how, "spawn"))
		posix_spawn(&pid, "/proc/self/exe", NULL, NULL, anew, environ);
	else if (!strcmp(how, "clone"))
		pid = clone(start_anew, shared.stack + sizeof(shared.stack),
			    CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	if (!pid)
		start_anew(NULL);
	waitpid(pid, &status, 0);
	printf("starter %d status %d\n", steps_counter, status);
}

/* Start a child in a cgroup.  The signal stays pending until the child asks for it. */
static void start_in(const char *cgroup)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	int fd = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC), sig;
	sigset_t set;
	long pid;

	args.cgroup = fd;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid = fd < 0 ? -1 : syscall(SYS_clone3, &args, sizeof(args));
	if (!pid) {
		sigwait(&set, &sig);
		dprintf(1, "into %ld\n", works(3));
		_exit(0);
	}
	if (fd >= 0)
		close(fd);
	printf("child %ld\n", pid);
}

static volatile unsigned short *mapped;
static void *library;
static long (*library_work)(long);

/* Map the counter once more.  @info is about this program: where its file's parts are in memory. */
static int map_counter(struct dl_phdr_info *info, size_t size, void *fd)
{
	unsigned long at = (unsigned long)&steps_counter - info->dlpi_addr;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		unsigned long in = at - info->dlpi_phdr[i].p_vaddr;
		unsigned long offset = in + info->dlpi_phdr[i].p_offset;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || in >= info->dlpi_phdr[i].p_filesz)
			continue;
		mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, *(int *)fd,
			      offset & ~4095ul) + (offset & 4095);
	}
	return 1;
}

static int map(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	dl_iterate_phdr(map_counter, &fd);
	close(fd);
	return *mapped;
}

/* Move the mapping to another place. */
static int move(void)
{
	unsigned long in = (unsigned long)mapped & 4095;
	void *to = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mapped = mremap((void *)mapped - in, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to) + in;
	return *mapped;
}

static void in_child(long n, int maps)
{
	pid_t pid = fork();

	if (!pid) {
		printf("child %ld ", works(n));
		if (mapped)
			printf("mapped %d ", *mapped);
		if (maps)
			printf("map %d ", map());
		printf("counter %d\n", steps_counter);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void in_grandchild(long n)
{
	pid_t pid = fork();

	if (!pid) {
		in_child(n, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* The child shares the memory of this process, which waits for the child. */
static void in_vfork(long n)
{
	static volatile long sum;
	pid_t pid;

	sum = 0;
	pid = vfork();
	if (!pid) {
		sum = works(n);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	printf("vfork %ld\n", sum);
}

static void library_in_child(long n)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		printf("library returned %ld\n", library_work(n));
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("library died of signal %d\n", WTERMSIG(status));
}

static void load(const char *path)
{
	volatile unsigned short *counter;

	library = dlopen(path, RTLD_NOW);
	counter = library ? dlsym(library, "library_counter") : NULL;
	library_work = library ? dlsym(library, "library_work") : NULL;
	if (counter)
		printf("library %d\n", *counter);
	else
		printf("library: %s\n", dlerror());
}

static void *steps(void *name);

static pthread_t first;

/* Wait until the first thread has exited, as it executes instructions until then. */
static void *steps_alone(void *name)
{
	pthread_join(first, NULL);
	return steps(name);
}

static void *steps(void *name)
{
	struct command c;

	while (next_command(&c)) {
		if (is(&c, "call")) {
			printf("call %ld\n", works(c.n));
		} else if (is(&c, "busy")) {
			busy();
		} else if (is(&c, "idle")) {
			printf("idle %ld %ld\n", busy_calls, busy_wrong);
		} else if (is(&c, "nest")) {
			printf("nest %ld\n", nest(c.n));
		} else if (is(&c, "fork")) {
			in_child(c.n, 0);
		} else if (is(&c, "forklib")) {
			library_in_child(c.n);
		} else if (is(&c, "forkmap")) {
			in_child(c.n, 1);
		} else if (is(&c, "vfork")) {
			in_vfork(c.n);
		} else if (is(&c, "grandchild")) {
			in_grandchild(c.n);
		} else if (is(&c, "threads")) {
			in_threads(c.n);
		} else if (is(&c, "exec")) {
			execl(name, name, NULL);
		} else if (is(&c, "start")) {
			start_child(c.rest);
		} else if (is(&c, "inside")) {
			printf("inside %ld\n", inside(c.n));
		} else if (is(&c, "counter")) {
			printf("counter %d\n", steps_counter);
		} else if (is(&c, "clear")) {
			steps_counter = 0;
			printf("clear %d\n", steps_counter);
		} else if (is(&c, "around")) {
			printf("around %ld\n", around());
		} else if (is(&c, "jump")) {
			printf("jump %ld\n", jumps_work(c.n));
		} else if (is(&c, "share")) {
			with_sharer(c.n);
		} else if (is(&c, "into")) {
			start_in(c.rest);
		} else if (is(&c, "orphan")) {
			printf("orphan %s\n", start_sharer(stays, c.n) > 0 ? "waits" : "fails");
		} else if (is(&c, "map")) {
			printf("map %d\n", map());
		} else if (is(&c, "move")) {
			printf("move %d\n", move());
		} else if (is(&c, "protect")) {
			printf("protect %d\n", mprotect((void *)((unsigned long)mapped & ~4095ul),
							4096, PROT_READ));
		} else if (is(&c, "mapped")) {
			printf("mapped %d\n", *mapped);
		} else if (is(&c, "load")) {
			load(c.rest);
		} else if (is(&c, "library")) {
			printf("library returned %ld\n", library_work(c.n));
		} else if (is(&c, "unload")) {
			printf("unload %d\n", dlclose(library));
		} else if (is(&c, "leave")) {
			pthread_t t;

			printf("left\n");
			fflush(stdout);
			first = pthread_self();
			pthread_create(&t, NULL, steps_alone, name);
			pthread_exit(NULL);
		} else if (is(&c, "exit")) {
			exit(c.n);
		}
	}
	exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		printf("%s counter %d works %ld ", argv[1], steps_counter, works(2));
		return 0;
	}
	printf("%d %p %p %p\n", getpid(), work, nest, work_second);
	steps("/proc/self/exe");
	return 0;
}
