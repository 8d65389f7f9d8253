// SPDX-License-Identifier: GPL-2.0
// cflags: -Wno-missing-field-initializers -Iarch/x86 -Ibuild/progs arch/x86/pun.c arch/x86/decode.c
// cflags: arch/x86/ssol.c arch/x86/ssol_emit.c
/*
 * Executes each byte at which a jump may let instructions begin, with different bytes behind it, and
 * prints the bytes that do not raise an exception there: so that the emulator of a test is known to
 * be one that the module can work on.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "pun.h"

static sigjmp_buf back;
static u8 *code;
static volatile long where;

static void on_signal(int sig, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;

	where = context->uc_mcontext.gregs[REG_RIP] - (long)code - (sig == SIGTRAP);
	siglongjmp(back, 1);
}

/* Check that a byte traps, with another one behind it. */
static bool traps(u8 byte, u8 behind)
{
	memset(code, 0xc3, 32);
	code[0] = byte;
	code[1] = behind;
	where = -1;
	if (!sigsetjmp(back, 1))
		((void (*)(void))code)();
	return !where;
}

int main(void)
{
	static const u8 behind[] = { 0xc3, 0x00, 0x05, 0x90, 0xff };
	const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (code == MAP_FAILED)
		return 2;
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (unsigned int i = 0; i < PUN_BYTES; i++)
		for (size_t k = 0; k < ARRAY_SIZE(behind); k++)
			if (!traps(pun_byte(i), behind[k]))
				printf("%02x %02x\n", pun_byte(i), behind[k]);
	return 0;
}
