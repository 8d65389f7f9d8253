/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Epilogues: the instructions in front of a return instruction.  A thread that executes
 * the first one goes on to the return.  At the return itself, there is mostly no room for a jump.
 */
#ifndef _USERSPACE_EPILOGUE_H
#define _USERSPACE_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode.h"

/* So many instructions are looked at in front of a return. */
#define EPILOGUE_MAX 8

/**
 * struct epilogue - what is in front of a return instruction
 * @ret: its address
 * @n: number of instructions from which it is reached, if no branch leads between them
 * @back: for each of these, the nearest first, how many bytes it is before @ret
 * @below: by how much the stack pointer is there below that at @ret, in bytes
 */
struct epilogue {
	u64 ret;
	unsigned int n;
	u8 back[EPILOGUE_MAX];
	u16 below[EPILOGUE_MAX];
};

/**
 * struct epilogues - the epilogues of a function
 * @v: the epilogues
 * @n: number of @v
 * @cap: capacity of @v
 * @targets: addresses that branches of the function lead to
 * @n_targets: number of @targets
 * @cap_targets: capacity of @targets
 * @sorted: @targets are in order
 */
struct epilogues {
	struct epilogue *v;
	size_t n;
	size_t cap;
	u64 *targets;
	size_t n_targets;
	size_t cap_targets;
	bool sorted;
};

void epilogues_scan(struct epilogues *epilogues, const u8 *text, size_t len, u64 addr);
void epilogues_add_target(struct epilogues *epilogues, u64 target);
bool epilogues_branch_to(struct epilogues *epilogues, u64 addr);
u64 epilogues_find(struct epilogues *epilogues, u64 ret, u64 entry, u16 *below);
void epilogues_free(struct epilogues *epilogues);

#endif /* _USERSPACE_EPILOGUE_H */
