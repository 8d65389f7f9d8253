// SPDX-License-Identifier: GPL-2.0
/*
 * The breakpoint exception, and the facts about registers and address spaces that the generic
 * code needs.
 */
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/rcupdate.h>

#include <asm/debugreg.h>
#include <asm/desc.h>
#include <asm/ibt.h>
#include <asm/linkage.h>
#include <asm/mmu_context.h>
#include <asm/sync_core.h>
#include <asm/trap_pf.h>
#include <asm/trapnr.h>
#include <asm/unistd.h>

#include "arch.h"

/* arch/x86/entry/syscalls/syscall_32.tbl */
#define IA32_NR_MREMAP	163

static bool (*trap_step)(struct pt_regs *regs) __ro_after_init;
static bool (*trap_undefined)(struct pt_regs *regs) __ro_after_init;
static bool (*trap_fault)(struct pt_regs *regs) __ro_after_init;

/*
 * Check whether the kernel reports a fault of 64-bit code at memory by a die event: an address on
 * the stack that is not canonical, or an address that is not aligned, with AC set.
 */
static bool is_fault(unsigned long event, const struct die_args *args)
{
	return event == DIE_TRAP && args->regs->cs == __USER_CS &&
	       (args->trapnr == X86_TRAP_SS || args->trapnr == X86_TRAP_AC);
}

/**
 * arch_trap_other() - handle an event that is not a breakpoint of a user task
 * @event: of the die notifier
 * @data: of the die notifier
 *
 * Context: the trap.
 * Return: the result of the die notifier.
 */
int arch_trap_other(unsigned long event, void *data)
{
	struct thread_struct *thread = &current->thread;
	struct die_args *args = data;
	unsigned long *dr6;

	if (event == DIE_TRAP && args->trapnr == X86_TRAP_UD && args->regs->cs == __USER_CS)
		return trap_undefined(args->regs) ? NOTIFY_STOP : NOTIFY_DONE;
	if (is_fault(event, args))
		return trap_fault(args->regs) ? NOTIFY_STOP : NOTIFY_DONE;
	if (event != DIE_DEBUG || !user_mode(args->regs))
		return NOTIFY_DONE;
	/* The kernel passes a pointer to its copy of DR6. */
	dr6 = ERR_PTR(args->err);
	if (!(*dr6 & DR_STEP) || !trap_step(args->regs))
		return NOTIFY_DONE;
	/*
	 * A watchpoint or a bus lock may have caused the same exception.  The kernel's notifier for
	 * watchpoints has run before this one, and has put the causes that a debugger must see into
	 * virtual_dr6.  The step is already there.
	 */
	*dr6 &= ~(DR_STEP | DR_TRAP_BITS);
	thread->virtual_dr6 &= ~DR_STEP;
	return thread->virtual_dr6 & DR_TRAP_BITS || *dr6 & DR_BUS_LOCK ? NOTIFY_DONE : NOTIFY_STOP;
}

/**
 * arch_code_addr() - get the address of the ip in a segment that the program has defined
 * @regs: user registers
 *
 * The segment is in the table that modify_ldt() changes.  The kernel does not free a table before
 * all processors that use it have taken an interrupt.
 *
 * Context: interrupts off; arch_code_mode() is -1.
 * Return: the address that the processor computes.
 */
unsigned long arch_code_addr(const struct pt_regs *regs)
{
	unsigned long base = 0;
#ifdef CONFIG_MODIFY_LDT_SYSCALL
	const struct ldt_struct *ldt = READ_ONCE(current->mm->context.ldt);
	unsigned int i = regs->cs / LDT_ENTRY_SIZE;

	if (ldt && i < ldt->nr_entries)
		base = get_desc_base(&ldt->entries[i]);
#endif
	return (u32)(base + regs->ip);
}

/*
 * The notifier of the kernel's own uprobes has the priority INT_MAX - 1.  In a process where it
 * has probes, it takes every breakpoint for one of its own.
 */
