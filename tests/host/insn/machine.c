// SPDX-License-Identifier: GPL-2.0
/* A traced child that runs a few instructions at a time. */
#include <cpuid.h>
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

static const struct layout *layout;
static u8 *view[NR_REGIONS];
static struct cpu initial;
static pid_t child;
static clockid_t child_clock;
static bool any_stack, under_hypervisor;

static size_t size_of(enum region region)
{
	return region <= REGION_OUT ? CODE_SIZE : DATA_SIZE;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static bool map_regions(void)
{
	for (int i = 0; i < NR_REGIONS; i++) {
		int prot = i <= REGION_OUT ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE;
		void *at;
		int fd;

		if (!layout->at[i])
			continue;
		fd = memfd_create("region", 0);
		if (fd < 0 || ftruncate(fd, (off_t)size_of(i)))
			die("memfd");
		at = mmap((void *)layout->at[i], size_of(i), prot,
			  MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
		if (at != (void *)layout->at[i]) {
			close(fd);
			if (i == REGION_LOW)
				continue;
			return false;
		}
		for (u64 k = 0; i == REGION_PADS && k < PADS_COPIES; k++)
			if (mmap((void *)(PADS_COPY(layout->at[i]) + k * PADS_PAGE), PADS_PAGE,
				 prot, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, PADS_PAGE) ==
			    MAP_FAILED)
				die("mmap");
		view[i] = mmap(NULL, size_of(i), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (view[i] == MAP_FAILED)
			die("mmap");
		close(fd);
	}
	return true;
}

static volatile sig_atomic_t runs;

/*
 * Stop the child if a run takes a second of its own processor time. Time in which other tasks
 * have the processor does not count.
 */
static void tick(int sig)
{
	static sig_atomic_t last = -1;
	static struct timespec before;
	struct timespec now;

	(void)sig;
	if (child <= 0 || clock_gettime(child_clock, &now))
		return;
	if (runs != last) {
		last = runs;
		before = now;
	} else if (now.tv_sec - before.tv_sec > 1) {
		kill(child, SIGSTOP);
	}
}

static bool wait_stop(void)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid");
	runs++;
	return WIFSTOPPED(status);
}

/*
 * If ptrace() refuses the whole set, set the registers that differ one by one. It does so if a
 * segment register has a null selector that the processor accepts, but ptrace() does not.
 */
static void set_registers(const struct user_regs_struct *regs)
{
	struct user_regs_struct now;

	if (!ptrace(PTRACE_SETREGS, child, NULL, regs))
		return;
	if (ptrace(PTRACE_GETREGS, child, NULL, &now))
		die("reading the registers");
	for (size_t at = 0; at < sizeof(now); at += 8) {
		u64 is, wanted;

		memcpy(&is, (u8 *)&now + at, 8);
		memcpy(&wanted, (const u8 *)regs + at, 8);
		if (is != wanted && ptrace(PTRACE_POKEUSER, child, at, wanted))
			die("setting a register");
	}
}

static void set_state(const struct cpu *cpu)
{
	struct iovec xstate = { (void *)cpu->xstate, cpu->xsize };

	if (ptrace(PTRACE_SETREGSET, child, NT_X86_XSTATE, &xstate))
		die("setting the extended state");
	set_registers(&cpu->regs);
}

static void get_state(struct cpu *cpu)
{
	struct iovec xstate = { cpu->xstate, sizeof(cpu->xstate) };

	/* Do not use NT_PRSTATUS: its layout depends on the mode of the child. */
	if (ptrace(PTRACE_GETREGS, child, NULL, &cpu->regs) ||
	    ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &xstate))
		die("reading the registers");
	/*
	 * If the buffer is too small, the kernel cuts the state silently, and does not accept it
	 * back.
	 */
	if (xstate.iov_len == sizeof(cpu->xstate)) {
		errno = EMSGSIZE;
		die("reading the extended state");
	}
	cpu->xsize = xstate.iov_len;
}

static void run_to_signal(const struct cpu *cpu, bool step, struct stop *stop)
{
	set_state(cpu);
	if (ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, NULL))
		die("resuming the child");
	if (!wait_stop())
		die("the child ended");
	if (ptrace(PTRACE_GETSIGINFO, child, NULL, &stop->info))
		die("reading the signal");
	get_state(&stop->cpu);
	stop->sig = stop->info.si_signo;
}

