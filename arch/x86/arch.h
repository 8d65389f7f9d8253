/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the generic code and the processor.  Of this directory, the generic code
 * includes directly only this header and those of slots, pads and return addresses: ssol.h,
 * ssol_emit.h, pad.h, retaddr.h.
 */
#ifndef _UPROBES_ARCH_H
#define _UPROBES_ARCH_H

#include <linux/kdebug.h>
#include <linux/mm_types.h>
#include <linux/notifier.h>
#include <linux/objtool.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#include <asm/fsgsbase.h>
#include <asm/ibt.h>
#include <asm/linkage.h>
#include <asm/prctl.h>
#include <asm/tsc.h>

#include "pad.h"
#include "retaddr.h"
#include "ssol.h"

/* The breakpoint instruction: one byte, so that a single store writes it. */
#define ARCH_BREAKPOINT		0xcc
#define ARCH_BREAKPOINT_LEN	1

/* The largest distance between a slot and its text, in bytes. */
#define ARCH_SLOT_REACH		0x7ff00000UL

/**
 * arch_trap_regs() - get the registers of a user task that has executed a breakpoint
 * @event: of the die notifier
 * @data: of the die notifier
 *
 * Return: the registers; NULL if the event is another one, see arch_trap_other().
 */
static __always_inline struct pt_regs *arch_trap_regs(unsigned long event, void *data)
{
	struct die_args *args = data;

	return likely(event == DIE_INT3 && user_mode(args->regs)) ? args->regs : NULL;
}

/* Check for a breakpoint that is certainly in 64-bit user code; if it is, *@regs is set. */
static __always_inline bool arch_trap_usual(unsigned long event, void *data,
					    struct pt_regs **regs)
{
	const struct die_args *args = data;

	if (unlikely(event != DIE_INT3))
		return false;
	*regs = args->regs;
	return likely(args->regs->cs == __USER_CS);
}

int arch_trap_other(unsigned long event, void *data);
int arch_trap_init(notifier_fn_t trap, bool (*step)(struct pt_regs *regs),
		   bool (*undefined)(struct pt_regs *regs), bool (*fault)(struct pt_regs *regs));
void arch_trap_exit(void);
void arch_trap_quiesce(void);

unsigned long arch_zero_function(void);
void arch_return_zero(struct pt_regs *regs);
void arch_return_true(struct pt_regs *regs);
struct pt_regs *arch_fault_regs(const struct pt_regs *regs, bool *paged, bool *fetch);

bool arch_text_translated(void);
void arch_sync_text(struct mm_struct *mm);

enum uinsn_mode arch_mm_mode(struct mm_struct *mm);

/*
 * Check whether an address space may have text that can be executed but not read.
 * mprotect(PROT_EXEC) makes such text by a protection key, which is never 0.
 */
static inline bool arch_text_hidden(const struct mm_struct *mm)
{
#ifdef CONFIG_X86_INTEL_MEMORY_PROTECTION_KEYS
	return READ_ONCE(mm->context.execute_only_pkey) > 0;
#else
	return false;
#endif
}

void arch_step_begin(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		     struct ssol_step *step, struct pt_regs *regs);
int arch_step_end(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		  const struct ssol_step *step, struct pt_regs *regs);
void arch_step_abort(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		     const struct ssol_step *step, struct pt_regs *regs);
bool arch_slot_unwind(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		      struct pt_regs *regs);
bool arch_slot_done(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		    const struct pt_regs *regs);
int arch_reg_number(unsigned int offset);
u64 arch_reg_get(const struct pt_regs *regs, unsigned int number);
void arch_reg_set(struct pt_regs *regs, unsigned int number, u64 value);
void arch_regs_user(struct pt_regs *regs, unsigned long ip);
bool arch_filter_passes(const struct pad_filter *filter, const struct pt_regs *regs);
bool arch_pad_passes(const struct pad *pad, const struct pt_regs *regs);
bool arch_pad_leave(const struct pad *pad, unsigned long at, struct pt_regs *regs,
		    struct pad_debt *debt);
