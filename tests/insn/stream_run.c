// SPDX-License-Identifier: GPL-2.0
// cflags: -Iarch/x86 -fno-stack-protector
/*
 *	stream_run SEED RUNS FILE [RUN]
 *
 * Executes a stream of stream_make RUNS times, each time with other random registers, vectors and
 * memory. Prints a line for each run: how many signals there were, and a hash of everything that
 * the program can see. That is the number, code, address, ip, flags (except RF) and registers of
 * each signal; and at the end also the x87 and vector registers and the memory. With RUN, executes
 * that run only, and prints all of this in words.
 *
 * After a fault, the stream continues behind the instruction with other registers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <ucontext.h>
#include <unistd.h>

#include "stream.h"

/*
 * int3 stores RF if a fault or an interrupt came right before. The load of the machine decides
 * that. The flags that a fault stores always have RF.
 */
#define FLAGS_RF	0x10000

static u32 table[STREAM_MAX], count;
/* Changed by signal handlers during raise(). */
static volatile unsigned long signals;
static volatile u64 hash;
static bool talk;
static struct stream_random rnd;

/* The state with which the program itself continues after a run. */
static gregset_t own_registers;
static u8 own_state[16384];

static u32 start_of(u32 i)
{
	return STREAM_TEXT + (table[i] & ~STREAM_INSIDE);
}

static void add_hash(const void *p, size_t size)
{
	const u8 *byte = p;

	while (size--)
		hash = (hash ^ *byte++) * 0x100000001b3;
}

static void new_registers(gregset_t regs)
{
	static const int list[] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8, REG_R9,
		REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		regs[list[i]] = (greg_t)stream_value(&rnd);
	regs[REG_RSP] = STREAM_STACK + STREAM_SIZE / 2 + stream_random(&rnd) % 64 * 8;
}

/*
 * Return the size of a signal frame's x87 and SSE state, and of the upper halves of the AVX
 * registers.
 */
static size_t state_size(const u8 *state)
{
	u32 magic = uinsn_get32(state + 464), size = uinsn_get32(state + 468);

	/* sw_reserved: FP_XSTATE_MAGIC1, extended_size */
	return magic == 0x46505853 && size < sizeof(own_state) ? size : 512;
}

static void on_start(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	u8 *state = (u8 *)uc->uc_mcontext.fpregs;
	size_t size = state_size(state);

	memcpy(own_registers, uc->uc_mcontext.gregs, sizeof(own_registers));
	memcpy(own_state, state, size);
	for (size_t at = 160; at < 416; at += 4)
		uinsn_put32(state + at, stream_random(&rnd));
	if (size >= 832) {
		for (size_t at = 576; at < 832; at += 4)
			uinsn_put32(state + at, stream_random(&rnd));
		state[512] |= 7;
	}
	new_registers(uc->uc_mcontext.gregs);
	uc->uc_mcontext.gregs[REG_RIP] = STREAM_TEXT;
	uc->uc_mcontext.gregs[REG_EFL] = 0x202 | (stream_random(&rnd) & 0xcd5);
}