static bool is_undefined(const struct stop *stop)
{
	return stop->sig == SIGILL && stop->info.si_code == ILL_ILLOPN;
}

/*
 * For a processor, an encoding is undefined always or never. Under a hypervisor with shadow page
 * tables (PVM), a VEX instruction with a memory operand got #UD once in 1.5 million runs, but not
 * again in the same state. KVM can emulate an instruction whose access its page tables intercept.
 * If its emulator does not know the instruction, KVM injects #UD. The emulator knows no VEX or
 * EVEX encodings.
 *
 * The fault leaves everything as it was before the instruction, so resuming the thread executes
 * the instruction again in the same state. If the same fault comes at the same place, it is the
 * processor's. Otherwise the first fault was not, and the second stop is the answer.
 */
static void confirm_undefined(bool step, struct stop *stop)
{
	static struct stop again;
	struct cpu cpu = stop->cpu;
	u8 bytes[UINSN_MAX_LEN] = { 0 };

	cpu.regs.orig_rax = ~0ull;
	run_to_signal(&cpu, step, &again);
	*stop = again;
	if (is_undefined(stop) && stop->cpu.regs.rip == cpu.regs.rip)
		return;
	for (int i = 0; i < NR_REGIONS; i++) {
		u64 at = cpu.regs.rip - layout->at[i];

		if (view[i] && at + sizeof(bytes) <= size_of(i))
			memcpy(bytes, view[i] + at, sizeof(bytes));
	}
	printf("# the hypervisor found undefined, and not again:");
	for (size_t i = 0; i < sizeof(bytes); i++)
		printf(" %02x", bytes[i]);
	putchar('\n');
}

bool machine_run(const struct cpu *cpu, bool step, struct stop *stop)
{
	run_to_signal(cpu, step, stop);
	if (under_hypervisor && is_undefined(stop) && machine_resumes(&stop->cpu.regs))
		confirm_undefined(step, stop);
	return stop->sig != SIGSTOP;
}

/* Return: true if a thread with this code segment and stack pointer gets to a breakpoint. */
static bool stops_at_breakpoint(u64 cs, u64 sp)
{
	struct cpu cpu = initial;
	struct stop stop;

	view[REGION_CODE][0] = 0xcc;
	cpu.regs.rip = layout->at[REGION_CODE];
	cpu.regs.cs = cs;
	cpu.regs.rsp = sp;
	cpu.regs.orig_rax = ~0ull;
	return machine_run(&cpu, false, &stop) && stop.sig == SIGTRAP;
}

/* Ask CPUID for a hypervisor: leaf 1, ECX, bit 31. */
static bool has_hypervisor(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c >> 31;
}

bool machine_start(const struct layout *wanted)
{
	cpu_set_t one;

	layout = wanted;
	memset(view, 0, sizeof(view));
	if (!map_regions())
		return false;
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		/*
		 * Use one processor, so that instructions that return its number always return
		 * the same.
		 */
		CPU_ZERO(&one);
		CPU_SET(sched_getcpu(), &one);
		sched_setaffinity(0, sizeof(one), &one);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	if (!wait_stop())
		die("the child ended");
	ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_EXITKILL);
	if (clock_getcpuclockid(child, &child_clock))
		die("the child's clock");
	get_state(&initial);
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 1, 0 }, { 1, 0 } }, NULL);
	any_stack = stops_at_breakpoint(initial.regs.cs, 1ull << 63);
	under_hypervisor = has_hypervisor();
	return true;
}

void machine_end(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (int i = 0; i < NR_REGIONS; i++) {
		if (!view[i])
			continue;
		munmap(view[i], size_of(i));
		munmap((void *)layout->at[i], size_of(i));
	}
}

u8 *region_of(enum region region)
{
	return view[region];
}

const struct cpu *machine_initial(void)
{
	return &initial;
}

size_t machine_xstate_offset(unsigned int component)
{
	unsigned int a, b, c, d;

	__cpuid_count(0xd, component, a, b, c, d);
	return a ? b : 0;
}

bool machine_runs(enum uinsn_mode mode)
{
	return mode == UINSN_MODE_64 ||
	       stops_at_breakpoint(0x23, layout->at[REGION_STACK] + DATA_SIZE / 2);
}

bool machine_resumes(const struct user_regs_struct *regs)
{
	return any_stack || (s64)(regs->rsp << 16) >> 16 == (s64)regs->rsp;
}
