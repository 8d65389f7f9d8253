// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -no-pie -fno-pic -pthread -fno-optimize-sibling-calls
/*
 * The program that the torture test probes:
 *
 *	torture layout			print what can be probed: lines of "FUNCTION OFFSET ADDRESS
 *					K SEMAPHORE"; FUNCTION is -1 for an instruction within a
 *					function
 *	torture work SHARED SEED MODE	do everything that is hard for a tracer, for a while
 *	torture leaf SHARED SEED MODE	the same, as little as possible
 *
 * Functions are called with (x, ~x, ...) and return 3 * x + K. The program counts each call in the
 * file SHARED, before and after the call.  If anything is wrong, it prints that and ends.
 */
#include "puppet.h"
#include "torture.h"
#include <link.h>
#include <stdarg.h>

#define STACK		(64UL << 10)
#define THREADS		3
#define PLAIN		__attribute__((noinline, noclone))
#define HERE		__asm__ volatile("" ::: "memory")

typedef long function_t(long x, long nx, long more);

/*
 * Functions in one page, which can be executed at any address.  The table lists each instruction.
 */
__asm__(".macro I\n"
	"771:\t.pushsection torture_insns, \"a\"\n"
	"\t.quad 771b\n"
	"\t.popsection\n"
	".endm\n"
	".macro F name\n"
	"772:\n.balign 16\n.globl \\name\n.type \\name, @function\n\\name:\n"
	".size \\name, 772f - \\name\n"
	".endm\n"
	".pushsection .text\n"
	".balign 4096\n"
	".globl torture_page\ntorture_page:\n"
	"F f_push\n"
	"I; push %rbx\n"
	"I; mov %rdi, %rbx\n"
	"I; lea (%rbx,%rbx,2), %rax\n"
	"I; pop %rbx\n"
	"I; ret\n"
	"F f_sub\n"
	"I; sub $24, %rsp\n"
	"I; mov %rdi, 8(%rsp)\n"
	"I; lea 1(%rdi,%rdi,2), %rax\n"
	"I; add $24, %rsp\n"
	"I; ret\n"
	"F f_riprel\n"
	"I; mov torture_two(%rip), %rax\n"
	"I; add %rdi, %rax\n"
	"I; lea (%rax,%rdi,2), %rax\n"
	"I; cmp %rax, torture_two(%rip)\n"
	"I; ret\n"
	"torture_two: .quad 2\n"
	"F f_endbr\n"
	"I; endbr64\n"
	"I; xor %eax, %eax\n"
	"I; add $3, %rax\n"
	"I; lea (%rdi,%rdi,2), %rcx\n"
	"I; add %rcx, %rax\n"
	"I; ret\n"
	"F f_nopjmp\n"
	"I; nopw 0(%rax,%rax,1)\n"
	"I; jmp 1f\n"
	"\tud2\n"
	"1:I; lea 4(%rdi,%rdi,2), %rax\n"
	"I; repz ret\n"
	"F f_jcc\n"
	"I; test $1, %dil\n"
	"I; jz 1f\n"
	"I; lea 5(%rdi,%rdi,2), %rax\n"
	"I; ret\n"
	"1:I; lea (%rdi,%rdi,2), %rax\n"
	"I; lahf\n"
	"I; movzx %ah, %ecx\n"
	"I; lea 5(%rdi,%rdi,2), %rax\n"
	"I; ret\n"
	"F f_calls\n"
	"I; call 1f\n"
	"I; add $6, %rax\n"
	"I; ret\n"
	"1:I; lea (%rdi,%rdi,2), %rax\n"
	"I; ret\n"
	"F f_deep\n"
	"I; test %rdx, %rdx\n"
	"I; jz 1f\n"
	"I; push %rdi\n"
	"I; dec %rdx\n"
	"I; call f_deep\n"
	"I; pop %rdi\n"
	"I; ret\n"
	"1:I; lea 7(%rdi,%rdi,2), %rax\n"
	"I; ret\n"
	"F f_pops\n"
	"I; mov 8(%rsp), %rax\n"
	"I; add 16(%rsp), %rax\n"
	"I; ret $16\n"
	"F f_tail\n"
	"I; mov %rdi, %rcx\n"
	"I; jmp f_end\n"
	"F f_end\n"
	"I; mov $10, %eax\n"
	"I; lea (%rax,%rdi,2), %rax\n"
	"I; add %rdi, %rax\n"
	"I; ret\n"
	"F f_syscall\n"
	"I; push %rdi\n"
	"I; mov $110, %eax\n"
	"I; syscall\n"
	"I; pop %rdi\n"
	"I; lea 11(%rdi,%rdi,2), %rax\n"
	"I; ret\n"
	"772:\n.balign 4096\n"
	".popsection\n");

