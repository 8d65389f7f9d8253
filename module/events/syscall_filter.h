/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who looks at a system call before it is made: the filters of seccomp, and the user's
 * dispatch of system calls (man 2 prctl, PR_SET_SYSCALL_USER_DISPATCH).
 */
#ifndef _UPROBES_SYSCALL_FILTER_H
#define _UPROBES_SYSCALL_FILTER_H

void syscall_watch(void);
void syscall_unwatch(void);

#endif /* _UPROBES_SYSCALL_FILTER_H */
