/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters that look at a system call before it is made: those of seccomp, and syscall user
 * dispatch (man 2 prctl, PR_SET_SYSCALL_USER_DISPATCH).
 */
#ifndef _UPROBES_SYSCALL_FILTER_H
#define _UPROBES_SYSCALL_FILTER_H

void syscall_watch(void);
void syscall_unwatch(void);

#endif /* _UPROBES_SYSCALL_FILTER_H */