extern "C" {
extern char torture_page[];
extern const unsigned long __start_torture_insns[], __stop_torture_insns[];
function_t f_push, f_sub, f_riprel, f_endbr, f_nopjmp, f_jcc, f_calls, f_deep, f_pops, f_tail,
	   f_end, f_syscall;
/* Reference counters, as programs with static probes have them. */
volatile unsigned short torture_semaphores[SEMAPHORES] __attribute__((section(".data"))) = {};
}

static struct shared *shared;
static enum mode mode;
static char **arguments;

static struct thread {
	pthread_t id;
	uint64_t random;
	int rounds;
} threads[THREADS + 1];

static thread_local struct thread *self;
static thread_local sigjmp_buf landing;
static thread_local volatile pid_t child;
static thread_local ucontext_t here, there;

static unsigned int draw(unsigned int limit)
{
	self->random = self->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (self->random >> 33) % limit;
}

static void add(uint64_t *counters, int function, uint64_t n)
{
	__atomic_fetch_add(&counters[function], n, __ATOMIC_RELAXED);
}

static void __attribute__((format(printf, 1, 2))) bad(const char *format, ...)
{
	char line[200];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	__atomic_fetch_add(&shared->wrong, 1, __ATOMIC_RELAXED);
	dprintf(2, "# torture[%d]: %s\n", getpid(), line);
	_exit(1);
}

PLAIN static long throws(long x, long nx, long depth)
{
	long result;

	if (!depth)
		throw x;
	result = throws(x, nx, depth - 1);
	HERE;
	return result;
}

PLAIN static long jumps(long x, long nx, long depth)
{
	long result;

	if (!depth)
		siglongjmp(landing, 1);
	result = jumps(x, nx, depth - 1);
	HERE;
	return result;
}

PLAIN static long raises(long x, long nx, long more)
{
	raise(SIGUSR1);
	HERE;
	return 3 * x + RAISES;
}

PLAIN static long sigjumps(long x, long nx, long more)
{
	raise(SIGUSR2);
	HERE;
	return 0;
}

PLAIN static long forks(long x, long nx, long more)
{
	child = fork();
	if (!child)
		add(shared->extra, FORKS, 1);
	HERE;
	return 3 * x + FORKS;
}

PLAIN static long yields(long x, long nx, long more)
{
	swapcontext(&there, &here);
	HERE;
	return 3 * x + YIELDS;
}

static const struct {
	function_t *function;
	long k;
} functions[FUNCTIONS] = {
	{ f_push, PUSH }, { f_sub, SUB }, { f_riprel, RIPREL }, { f_endbr, ENDBR },
	{ f_nopjmp, NOPJMP }, { f_jcc, JCC }, { f_calls, CALLS }, { f_deep, DEEP },
	{ f_pops, POPS }, { f_tail, END }, { f_end, END }, { f_syscall, SYSCALL },
	{ throws, THROWS }, { jumps, JUMPS }, { raises, RAISES }, { forks, FORKS },
	{ yields, YIELDS }, { sigjumps, SIGJUMPS },
};

