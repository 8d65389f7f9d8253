/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the generic code knows of the processor: the one header of this
 * directory that it includes.
 */
#ifndef _UPROBES_ARCH_H
#define _UPROBES_ARCH_H

#include <linux/kdebug.h>
#include <linux/mm_types.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#include <asm/fsgsbase.h>
#include <asm/prctl.h>

#include "retaddr.h"
#include "ssol.h"

/* The breakpoint instruction: one byte, so that storing it is one store. */
#define ARCH_BREAKPOINT		0xcc
#define ARCH_BREAKPOINT_LEN	1

/* How far a slot may lie from the text that it stands for, in bytes. */
#define ARCH_SLOT_REACH		0x7ff00000UL

/**
 * arch_trap_regs() - the registers of a user task that ran into a breakpoint
 * @event: of the die notifier
 * @data: of the die notifier
 *
 * Return: NULL when it is something else; see arch_trap_other().
 */
static __always_inline struct pt_regs *arch_trap_regs(unsigned long event, void *data)
{
	struct die_args *args = data;

	return likely(event == DIE_INT3 && user_mode(args->regs)) ? args->regs : NULL;
}

/* Whether it is, and in 64-bit code beyond doubt. */
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
int arch_trap_init(notifier_fn_t trap, bool (*step)(struct pt_regs *regs));
void arch_trap_exit(void);
void arch_trap_quiesce(void);

void arch_return_zero(struct pt_regs *regs);

bool arch_text_translated(void);
void arch_sync_text(struct mm_struct *mm);

enum uinsn_mode arch_mm_mode(struct mm_struct *mm);

/*
 * Whether an address space may have text that can be executed and not read, as
 * mprotect(PROT_EXEC) makes it with protection keys.  Its key is never 0.
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
bool arch_step_plain(const struct ssol_plan *plan);
bool arch_syscall_restarts(const struct pt_regs *regs);
bool arch_syscall_restarts_after(const struct pt_regs *regs, bool restart);
/* Whether the task has entered the kernel by a system call; other entries store -1 or less. */
static inline bool arch_in_syscall(const struct pt_regs *regs)
{
	/* The kernel looks at the lower half alone. */
	return (int)regs->orig_ax >= 0;
}

int arch_executable(struct mm_struct *mm, unsigned long addr);
bool arch_uprobe_call(const u8 *text, int len, unsigned long addr, unsigned long *to);
bool arch_mremap_moves(const struct pt_regs *regs, unsigned long *start, unsigned long *end);
long arch_mremap_moved(const struct pt_regs *regs);
unsigned long arch_sigreturn_ip(void);
u64 arch_regs_digest(const struct pt_regs *regs);

/**
 * arch_word_size() - size of an address in the code that is running
 * @regs: user registers
 *
 * Return: 8 in 64-bit code, 4 in 32-bit code.
 */
static inline unsigned int arch_word_size(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs) ? 8 : 4;
}

/**
 * arch_thread_pointer() - what the current task's thread-local data are found by
 *
 * The base of fs in 64-bit programs (psABI, "Thread-Local Storage").
 *
 * Context: the task itself.
 * Return: the address, or 0 where it is not known.
 */
static inline unsigned long arch_thread_pointer(void)
{
	return user_64bit_mode(task_pt_regs(current)) ? x86_fsbase_read_cpu() : 0;
}

/**
 * arch_code_mode() - how the processor reads the code that is running
 * @regs: user registers
 *
 * A program may switch by a far jump, whatever it was executed as.
 *
 * Return: UINSN_MODE_64 or UINSN_MODE_32; -1 in a segment of the program's own
 * making, where addresses may count from anywhere.
 */
static inline int arch_code_mode(const struct pt_regs *regs)
{
	if (likely(user_64bit_mode((struct pt_regs *)regs)))
		return UINSN_MODE_64;
	return regs->cs & SEGMENT_TI_MASK ? -1 : UINSN_MODE_32;
}

unsigned long arch_code_addr(const struct pt_regs *regs);

/**
 * arch_stack_fixed() - whether return addresses of the task may not be changed
 *
 * A user shadow stack (Intel SDM vol. 1, chapter 17) makes the processor raise
 * a control protection exception when the two stacks differ.
 *
 * Context: the task itself.
 * Return: true when they may not.
 */
static inline bool arch_stack_fixed(void)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return current->thread.features & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

/* Whether arch_stack_fixed() can be true of any task of this machine. */
static inline bool arch_stacks_fixable(void)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return boot_cpu_has(X86_FEATURE_USER_SHSTK);
#else
	return false;
#endif
}

/* Whether flags are those of a task that somebody single-steps. */
static inline bool arch_stepped(unsigned long flags)
{
	return flags & X86_EFLAGS_TF;
}

/* A trap behind the next instruction, or none. */
static inline void arch_set_stepped(struct pt_regs *regs, bool stepped)
{
	if (stepped)
		regs->flags |= X86_EFLAGS_TF;
	else
		regs->flags &= ~X86_EFLAGS_TF;
}

/* The watchpoints of which a tracer will read that they caused the trap; or says so. */
static inline unsigned long arch_watched(const struct task_struct *task)
{
	return task->thread.virtual_dr6 & DR_TRAP_BITS;
}

static inline void arch_set_watched(struct task_struct *task, unsigned long watched)
{
	task->thread.virtual_dr6 = watched;
}

/**
 * arch_limit() - end of the addresses that code of a mode can use
 * @mode: 32-bit or 64-bit code
 *
 * Return: the first address that it cannot.
 */
static inline unsigned long arch_limit(enum uinsn_mode mode)
{
	return mode == UINSN_MODE_64 ? TASK_SIZE_MAX : 0xffffe000UL;
}

#endif /* _UPROBES_ARCH_H */