static void finish(ucontext_t *uc)
{
	u8 *state = (u8 *)uc->uc_mcontext.fpregs;

	for (size_t at = 0; talk && at < (state_size(state) >= 832 ? 832 : 416); at += 32) {
		printf("state %zu", at);
		for (size_t k = at; k < at + 32; k++)
			printf(" %02x", state[k]);
		printf("\n");
	}
	/* Leave out the address of the last x87 instruction, which slots do not hide. */
	add_hash(state, 8);
	add_hash(state + 24, 416 - 24);
	if (state_size(state) >= 832 && (state[512] & 4))
		add_hash(state + 576, 256);
	memcpy(uc->uc_mcontext.gregs, own_registers, sizeof(own_registers));
	memcpy(state, own_state, state_size(own_state));
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *regs = uc->uc_mcontext.gregs;
	u64 ip = (u64)regs[REG_RIP], from = sig == SIGTRAP ? ip : ip + 1;
	u32 low = 0, high = count;
	greg_t seen[REG_OLDMASK];

	signals++;
	add_hash(&info->si_signo, sizeof(info->si_signo));
	add_hash(&info->si_code, sizeof(info->si_code));
	add_hash(&info->si_addr, sizeof(info->si_addr));
	memcpy(seen, regs, sizeof(seen));
	seen[REG_EFL] &= ~FLAGS_RF;
	add_hash(seen, sizeof(seen));
	if (talk) {
		printf("signal %d code %d address %p ip %llx flags %llx trap %lld", sig,
		       info->si_code, info->si_addr, (unsigned long long)ip, regs[REG_EFL],
		       regs[REG_TRAPNO]);
		for (int i = 0; i < REG_RIP; i++)
			printf(" %llx", regs[i]);
		printf("\n");
	}
	/* Find the first instruction behind ip, or at ip if ip has moved on already. */
	while (low < high) {
		u32 middle = (low + high) / 2;

		if (start_of(middle) < from)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < count && (table[low] & STREAM_INSIDE))
		low++;
	if (low < count) {
		new_registers(regs);
		regs[REG_RIP] = start_of(low);
		return;
	}
	if (ip != start_of(count - 1)) {
		static const char lost[] = "the stream was left\n";

		if (write(2, lost, sizeof(lost) - 1) > 0)
			_exit(3);
	}
	finish(uc);
}

static void handle(int sig, void (*handler)(int sig, siginfo_t *info, void *context))
{
	struct sigaction action = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	sigaction(sig, &action, NULL);
}

static void *map(u64 at, size_t size, int prot, int fd, off_t offset)
{
	int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_ANONYMOUS : 0);
	void *p = mmap((void *)at, size, prot, flags, fd, offset);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	return p;
}

static void run(u64 seed, u64 number)
{
	u8 *memory[] = { (u8 *)STREAM_DATA, (u8 *)STREAM_STACK };

	rnd = stream_seed(seed, number);
	hash = 0xcbf29ce484222325;
	signals = 0;
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; at < STREAM_SIZE; at += 8)
			uinsn_put64(memory[i] + at, stream_value(&rnd));
	raise(SIGUSR1);
	for (int i = 0; i < 2; i++) {
		for (size_t at = 0; talk && at < STREAM_SIZE; at += 32) {
			printf("memory %p", memory[i] + at);
			for (size_t k = at; k < at + 32; k++)
				printf(" %02x", memory[i][k]);
			printf("\n");
		}
		add_hash(memory[i], STREAM_SIZE);
	}
	printf("%llu %lu %016llx\n", (unsigned long long)number, signals, (unsigned long long)hash);
}

int main(int argc, char **argv)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	int fd = argc >= 4 ? open(argv[3], O_RDONLY) : -1;
	cpu_set_t one;
	off_t end;

	if (fd < 0) {
		fprintf(stderr, "usage: stream_run SEED RUNS FILE [RUN]\n");
		return 2;
	}
	/* Addresses, and the identity of the processor, must be the same in each process. */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		personality(ADDR_NO_RANDOMIZE);
		execv("/proc/self/exe", argv);
	}
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);

	end = lseek(fd, 0, SEEK_END);
	if (pread(fd, &count, 4, STREAM_TABLE) != 4 || !count || count > STREAM_MAX ||
	    pread(fd, table, 4 * count, STREAM_TABLE + 4) != 4 * count) {
		fprintf(stderr, "%s is no stream\n", argv[3]);
		return 2;
	}
	map(STREAM_TEXT, (size_t)(end - STREAM_OFFSET), PROT_READ | PROT_EXEC, fd, STREAM_OFFSET);
	map(STREAM_DATA, STREAM_SIZE, PROT_READ | PROT_WRITE, -1, 0);
	map(STREAM_STACK, STREAM_SIZE, PROT_READ | PROT_WRITE, -1, 0);

	sigaltstack(&stack, NULL);
	handle(SIGUSR1, on_start);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		handle(faults[i], on_signal);
	talk = argc > 4;
	if (talk) {
		run(strtoull(argv[1], NULL, 0), strtoull(argv[4], NULL, 0));
		return 0;
	}
	for (u64 i = 0; i < strtoull(argv[2], NULL, 0); i++)
		run(strtoull(argv[1], NULL, 0), i);
	return 0;
}