static long call_pops(function_t *function, long x)
{
	unsigned long before, after;
	long sum, first = x, second = ~x;

	__asm__ volatile("mov %%rsp, %[before]\n\t"
			 "sub $128, %%rsp\n\t"
			 "push %[b]\n\tpush %[a]\n\tcall *%[function]\n\t"
			 "add $128, %%rsp\n\t"
			 "mov %%rsp, %[after]"
			 : [before] "=&r" (before), [after] "=&r" (after), "=&a" (sum),
			   "+D" (first), "+S" (second)
			 : [a] "r" (2 * x), [b] "r" (x + POPS), [function] "r" (function)
			 : "memory", "cc", "rcx", "rdx", "r8", "r9", "r10", "r11");
	if (before != after)
		bad("the stack pointer is %#lx, was %#lx", after, before);
	return sum;
}

/* Call a function, or a copy of it at another address. */
static void call_at(int f, function_t *function, long x, long depth)
{
	long result;

	add(shared->begun, f, f == DEEP ? depth + 1 : 1);
	if (f == TAIL)
		add(shared->begun, END, 1);
	result = f == POPS ? call_pops(function, x) : function(x, ~x, depth);
	add(shared->done, f, f == DEEP ? depth + 1 : 1);
	if (f == TAIL)
		add(shared->done, END, 1);
	if (result != 3 * x + functions[f].k)
		bad("function %d of %ld is %ld", f, x, result);
}

static void call(int f, long x, long depth)
{
	call_at(f, functions[f].function, x, depth);
}

static void call_some(int n)
{
	while (n--)
		call(draw(SYSCALL + 1), draw(1u << 30), draw(4));
}

static void on_signal(int sig)
{
	int before = errno;

	call(PUSH, sig, 0);
	call(DEEP, sig, 2);
	call(RIPREL, sig, 0);
	errno = before;
}

static void on_jump(int sig)
{
	call(SUB, sig, 0);
	siglongjmp(landing, 1);
}

static void do_throw(void)
{
	long depth = draw(6), x = draw(1000), caught = -1;

	add(shared->begun, THROWS, depth + 1);
	try {
		throws(x, ~x, depth);
	} catch (long y) {
		caught = y;
	}
	add(shared->left, THROWS, depth + 1);
	if (caught != x)
		bad("caught %ld for %ld", caught, x);
}

static void do_jump(void)
{
	volatile long depth = draw(6);

	add(shared->begun, JUMPS, depth + 1);
	if (!sigsetjmp(landing, 1))
		jumps(5, ~5L, depth);
	add(shared->left, JUMPS, depth + 1);
}

static void do_sigjump(void)
{
	add(shared->begun, SIGJUMPS, 1);
	if (!sigsetjmp(landing, 1))
		sigjumps(5, ~5L, 0);
	add(shared->left, SIGJUMPS, 1);
}

static void wait_for(pid_t pid, const char *what)
{
	int status;

	if (pid < 0) {
		if (errno != EAGAIN && errno != ENOMEM)
			bad("%s: %s", what, strerror(errno));
		return;
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			bad("%s: waiting for %d: %s", what, pid, strerror(errno));
	}
	if (status)
		bad("%s: %d ended with status %#x", what, pid, status);
}

static void do_fork(void)
{
	call(FORKS, draw(1000), 0);
	if (!child) {
		call_some(10);
		call(DEEP, 3, 20);
		_exit(0);
	}
	wait_for(child, "fork");
}

static void run(const char *verb)
{
	char seed[24];

	snprintf(seed, sizeof(seed), "%u", draw(1u << 30));
	execl(arguments[0], arguments[0], verb, arguments[2], seed, arguments[4], NULL);
	_exit(99);
}

static void do_vfork(void)
{
	struct thread *me = self;
	pid_t pid = vfork();

	if (!pid) {
		call(ENDBR, 1, 0);
		call(CALLS, 1, 0);
		if (me->random >> 60)
			run("leaf");
		_exit(0);
	}
	wait_for(pid, "vfork");
}

