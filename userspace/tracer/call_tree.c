// SPDX-License-Identifier: GPL-2.0
#include "call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/util.h"

static struct call_node *find_child(struct call_node *node, const char *name)
{
	for (size_t i = 0; i < node->n; i++)
		if (!strcmp(node->v[i].name, name))
			return &node->v[i];
	node->v = grow(node->v, node->n, &node->cap, sizeof(*node->v));
	node->v[node->n] = (struct call_node) { .name = xstrdup(name) };
	return &node->v[node->n++];
}

/**
 * call_tree_add() - count a stack
 * @root: the tree; its name is that of all stacks
 * @names: the functions, the innermost one first
 * @n: number of @names
 * @times: how often the stack was met
 */
void call_tree_add(struct call_node *root, char *const *names, size_t n, u64 times)
{
	struct call_node *node = root;

	node->total += times;
	while (n) {
		node = find_child(node, names[--n]);
		node->total += times;
	}
	node->own += times;
}

static int by_name(const void *pa, const void *pb)
{
	const struct call_node *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

/** call_tree_sort() - sort the functions that each function calls by name */
void call_tree_sort(struct call_node *root)
{
	if (root->n)
		qsort(root->v, root->n, sizeof(*root->v), by_name);
	for (size_t i = 0; i < root->n; i++)
		call_tree_sort(&root->v[i]);
}

/** call_tree_depth() - get the number of levels */
size_t call_tree_depth(const struct call_node *root)
{
	size_t depth = 0;

	for (size_t i = 0; i < root->n; i++) {
		size_t below = call_tree_depth(&root->v[i]);

		if (below > depth)
			depth = below;
	}
	return depth + 1;
}

/**
 * struct call_path - a path through the tree
 * @v: its nodes, the outermost one first
 * @n: number of @v
 */
struct call_path {
	const struct call_node **v;
	size_t n;
};

typedef void path_fn(const struct call_path *path, void *data);

/* Call @fn for each path on which stacks end. */
static void walk(const struct call_node *node, struct call_path *path, path_fn *fn, void *data)
{
	path->v[path->n++] = node;
	if (node->own)
		fn(path, data);
	for (size_t i = 0; i < node->n; i++)
		walk(&node->v[i], path, fn, data);
	path->n--;
}

static void walk_all(const struct call_node *root, path_fn *fn, void *data)
{
	struct call_path path = {
		.v = xcalloc(call_tree_depth(root), sizeof(*path.v)),
	};

	walk(root, &path, fn, data);
	free(path.v);
}

static void print_folded(const struct call_path *path, void *data)
{
	FILE *out = data;

	for (size_t i = 1; i < path->n; i++) {
		if (i > 1)
			putc(';', out);
		/* A semicolon ends a name. */
		for (const char *p = path->v[i]->name; *p; p++)
			putc(*p == ';' ? ':' : *p, out);
	}
	fprintf(out, " %llu\n", (unsigned long long)path->v[path->n - 1]->own);
}

/**
 * call_tree_folded() - write a line for each path: names from the outermost on, and a number
 * @root: the tree
 * @out: the output file
 */
void call_tree_folded(const struct call_node *root, FILE *out)
{
	walk_all(root, print_folded, out);
}

/**
 * struct path_list - copies of paths
 * @v: the paths
 * @n: number of @v
 * @cap: capacity of @v
 */
struct path_list {
	struct call_path *v;
	size_t n;
	size_t cap;
};

static void collect(const struct call_path *path, void *data)
{
	struct path_list *list = data;
	struct call_path copy = { .v = xcalloc(path->n, sizeof(*copy.v)), .n = path->n };

	memcpy(copy.v, path->v, path->n * sizeof(*copy.v));
	list->v = grow(list->v, list->n, &list->cap, sizeof(*list->v));
	list->v[list->n++] = copy;
}

static int by_number(const void *pa, const void *pb)
{
	const struct call_path *a = pa, *b = pb;
	u64 na = a->v[a->n - 1]->own, nb = b->v[b->n - 1]->own;

	return na < nb ? 1 : na > nb ? -1 : 0;
}

/* The innermost function comes first, as in a backtrace. */
static void print_path(const struct call_path *path, u64 all, FILE *out)
{
	u64 own = path->v[path->n - 1]->own;

	fprintf(out, "%10llu %5.1f%%  ", (unsigned long long)own, 100.0 * own / all);
	for (size_t i = path->n - 1; i > 0; i--)
		fprintf(out, "%*s%s\n", i == path->n - 1 ? 0 : 19, "", path->v[i]->name);
}

/* The outermost name is that of the task. */
static void print_json(const struct call_path *path, FILE *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_number(&json, "hits", path->v[path->n - 1]->own);
	json_text(&json, "comm", path->v[1]->name);
	json_open(&json, "stack", '[');
	for (size_t i = path->n - 1; i > 1; i--)
		json_text(&json, NULL, path->v[i]->name);
	json_close(&json, ']');
	json_end(&json);
}

/**
 * call_tree_table() - print the paths with the most stacks
 * @root: the tree
 * @top: number of paths
 * @out: the output file
 * @as_json: write objects
 *
 * Return: the number of paths that are not printed.
 */
size_t call_tree_table(const struct call_node *root, size_t top, FILE *out, bool as_json)
{
	struct path_list list = { 0 };
	size_t hidden;

	walk_all(root, collect, &list);
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_number);
	if (!as_json)
		fprintf(out, "%10s %6s  CALLED BY\n", "COUNT", "OF ALL");
	for (size_t i = 0; i < list.n; i++) {
		if (i < top && as_json && list.v[i].n > 1)
			print_json(&list.v[i], out);
		else if (i < top && !as_json)
			print_path(&list.v[i], root->total, out);
		free(list.v[i].v);
	}
	free(list.v);
	hidden = list.n > top ? list.n - top : 0;
	return hidden;
}

/** call_tree_free() - free the tree, but not the root itself */
void call_tree_free(struct call_node *root)
{
	for (size_t i = 0; i < root->n; i++)
		call_tree_free(&root->v[i]);
	free(root->v);
	free(root->name);
	memset(root, 0, sizeof(*root));
}
