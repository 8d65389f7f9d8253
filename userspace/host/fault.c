// SPDX-License-Identifier: GPL-2.0
/*
 * A fault of this process, on purpose: code that the module adds to programs may read their memory
 * only after the module has seen that the kernel tells it of faults.
 */
#include "fault.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf behind;

static void on_fault(int sig)
{
	siglongjmp(behind, sig);
}

/** fault_show() - read memory that may not be read, and go on */
void fault_show(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_handler = on_fault }, before;
	sigset_t fault, blocked;

	if (page == MAP_FAILED)
		return;
	/* A signal that was blocked when the program began would end it. */
	sigemptyset(&fault);
	sigaddset(&fault, SIGSEGV);
	if (!sigprocmask(SIG_UNBLOCK, &fault, &blocked) && !sigaction(SIGSEGV, &action, &before)) {
		if (!sigsetjmp(behind, 1))
			(void)*(volatile char *)page;
		sigaction(SIGSEGV, &before, NULL);
		sigprocmask(SIG_SETMASK, &blocked, NULL);
	}
	munmap(page, size);
}