static struct notifier_block trap_nb = {
	.priority = INT_MAX,
};

/**
 * arch_trap_init() - start to receive the traps of user tasks
 * @trap: the die notifier for breakpoints, which calls arch_trap_regs()
 * @step: called with the registers after a single step; returns true if the program must not
 *	see the step
 * @undefined: called with the registers at an instruction of 64-bit code that is undefined; returns
 *	true if the program must not see the exception
 * @fault: likewise, at an instruction of 64-bit code that has faulted at memory
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int arch_trap_init(notifier_fn_t trap, bool (*step)(struct pt_regs *regs),
		   bool (*undefined)(struct pt_regs *regs), bool (*fault)(struct pt_regs *regs))
{
	trap_nb.notifier_call = trap;
	trap_step = step;
	trap_undefined = undefined;
	trap_fault = fault;
	return register_die_notifier(&trap_nb);
}

/**
 * arch_trap_exit() - stop receiving traps
 *
 * On return no trap is being handled.
 *
 * Context: may sleep.
 */
void arch_trap_exit(void)
{
	unregister_die_notifier(&trap_nb);
	synchronize_rcu();
}

static void trap_nop(void *unused)
{
}

/**
 * arch_trap_quiesce() - wait for all traps in flight
 *
 * A CPU may have fetched a breakpoint that memory no longer holds.  On return the trap function
 * has handled every such trap, and has returned.  RCU takes a CPU in user mode for idle, so each
 * CPU must also take an interrupt.
 *
 * Context: may sleep.
 */
void arch_trap_quiesce(void)
{
	on_each_cpu(trap_nop, NULL, 1);
	synchronize_rcu();
}

void arch_returns_zero(void);
/* Clear eax here: a function that runs before this one (an ftrace direct call) may change it. */
asm(".pushsection .text\n"
	".type arch_returns_zero, @function\n"
	"arch_returns_zero:\n"
	ASM_ENDBR
	"	xorl %eax, %eax\n"
	ASM_RET
	".size arch_returns_zero, . - arch_returns_zero\n"
	".popsection\n");

asm(".pushsection .text\n"
	".globl arch_call_sealed\n"
	".type arch_call_sealed, @function\n"
	"arch_call_sealed:\n"
	ASM_ENDBR
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	pushq %rax\n"
	ASM_RET
	".size arch_call_sealed, . - arch_call_sealed\n"
	".popsection\n");
STACK_FRAME_NON_STANDARD(arch_call_sealed);

/**
 * arch_zero_function() - get the address of a function that returns 0
 *
 * Context: any.
 */
unsigned long arch_zero_function(void)
{
	return (unsigned long)arch_returns_zero;
}

/**
 * arch_return_zero() - make a kernel function return 0 without executing it
 * @regs: the registers at the entry of the function
 *
 * Context: handler of a kprobe, which then returns 1.
 */
void arch_return_zero(struct pt_regs *regs)
{
	regs->ax = 0;
	regs->ip = (unsigned long)arch_returns_zero;
}

static notrace noinline __noclone bool returns_true(void)
{
	return true;
}

/* Likewise, make it return true.  Context: likewise. */
void arch_return_true(struct pt_regs *regs)
{
	regs->ip = (unsigned long)returns_true;
}

/**
 * arch_fault_regs() - get the user registers of a fault at memory that the kernel may fix up
 * @regs: the registers at the entry of ksym_fault_function()
 * @paged: set to whether it is a page fault
 * @fetch: set to whether the instruction could not be fetched (Intel SDM 3A, 4.7: I/D)
 *
 * Context: any.
 * Return: the registers; NULL if it is another exception.
 */
struct pt_regs *arch_fault_regs(const struct pt_regs *regs, bool *paged, bool *fetch)
{
	if (regs->si != X86_TRAP_PF && regs->si != X86_TRAP_GP)
		return NULL;
	*paged = regs->si == X86_TRAP_PF;
	*fetch = *paged && regs->dx & X86_PF_INSTR;
	return (struct pt_regs *)regs->di;
}

