/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols that the kernel has but does not export.
 */
#ifndef _UPROBES_KSYM_H
#define _UPROBES_KSYM_H

struct kprobe;
struct tracepoint;

struct tracepoint *ksym_tracepoint(const char *name);
int ksym_redirect(struct kprobe *kp);
int ksym_permission(unsigned long *addr);
const char *ksym_map_function(void);
const char *ksym_fork_function(void);
const char *ksym_signal_function(void);
const char *ksym_ptrace_function(void);
const char *ksym_syscall_filter_function(unsigned int i);
const char *ksym_userfault_function(void);
const char *ksym_fault_function(void);
const char *ksym_rseq_function(unsigned int i);
const char *ksym_text_function(unsigned int i);
const char *ksym_access_function(unsigned int i);
const char *ksym_sigreturn_function(unsigned int i);
const char *ksym_clock_function(unsigned int i);

#endif /* _UPROBES_KSYM_H */
