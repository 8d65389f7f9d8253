/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks of calls, counted: a tree from the outermost functions on. */
#ifndef _USERSPACE_CALL_TREE_H
#define _USERSPACE_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "types.h"

/**
 * struct call_node - a function, as it was called along one path
 * @name: the function
 * @own: number of stacks that end here
 * @total: number of stacks that come through here
 * @v: the functions that are called from here
 * @n: number of @v
 * @cap: capacity of @v
 */
struct call_node {
	char *name;
	u64 own;
	u64 total;
	struct call_node *v;
	size_t n;
	size_t cap;
};

void call_tree_add(struct call_node *root, char *const *names, size_t n, u64 times);
void call_tree_sort(struct call_node *root);
size_t call_tree_depth(const struct call_node *root);
void call_tree_folded(const struct call_node *root, FILE *out);
size_t call_tree_table(const struct call_node *root, size_t top, FILE *out, bool as_json);
void call_tree_free(struct call_node *root);

#endif /* _USERSPACE_CALL_TREE_H */
