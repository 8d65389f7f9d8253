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
 * What is mapped in the child, and where. The tests' own view of the same pages
 * is at region_of(). Code is all int3, so that a run stops wherever it goes.
 */
enum region {
	REGION_CODE,		/* the program's text */
	REGION_SLOT,		/* where slots are put */
	REGION_OUT,		/* further text, for branches that go far */
	REGION_DATA,
	REGION_STACK,
	REGION_LOW,		/* for 16-bit addresses; not on every machine */
	NR_REGIONS,
};

#define CODE_SIZE	0x4000
#define DATA_SIZE	0x4000

/* Distances between the regions; each layout is a different child. */
struct layout {
	const char *name;
	u64 at[NR_REGIONS];
};

/* As much processor state as there is: some 11 KiB with AMX's tiles. */
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

/* Start the child; false when a region cannot be mapped. Low memory may be missing. */
bool machine_start(const struct layout *layout);
void machine_end(void);

/* The tests' view of a region, NULL when it is not mapped. */
u8 *region_of(enum region region);

/*
 * Does this machine run code of that mode, and can a thread whose stack pointer is not canonical
 * go on? Of every processor, yes; some virtual machines have no 32-bit code, and some make what
 * returns from the kernel to such a thread a general protection fault.
 */
bool machine_runs(enum uinsn_mode mode);
bool machine_resumes(const struct user_regs_struct *regs);

/* State that the child had at its start, as a base to change registers in. */
const struct cpu *machine_initial(void);

/* Offset of an xstate component's area, 0 when the processor has none. */
size_t machine_xstate_offset(unsigned int component);

/*
 * Run from @cpu until a signal. With @step, one instruction by the tracer's
 * single-step. False when the child did not stop within a second. An undefined
 * instruction that only a hypervisor finds undefined is executed again, with a note.
 */
bool machine_run(const struct cpu *cpu, bool step, struct stop *stop);

#endif /* INSN_MACHINE_H */
