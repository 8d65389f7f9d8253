// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -rdynamic -fno-optimize-sibling-calls
/*
 * Walks its own stack in every way that a runtime does, and prints what it saw.  There are
 * exceptions: caught in the function and further out, thrown again, and thrown while a destructor
 * is due.  There are backtrace(), also where a call was left by longjmp(), thread cancellation,
 * threads, and a child.  The output and the status are the same whether the program is
 * return-probed or not.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include "puppet.h"

#define HERE asm volatile("" ::: "memory")

/* Not the library's class: its headers exist for the system's own word size only. */
struct Failure {
	virtual ~Failure() {}
	virtual const char *what() const { return "a failure"; }
};

struct FromTheDepth : Failure {
	const char *what() const override { return "from the depth"; }
};

static int destroyed;
static volatile int never;

struct Guard {
	int depth;
	explicit Guard(int depth) : depth(depth) {}
	~Guard();
};

PROBED int probed_in_destructor(int x)
{
	HERE;
	return x + 1;
}

Guard::~Guard()
{
	destroyed += probed_in_destructor(0);
}

PROBED int probed_deep(int n, int what)
{
	Guard guard(n);
	int below;

	if (!n && what == 1)
		throw FromTheDepth();
	if (!n && what == 2)
		throw 7;
	if (!n)
		return 0;
	below = probed_deep(n - 1, what);
	HERE;
	return below + 1;
}

PROBED int probed_catcher(int n, int what)
{
	int ret;

	try {
		ret = probed_deep(n, what);
	} catch (const Failure &e) {
		ret = -static_cast<int>(strlen(e.what()));
	}
	HERE;
	return ret;
}

PROBED int probed_rethrower(int n)
{
	int ret;

	try {
		ret = probed_deep(n, 1);
	} catch (...) {
		ret = probed_catcher(3, 1);
		if (ret != -14)
			abort();
		throw;
	}
	HERE;
	return ret;
}

PROBED int probed_outer(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += probed_catcher(i % 5, 0);
		sum += probed_catcher(i % 5, 1);
		try {
			sum += probed_catcher(i % 5, 2);
		} catch (int x) {
			sum += x;
		}
		try {
			sum += probed_rethrower(i % 7);
		} catch (const FromTheDepth &) {
			sum += 100;
		}
	}
	HERE;
	return sum;
}

PROBED int probed_backtrace(int n)
{
	int ret;

	if (n) {
		ret = probed_backtrace(n - 1);
		HERE;
		return ret + 1;
	}

	void *frames[32];
	int i, nr = backtrace(frames, 32);

	for (i = 0; i < nr; i++) {
		Dl_info info;

		if (dladdr(frames[i], &info) && info.dli_sname)
			printf(" %s", info.dli_sname);
		else
			printf(" -");
	}
	printf(" (%d)\n", nr);
	return 0;
}

static jmp_buf left;

PROBED void probed_leaves(int leaves)
{
	if (leaves)
		longjmp(left, 1);
	HERE;
}

/* Leave a call, in the middle of where keeps_its_own() will have its array. */
__attribute__((noinline, noclone)) static void leaves_a_call()
{
	char room[32768];

	asm volatile("" : : "r"(room) : "memory");
	if (!setjmp(left))
		probed_leaves(1);
}

/* Check that a walk of the stack does not change data on pages that a fork has made read-only. */
__attribute__((noinline, noclone)) static int keeps_its_own()
{
	static void *frames[8];
	unsigned char own[65536];
	int kept = 0, status;

	memset(own, 0xa5, sizeof(own));
	asm volatile("" : : "r"(own) : "memory");
	pid_t pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	backtrace(frames, 8);
	asm volatile("" : : "r"(own) : "memory");
	for (unsigned char c : own)
		kept += c == 0xa5;
	return kept;
}

static void cleanup(void *arg)
{
	destroyed += probed_in_destructor(*static_cast<int *>(arg));
}

PROBED int probed_cancelled(int n)
{
	if (n) {
		n = probed_cancelled(n - 1);
		HERE;
		return n;
	}
	while (!never)
		pause();
	return 0;
}

static void *cancelled_thread(void *arg)
{
	pthread_cleanup_push(cleanup, arg);
	probed_cancelled(5);
	pthread_cleanup_pop(0);
	return nullptr;
}

static void *throwing_thread(void *arg)
{
	long sum = 0;

	for (int i = 0; i < 200; i++)
		sum += probed_outer(3);
	return reinterpret_cast<void *>(sum);
}

int main()
{
	pthread_t t[4];
	void *ret;
	int ten = 10, status;
	long sum = 0;

	printf("outer %d\n", probed_outer(20));
	printf("backtrace"); probed_backtrace(6);
	printf("outer %d\n", probed_outer(20));

	leaves_a_call();
	printf("kept %d\n", keeps_its_own());
	fflush(stdout);

	for (auto &thread : t)
		pthread_create(&thread, nullptr, throwing_thread, nullptr);
	for (auto thread : t) {
		pthread_join(thread, &ret);
		sum += reinterpret_cast<long>(ret);
	}
	printf("threads %ld\n", sum);

	for (int i = 0; i < 20; i++) {
		pthread_create(&t[0], nullptr, cancelled_thread, &ten);
		usleep(2000);
		pthread_cancel(t[0]);
		pthread_join(t[0], &ret);
		sum += ret == PTHREAD_CANCELED;
	}
	printf("cancelled %ld\n", sum);
	fflush(stdout);

	pid_t pid = fork();
	if (!pid) {
		int x = probed_outer(10);
		_exit(x & 0x7f);
	}
	waitpid(pid, &status, 0);
	printf("child %x destroyed %d\n", status, destroyed > 0);
	fflush(stdout);
	/* Nobody catches this exception. */
	probed_deep(4, 2);
}