/**
 * arch_text_translated() - check whether an emulator may execute a translation of the text
 *
 * An emulator (QEMU's TCG) drops its translation of text just before it carries out a store to
 * the text.  Before the store is seen, it may translate the old bytes again for another CPU.  That
 * translation stays until the next store.
 *
 * Context: any.
 * Return: whether this machine is a virtual one.
 */
bool arch_text_translated(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

static void text_sync(void *unused)
{
	/* The return from an interrupt need not serialize (Intel FRED specification, ERETU). */
	sync_core();
}

/**
 * arch_sync_text() - make all CPUs that execute code of an address space read its text again
 * @mm: the address space
 *
 * A CPU that begins to execute such code meanwhile changes its page tables, which serializes, too.
 *
 * Context: may sleep.
 */
void arch_sync_text(struct mm_struct *mm)
{
	/* A processor that is not in the mask yet fetches what was stored before this. */
	smp_mb();
	on_each_cpu_mask(mm_cpumask(mm), text_sync, NULL, true);
}

bool arch_cpus_known, arch_cpus_quick;

/* Check what rdtscp gives: a hypervisor may have lost the register with the number. */
static void cpu_compare(void *known)
{
	unsigned int cpu, low, high;

	asm volatile("rdtscp" : "=a" (low), "=d" (high), "=c" (cpu));
	if (cpu % PAD_CPUS != smp_processor_id())
		WRITE_ONCE(*(bool *)known, false);
}

/* Likewise, what rdpid gives. */
static void cpu_compare_quick(void *quick)
{
	unsigned long cpu;

	/* rdpid %rax, which not every assembler knows */
	asm volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" : "=a" (cpu));
	if (cpu % PAD_CPUS != smp_processor_id())
		WRITE_ONCE(*(bool *)quick, false);
}

/**
 * arch_clock_init() - find out whether pads may record on this machine, and which counters suit it
 *
 * A counter for each processor takes rdpid.  The other instructions that give the number cost more
 * than the wait for a counter that two threads increment: lsl takes 14 ns on an AMD EPYC.
 *
 * Context: may sleep.
 */
void arch_clock_init(void)
{
	bool known = boot_cpu_has(X86_FEATURE_RDTSCP) && tsc_khz && nr_cpu_ids <= PAD_CPUS;
	bool quick = boot_cpu_has(X86_FEATURE_RDPID) && num_online_cpus() > 1;

	if (known)
		on_each_cpu(cpu_compare, &known, 1);
	WRITE_ONCE(arch_cpus_known, known);
	if (quick)
		on_each_cpu(cpu_compare_quick, &quick, 1);
	WRITE_ONCE(arch_cpus_quick, quick);
}

/**
 * arch_mm_mode() - get the mode of code that an address space was made for
 * @mm: the address space
 *
 * Return: the mode that its program was executed in.
 */
enum uinsn_mode arch_mm_mode(struct mm_struct *mm)
{
	return is_64bit_mm(mm) ? UINSN_MODE_64 : UINSN_MODE_32;
}

/*
 * Check whether an entry of a page table lets programs execute the page.  Return -1 if programs may
 * not access the page at all: NUMA balancing does this to a page for a moment.
 */
static int executable(u64 entry)
{
	if (!(entry & _PAGE_USER))
		return -1;
	return !(entry & _PAGE_NX);
}

/**
 * arch_executable() - check whether the current task can execute the page of an address
 * @mm: its address space
 * @addr: the address, below arch_limit()
 *
 * Read the page tables, as a trap can look at nothing else. The kernel does not free them
 * meanwhile: before it frees a page table, it waits for processors with interrupts off.
 *
 * Context: interrupts off.
 * Return: 1 or 0; -1 if there is no page, or programs may not access it.
 */
int arch_executable(struct mm_struct *mm, unsigned long addr)
{
	pgd_t pgd = READ_ONCE(*pgd_offset(mm, addr));
	p4d_t p4d;
	pud_t pud;
	pmd_t pmd;
	pte_t pte;

	if (pgd_none(pgd) || !pgd_present(pgd))
		return -1;
	p4d = READ_ONCE(*p4d_offset(&pgd, addr));
	if (p4d_none(p4d) || !p4d_present(p4d))
		return -1;
	pud = READ_ONCE(*pud_offset(&p4d, addr));
	if (pud_none(pud) || !pud_present(pud))
		return -1;
	if (pud_leaf(pud))
		return executable(pud_val(pud));
	pmd = READ_ONCE(*pmd_offset(&pud, addr));
	if (pmd_none(pmd) || !pmd_present(pmd))
		return -1;
	if (pmd_leaf(pmd))
		return executable(pmd_val(pmd));
	pte = READ_ONCE(*pte_offset_kernel(&pmd, addr));
	return pte_present(pte) ? executable(pte_val(pte)) : -1;
}

/**
 * arch_uprobe_call() - check whether the kernel's uprobes may have replaced a nop by this text
 * @text: the text
 * @len: number of bytes
 * @addr: address of the text
 * @to: set to the target of the call
 *
 * Uprobes replaces a nop of five bytes by a call. It replaces a nop of ten bytes by an instruction
 * that moves the stack pointer past the red zone (psABI, 3.2.2), and a call.
 *
 * Context: any.
 */
bool arch_uprobe_call(const u8 *text, int len, unsigned long addr, unsigned long *to)
{
	/* lea -0x80(%rsp),%rsp */
	static const u8 past[] = { 0x48, 0x8d, 0x64, 0x24, 0x80 };
	int at = len >= (int)sizeof(past) && !memcmp(text, past, sizeof(past)) ? sizeof(past) : 0;
	s32 rel;

	if (len < at + 5 || text[at] != 0xe8)
		return false;
	memcpy(&rel, text + at + 1, sizeof(rel));
	*to = addr + at + 5 + rel;
	return true;
}

/*
 * Check whether the current task is in the system call mremap(), of any ABI.  64-bit code can make
 * system calls of 32-bit code, too.  The kernel records which ABI the call has used.
 */
static bool arch_in_mremap(const struct pt_regs *regs)
{
	/* The kernel uses only the lower half of orig_ax. */
	int nr = (int)regs->orig_ax;

	if (in_ia32_syscall())
		return nr == IA32_NR_MREMAP;
	/* The call of x32 has the same number and a mark (asm/unistd.h). */
	return nr >= 0 && (nr & ~__X32_SYSCALL_BIT) == __NR_mremap;
}

/**
 * arch_mremap_moves() - get the range that a task asks mremap() to move
 * @regs: user registers of the current task
 * @start: set to the first address of the range
 * @end: set to the first address behind the range
 *
 * Context: any.
 * Return: false if the task is not in that system call.
 */
bool arch_mremap_moves(const struct pt_regs *regs, unsigned long *start, unsigned long *end)
{
	bool wide = !in_ia32_syscall();
	unsigned long len = wide ? min(regs->si, regs->dx) : min((u32)regs->cx, (u32)regs->dx);

	*start = wide ? regs->di : (u32)regs->bx;
	/* The kernel moves whole pages.  If the new size is smaller, it unmaps the rest. */
	*end = *start + PAGE_ALIGN(len);
	return arch_in_mremap(regs);
}

/**
 * arch_mremap_moved() - get the distance by which mremap() has moved a mapping
 * @regs: user registers of the current task after the system call
 *
 * Context: any.
 * Return: the number that was added to the address of the mapping; 0 if it has not moved.
 */
long arch_mremap_moved(const struct pt_regs *regs)
{
	bool wide = !in_ia32_syscall();
	unsigned long from = wide ? regs->di : (u32)regs->bx;
	unsigned long to = wide ? regs->ax : (u32)regs->ax;

	return arch_in_mremap(regs) && !IS_ERR_VALUE(regs->ax) ? to - from : 0;
}
