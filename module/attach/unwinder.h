/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that walk their own stack: exceptions, forced unwinding (thread
 * cancellation), backtrace().
 *
 * They would come upon the address of the return trampoline, which no unwind
 * table knows, and end there.  So, in each process with return probes, the
 * functions by which the runtimes of C++, Rust and others begin to walk are
 * probed as well, and put the real return addresses of the thread back first.
 * The calls that were under way are followed no more, and count as missed.
 *
 * An image is watched from before its first return probe is attached until it
 * has none and all calls that were hijacked have returned.  Its files are read
 * by a task of its own, when that first calls a return-probed function.
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
void unwinder_unwatch_later(void);
void unwinder_sweep(void);

#endif /* _UPROBES_UNWINDER_H */