bool arch_step_plain(const struct ssol_plan *plan);
bool arch_syscall_restarts(const struct pt_regs *regs);
bool arch_syscall_restarts_after(const struct pt_regs *regs, bool restart);

/*
 * Check whether the task has entered the kernel by a system call.  Other entries store a negative
 * number.
 */
static inline bool arch_in_syscall(const struct pt_regs *regs)
{
	/* The kernel uses only the lower half of orig_ax. */
	return (int)regs->orig_ax >= 0;
}

int arch_executable(struct mm_struct *mm, unsigned long addr);
bool arch_uprobe_call(const u8 *text, int len, unsigned long addr, unsigned long *to);
bool arch_mremap_moves(const struct pt_regs *regs, unsigned long *start, unsigned long *end);
long arch_mremap_moved(const struct pt_regs *regs);
unsigned long arch_sigreturn_ip(void);
u64 arch_regs_digest(const struct pt_regs *regs);

/**
 * arch_word_size() - get the size of an address in the running code
 * @regs: user registers
 *
 * Return: 8 in 64-bit code, 4 in 32-bit code.
 */
static inline unsigned int arch_word_size(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs) ? 8 : 4;
}

/**
 * arch_thread_pointer() - get the pointer to the current task's thread-local data
 *
 * In 64-bit programs it is the base of fs (psABI, "Thread-Local Storage").
 *
 * Context: the task itself.
 * Return: the address, or 0 if it is not known.
 */
static inline unsigned long arch_thread_pointer(void)
{
	return user_64bit_mode(task_pt_regs(current)) ? x86_fsbase_read_cpu() : 0;
}

/**
 * arch_code_mode() - find out how the processor decodes the running code
 * @regs: user registers
 *
 * A far jump can switch the mode in which the program was started.
 *
 * Return: UINSN_MODE_64 or UINSN_MODE_32; -1 in a segment that the program has defined, which
 * can have any base address.
 */
static inline int arch_code_mode(const struct pt_regs *regs)
{
	if (likely(user_64bit_mode((struct pt_regs *)regs)))
		return UINSN_MODE_64;
	return regs->cs & SEGMENT_TI_MASK ? -1 : UINSN_MODE_32;
}

unsigned long arch_code_addr(const struct pt_regs *regs);

/**
 * arch_stack_fixed() - check whether return addresses of the current task must not be changed
 *
 * If the task has a user shadow stack (Intel SDM vol. 1, chapter 17), and the two stacks differ,
 * the processor raises a control protection exception.
 *
 * Context: the task itself.
 * Return: true if they must not be changed.
 */
static inline bool arch_stack_fixed(void)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return current->thread.features & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

/* Check whether arch_stack_fixed() can be true for any task on this machine. */
static inline bool arch_stacks_fixable(void)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return boot_cpu_has(X86_FEATURE_USER_SHSTK);
#else
	return false;
#endif
}

/* Check whether pads may save the flags: the processor has lahf and sahf in 64-bit mode. */
static inline bool arch_pads_save(void)
{
	return boot_cpu_has(X86_FEATURE_LAHF_LM);
}

void arch_clock_init(void);

/* rdtscp gives the number that the kernel has for each processor. */
extern bool arch_cpus_known;

/*
 * Check whether pads may record: a program can read the number of its processor together with a
 * time stamp counter that runs evenly.
 */
static inline bool arch_pads_record(void)
{
	return READ_ONCE(arch_cpus_known) && !check_tsc_unstable();
}

/* rdpid gives these numbers, too. */
extern bool arch_cpus_quick;

/* Check whether pads may have a counter for each processor: programs quickly read its number. */
static inline bool arch_counts_apart(void)
{
	return READ_ONCE(arch_cpus_quick);
}

/* Check whether a task must not read that counter: prctl(PR_SET_TSC), seccomp's strict mode. */
static inline bool arch_ticks_hidden(struct task_struct *task)
{
	return test_tsk_thread_flag(task, TIF_NOTSC);
}

