/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: memory of a process into which pads write hits, without a trap.
 *
 * A process has a ring for each processor on which it hits such pads: a page.  The heads of all its
 * rings are before them.  A pad reads the time and the number of its processor in one instruction,
 * and writes to that processor's ring (pad.h).
 *
 * The ring is emptied before a thread loses its processor: in the switch to another thread, a
 * trap, or an interrupt for a reader.  The ring handlers are called with the thread as the current
 * task.  So all hits in a ring are of the current task, and the ring keeps their order.  If the
 * thread is just writing a hit, it begins the hit again.
 *
 * The program can write to its rings, too.  So each word is read once, and everything is bounded.
 * A program can only forge its own hits: their registers, and their times since it got the
 * processor.
 */
#ifndef _UPROBES_RING_H
#define _UPROBES_RING_H

#include <linux/atomic.h>
#include <linux/types.h>

struct callback_head;
struct jump;
struct probed_mm;
struct ring;
struct task_struct;

/* Number of processes that have rings. */
extern atomic_t rings_nr;

int ring_get(struct probed_mm *pmm);
void ring_find_clockless(struct probed_mm *pmm);
bool ring_forbid(struct probed_mm *pmm);
int ring_prepare_jump(const struct probed_mm *pmm, struct jump *jump);
void ring_add_jump(struct probed_mm *pmm, struct jump *jump);
void ring_request_page(struct probed_mm *pmm);
void ring_fill(struct probed_mm *pmm);
bool ring_empty(struct probed_mm *pmm);
void ring_flush(struct probed_mm *pmm);
void ring_free(struct probed_mm *pmm);
void rings_empty_here(void);
void rings_switch(struct task_struct *next);
void rings_empty(void);
void rings_disable(bool disable);
const char *ring_missing(const struct probed_mm *pmm);
void rings_exit(void);

/* Check whether a process has rings.  Context: any. */
static __always_inline bool rings_there(void)
{
	return unlikely(atomic_read(&rings_nr));
}

#endif /* _UPROBES_RING_H */
