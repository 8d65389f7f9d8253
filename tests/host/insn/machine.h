/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A traced child whose registers and memory are set before, and read after,
 * each run of a few instructions.
 */
#ifndef INSN_MACHINE_H
#define INSN_MACHINE_H

#include <signal.h>
#include <sys/user.h>

#include "decode.h"
#include "types.h"

/*
 * Memory that is mapped in the child. region_of() returns the test's own mapping of the same
 * pages. Code is filled with int3, so that a run stops wherever it goes.
 */
enum region {
	REGION_CODE,		/* the program's text */
	REGION_SLOT,		/* for the slots */
	REGION_OUT,		/* more text, for far branches */
	REGION_DATA,
	REGION_STACK,
	REGION_LOW,		/* for 16-bit addresses; not on every machine */
	REGION_PADS,		/* what pads write to; not in every layout */
	NR_REGIONS,
};

#define CODE_SIZE	0x4000
#define DATA_SIZE	0x4000

/*
 * Behind REGION_PADS, its second page is mapped again, several times: a pad that chooses a page by
 * the number of the processor always finds the same one.
 */
#define PADS_PAGE	0x1000
#define PADS_COPIES	2
#define PADS_COPY(at)	((at) + DATA_SIZE)

/* Addresses of the regions, 0 for none. Each layout needs another child. */
struct layout {
	const char *name;
	u64 at[NR_REGIONS];
};

/* The whole processor state: about 11 KiB with the tiles of AMX. */
struct cpu {
	struct user_regs_struct regs;
	size_t xsize;
	u8 xstate[16384];
};

struct stop {
	int sig;
	siginfo_t info;
	struct cpu cpu;
};

/* Start the child. Return false if a region cannot be mapped; low memory may be missing. */
bool machine_start(const struct layout *layout);
void machine_end(void);

/* Return: the test's mapping of a region, NULL if it is not mapped. */
u8 *region_of(enum region region);

/*
 * machine_runs(): check whether this machine runs code of this mode. machine_resumes(): check
 * whether a thread can resume if its stack pointer is not canonical. On a processor, both are
 * true. Some virtual machines run no 32-bit code. On some, a return from the kernel to such a
 * thread is a general protection fault.
 */
bool machine_runs(enum uinsn_mode mode);
bool machine_resumes(const struct user_regs_struct *regs);

/* Return: the state of the child at its start, as a base for other states. */
const struct cpu *machine_initial(void);

/* Return: the offset of the area of an xstate component, 0 if the processor does not have it. */
size_t machine_xstate_offset(unsigned int component);

/*
 * Run the child from @cpu until it gets a signal. With @step, execute one instruction by the
 * tracer's single-step. Return false if the child does not stop within a second. If only a
 * hypervisor finds an instruction undefined, print a note and execute it again.
 */
bool machine_run(const struct cpu *cpu, bool step, struct stop *stop);

#endif /* INSN_MACHINE_H */