static void in_context(void)
{
	call(YIELDS, 77, 0);
	call(PUSH, 78, 0);
	setcontext(&here);
}

static void do_yield(void)
{
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (stack == MAP_FAILED)
		bad("no stack: %s", strerror(errno));
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	makecontext(&there, in_context, 0);
	for (i = 0; i < 2; i++) {
		swapcontext(&here, &there);
		call_some(2);
	}
	munmap(stack, STACK);
}

/* Return where an address lies in the file. */
static long offset_of(unsigned long address)
{
	struct search {
		unsigned long address;
		long offset;
	} search = { address, -1 };

	dl_iterate_phdr([](struct dl_phdr_info *info, size_t, void *data) {
		struct search *s = (struct search *)data;
		int i;

		for (i = 0; i < info->dlpi_phnum; i++) {
			const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
			unsigned long start = info->dlpi_addr + ph->p_vaddr;

			if (ph->p_type == PT_LOAD && s->address >= start &&
			    s->address < start + ph->p_filesz)
				s->offset = s->address - start + ph->p_offset;
		}
		return 1;
	}, &search);
	return search.offset;
}

static void call_copy(char *page)
{
	int i, f;

	for (i = 0; i < 5; i++) {
		f = draw(SYSCALL + 1);
		call_at(f, (function_t *)(page + ((char *)functions[f].function - torture_page)),
			draw(1000), 3);
	}
}

/* Call functions in another mapping of the page, which is made executable, moved and unmapped. */
static void do_map(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), late = draw(2);
	long offset = offset_of((unsigned long)torture_page);
	char *page, *room;

	page = (char *)mmap(NULL, PAGE, PROT_READ | (late ? 0 : PROT_EXEC), MAP_PRIVATE, fd, offset);
	if (fd < 0 || page == MAP_FAILED)
		bad("mapping the program again: %s", strerror(errno));
	close(fd);
	if (late)
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
	call_copy(page);
	if (draw(2)) {
		mprotect(page, PAGE, PROT_NONE);
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		call_copy(page);
	}
	if (draw(2)) {
		room = (char *)mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		page = (char *)mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + PAGE);
		if (page == MAP_FAILED)
			bad("moving a mapping: %s", strerror(errno));
		call_copy(page);
		munmap(room, PAGE);
		munmap(room + 2 * PAGE, PAGE);
	}
	munmap(page, PAGE);
}

static void do_protect(void)
{
	mprotect(torture_page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	call_some(5);
	mprotect(torture_page, PAGE, PROT_READ | PROT_EXEC);
	call_some(5);
}

static void *short_thread(void *arg)
{
	struct thread me = { 0, (uint64_t)(unsigned long)arg, 0 };
	stack_t alternate = { .ss_sp = malloc(STACK), .ss_flags = 0, .ss_size = STACK };

	self = &me;
	sigaltstack(&alternate, NULL);
	call_some(10);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	free(alternate.ss_sp);
	return NULL;
}

static void do_thread(void)
{
	unsigned long random = draw(1u << 30);
	pthread_t id;
	int ret = pthread_create(&id, NULL, short_thread, (void *)random);

	if (ret && ret != EAGAIN)
		bad("a thread: %s", strerror(ret));
	if (!ret)
		pthread_join(id, NULL);
}

static void end_timer(void)
{
	struct itimerval never = {};

	setitimer(ITIMER_REAL, &never, NULL);
}

/*
 * Execute this program again.  Block all signals: the next program unblocks them when it is ready.
 */
static void again(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	end_timer();
	run("work");
}

static void end_suddenly(void)
{
	switch (draw(4)) {
	case 0:
		_exit(0);
	case 1:
		again();
		break;
	case 2:
		kill(getpid(), SIGKILL);
		break;
	default:
		madvise(torture_page, PAGE, mode == WILD ? MADV_DONTNEED : MADV_NORMAL);
	}
}

static void act(void)
{
	static void (*const things[])(void) = {
		do_throw, do_jump, do_sigjump, do_fork, do_vfork, do_yield, do_map, do_protect,
		do_thread,
	};
	unsigned int n = draw(3 * sizeof(things) / sizeof(things[0]));

	if (n < sizeof(things) / sizeof(things[0]))
		things[n]();
	else if (n % 4)
		call_some(200 + draw(1000));
	else if (n % 8)
		call(DEEP, draw(1000), draw(150));
	else
		call(RAISES, draw(1000), 0);
	if (mode != CALM && !draw(100))
		end_suddenly();
}

static void *work(void *arg)
{
	stack_t alternate = { .ss_sp = malloc(STACK), .ss_flags = 0, .ss_size = STACK };
	int i;

	self = (struct thread *)arg;
	sigaltstack(&alternate, NULL);
	for (i = 0; i < self->rounds && !__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE); i++)
		act();
	return NULL;
}

