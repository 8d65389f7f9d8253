/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that walk their own stack: exceptions, forced unwinding (thread
 * cancellation), backtrace().
 *
 * Such a walk would reach the address of the return trampoline.  No unwind table has this address,
 * so the walk would end there.  So in each process with return probes, the module also probes the
 * unwinders: the functions by which the runtimes of C++, Rust and others begin a walk.  A hit of
 * such a probe first restores the real return addresses of the thread.  The calls in flight are not
 * followed any more, and count as missed.
 *
 * The unwinders of a probed mm are watched from before its first return probe is attached.  This
 * ends when it has no return probe, and all followed calls have returned.  A task of the program
 * itself reads the files, when it first calls a return-probed function.
 */
#ifndef _UPROBES_UNWINDER_H
#define _UPROBES_UNWINDER_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "core/probed_mm.h"

struct mm_struct;

int unwinder_init(void);
void unwinder_exit(void);
void unwinder_free(void);
void unwinder_watch(struct probed_mm *pmm);
void unwinder_watch_now(struct probed_mm *pmm);
void unwinder_seek(struct probed_mm *pmm);
void unwinder_watched(struct probed_mm *pmm);
void unwinder_mapped(struct mm_struct *mm);
void unwinder_unwatch_flush(void);
void unwinder_sweep(void);

#endif /* _UPROBES_UNWINDER_H */
