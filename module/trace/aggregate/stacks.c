// SPDX-License-Identifier: GPL-2.0
#include <linux/hash.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "stacks.h"
#include "trace/fetch/stack.h"

/* A stack is in one of this number of places. */
#define PLACES 16U

/**
 * aggregate_stacks_make() - make room for the stacks of a set, if there is none yet
 * @stacks: set to the room, to be freed by kvfree(); charged to the current task
 *
 * Return: 0 or -ENOMEM.
 */
int aggregate_stacks_make(struct aggregate_stacks **stacks)
{
	if (!*stacks)
		*stacks = kvzalloc(sizeof(**stacks), GFP_KERNEL_ACCOUNT);
	return *stacks ? 0 : -ENOMEM;
}

static u64 key_of(const void *probe, pid_t pid, const u64 *addrs, unsigned int nr)
{
	u64 key = ((unsigned long)probe ^ (u64)pid << 40) * GOLDEN_RATIO_64;
	unsigned int i;

	for (i = 0; i < nr; i++)
		key = (key ^ addrs[i] ^ key >> 29) * GOLDEN_RATIO_64;
	return key ?: 1;
}

static void fill(struct aggregate_stack *stack, const void *probe, pid_t pid, const u64 *addrs,
		 unsigned int nr)
{
	stack->probe = probe;
	stack->pid = pid;
	stack->nr = nr;
	memcpy(stack->addrs, addrs, nr * sizeof(*addrs));
	/* Pairs with aggregate_stacks_show(). */
	smp_store_release(&stack->ready, true);
}

/**
 * aggregate_stack_count() - count a hit of the current task by its stack
 * @stacks: the stacks
 * @probe: the probe
 * @regs: the registers
 * @at: where the ip is
 *
 * Context: the trap; other hits may be counted meanwhile.
 * Return: false if there is no place for a new stack.
 */
bool aggregate_stack_count(struct aggregate_stacks *stacks, const void *probe,
			   const struct pt_regs *regs, enum tracer_at at)
{
	pid_t pid = task_tgid_nr(current);
	u64 addrs[TRACER_STACK_MAX], key;
	struct aggregate_stack *stack;
	unsigned int nr, i;
	s64 was;

	nr = tracer_user_stack(regs, at, regs->sp, addrs, ARRAY_SIZE(addrs));
	key = key_of(probe, pid, addrs, nr);
	for (i = 0; i < PLACES; i++) {
		stack = &stacks->v[(hash_64(key, 32) + i) % AGGREGATE_STACKS];
		was = atomic64_read(&stack->key);
		if (!was) {
			was = atomic64_cmpxchg(&stack->key, 0, key);
			if (!was)
				fill(stack, probe, pid, addrs, nr);
		}
		if (!was || was == (s64)key) {
			atomic64_inc(&stack->hits);
			return true;
		}
	}
	return false;
}

/**
 * aggregate_stacks_show() - print the stacks of a probe: "stack NAME HITS PID ADDRESS..."
 * @stacks: the stacks
 * @probe: the probe
 * @name: its name
 * @m: the output
 */
void aggregate_stacks_show(const struct aggregate_stacks *stacks, const void *probe,
			   const char *name, struct seq_file *m)
{
	const struct aggregate_stack *stack;
	unsigned int i;

	for (stack = stacks->v; stack < stacks->v + AGGREGATE_STACKS; stack++) {
		/* Pairs with fill(). */
		if (!smp_load_acquire(&stack->ready) || stack->probe != probe)
			continue;
		/* seq_file calls again with more room. */
		if (seq_has_overflowed(m))
			return;
		seq_printf(m, "stack %s %lld %d", name, (s64)atomic64_read(&stack->hits),
			   stack->pid);
		for (i = 0; i < stack->nr; i++)
			seq_printf(m, " %llx", stack->addrs[i]);
		seq_putc(m, '\n');
	}
}