static void look_at_semaphores(bool stopped)
{
	int i;

	for (i = 0; i < SEMAPHORES; i++) {
		unsigned int value = torture_semaphores[i];

		if (stopped ? value != shared->expected[i] : value > 5000)
			bad("semaphore %d is %u, expected %u", i, value, shared->expected[i]);
	}
}

static void work_in_threads(uint64_t seed)
{
	struct itimerval often = {};
	int i;

	often.it_interval.tv_usec = often.it_value.tv_usec = 5000 + seed % 30000;
	for (i = 0; i <= THREADS; i++) {
		threads[i].random = seed * 31 + i;
		threads[i].rounds = 40 + seed % 200;
	}
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 1; i <= THREADS; i++) {
		if (pthread_create(&threads[i].id, NULL, work, &threads[i]))
			threads[i].id = 0;
	}
	work(&threads[0]);
	for (i = 1; i <= THREADS; i++) {
		if (threads[i].id)
			pthread_join(threads[i].id, NULL);
	}
	end_timer();
	/*
	 * Read @stop first: if it is set, the semaphores show all changes from before.
	 */
	i = __atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE);
	look_at_semaphores(i);
	if (!i && seed % 2)
		again();
}

static void layout(void)
{
	unsigned long semaphores = offset_of((unsigned long)torture_semaphores);
	const unsigned long *insn;
	int i;

	for (i = 0; i < FUNCTIONS; i++) {
		unsigned long address = (unsigned long)functions[i].function;

		printf("%d %ld %#lx %ld %lu\n", i, offset_of(address), address, functions[i].k,
		       semaphores + i % SEMAPHORES * sizeof(torture_semaphores[0]));
	}
	for (insn = __start_torture_insns; insn < __stop_torture_insns; insn++) {
		for (i = 0; i < FUNCTIONS && *insn != (unsigned long)functions[i].function; i++)
			;
		if (i == FUNCTIONS)
			printf("-1 %ld %#lx 0 0\n", offset_of(*insn), *insn);
	}
}

int main(int argc, char **argv)
{
	struct sigaction act = {};
	int fd;

	if (argc == 2 && !strcmp(argv[1], "layout")) {
		layout();
		return 0;
	}
	if (argc != 5)
		return 2;
	arguments = argv;
	mode = (enum mode)atoi(argv[4]);
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	shared = (struct shared *)mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
				       fd, 0);
	if (fd < 0 || shared == MAP_FAILED)
		return 3;
	close(fd);
	self = &threads[0];
	self->random = strtoul(argv[3], NULL, 0);

	act.sa_handler = on_signal;
	act.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGUSR1, &act, NULL);
	act.sa_handler = on_jump;
	sigfillset(&act.sa_mask);
	sigaction(SIGUSR2, &act, NULL);
	sigemptyset(&act.sa_mask);
	sigprocmask(SIG_SETMASK, &act.sa_mask, NULL);

	if (!strcmp(argv[1], "leaf"))
		call_some(20);
	else
		work_in_threads(self->random);
	return 0;
}