/* Get the time stamp counter, and how many thousands of its ticks a second has. */
static inline u64 arch_ticks(void)
{
	return rdtsc_ordered();
}

static inline unsigned int arch_ticks_khz(void)
{
	return tsc_khz;
}

/*
 * Check whether the threads of a program can count in a pad.  If the program uses protection keys,
 * a thread may forbid itself to write to the counter, which has key 0.
 */
static inline bool arch_pads_work(struct mm_struct *mm)
{
#ifdef CONFIG_X86_INTEL_MEMORY_PROTECTION_KEYS
	return !(READ_ONCE(mm->context.pkey_allocation_map) & ~1);
#else
	return true;
#endif
}

/**
 * ARCH_GATE() - define code that a kernel function can be redirected to
 * @name: the code, a function without arguments for C
 * @open: called with the arguments of the kernel function; returns the address at which to go on
 * @pass: a u64 variable, for arch_gate_passed()
 *
 * The kernel function then goes on with its arguments, as if it had been entered there.
 */
#define ARCH_GATE(name, open, pass)						\
void name(void);								\
asm(".pushsection .text\n"							\
	".type " #name ", @function\n"						\
	#name ":\n"								\
	ASM_ENDBR								\
	"	push %rdi\n"							\
	"	push %rsi\n"							\
	"	push %rdx\n"							\
	"	push %rcx\n"							\
	"	push %r8\n"							\
	"	push %r9\n"							\
	"	sub $8, %rsp\n"						\
	"	call " #open "\n"						\
	"	add $8, %rsp\n"						\
	"	pop %r9\n"							\
	"	pop %r8\n"							\
	"	pop %rcx\n"							\
	"	pop %rdx\n"							\
	"	pop %rsi\n"							\
	"	pop %rdi\n"							\
	"	mov " #pass "(%rip), %r11\n"					\
	"	push %rax\n"							\
	ASM_RET									\
	".size " #name ", . - " #name "\n"					\
	".popsection\n");							\
STACK_FRAME_NON_STANDARD(name)

/*
 * Check whether a task comes to a kernel function from a gate.  Callers leave what they like in the
 * register (psABI, 3.2.1), but none can know the value.
 */
static inline bool arch_gate_passed(const struct pt_regs *regs, u64 pass)
{
	return regs->r11 == pass;
}

/**
 * arch_call_sealed() - call a function whose address was looked up
 * @function: the function
 * @a: its first argument
 * @b: its second argument
 *
 * If the kernel itself calls a function directly only, it may forbid indirect calls of it (IBT).
 *
 * Return: what the function returns.
 */
unsigned long arch_call_sealed(unsigned long function, unsigned long a, unsigned long b);

/* Check whether the flags are those of a task that is being single-stepped. */
static inline bool arch_stepped(unsigned long flags)
{
	return flags & X86_EFLAGS_TF;
}

/* Switch the debug exception behind the next instruction on or off. */
static inline void arch_set_stepped(struct pt_regs *regs, bool stepped)
{
	if (stepped)
		regs->flags |= X86_EFLAGS_TF;
	else
		regs->flags &= ~X86_EFLAGS_TF;
}

/* Get, or set, the watchpoints that a tracer will read as the causes of the debug exception. */
static inline unsigned long arch_watched(const struct task_struct *task)
{
	return task->thread.virtual_dr6 & DR_TRAP_BITS;
}

static inline void arch_set_watched(struct task_struct *task, unsigned long watched)
{
	task->thread.virtual_dr6 = watched;
}

/**
 * arch_limit() - get the end of the addresses that code of a mode can use
 * @mode: 32-bit or 64-bit code
 *
 * Return: the first address that the code cannot use.
 */
static inline unsigned long arch_limit(enum uinsn_mode mode)
{
	return mode == UINSN_MODE_64 ? TASK_SIZE_MAX : 0xffffe000UL;
}

#endif /* _UPROBES_ARCH_H */
