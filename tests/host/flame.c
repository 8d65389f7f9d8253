// SPDX-License-Identifier: GPL-2.0
// test: stacks are counted by path, and drawn; names of any kind are shortened, and escaped in a picture
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/tracer/call_tree.c userspace/tracer/flame.c userspace/util/svg.c userspace/util/utf8.c userspace/util/json.c
// cflags: userspace/symbols/short_name.c userspace/symbols/demangle.c userspace/util/util.c
// cflags: userspace/util/error.c -liberty
/*
 * With an argument, it writes the picture there, and checks nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn/ktap.h"
#include "symbols/short_name.h"
#include "tracer/call_tree.h"
#include "tracer/flame.h"
#include "util/util.h"

static void is(const char *got, const char *wanted, const char *what)
{
	if (!ktap_ok(!strcmp(got, wanted), "%s", what))
		printf("# got:    %s\n# wanted: %s\n", got, wanted);
}

static void add(struct call_node *root, const char *path)
{
	char *names[16], *text = xstrdup(path), *save, *name;
	size_t n = 0;

	/* The innermost function comes first. */
	for (name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save))
		names[n++] = name;
	call_tree_add(root, names, n, 1);
	free(text);
}

static void make(struct call_node *root)
{
	*root = (struct call_node) { .name = xstrdup("all") };
	for (int i = 0; i < 6; i++)
		add(root, "leaf middle base prog");
	add(root, "leaf base prog");
	add(root, "leaf base prog");
	add(root, "operator<<\"&' base prog");
	add(root, "a;b other prog");
	call_tree_sort(root);
}

static char *text_of(void (*write)(const struct call_node *root, FILE *out),
		     const struct call_node *root)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(root, out);
	fclose(out);
	return text;
}

static void table(const struct call_node *root, FILE *out)
{
	fprintf(out, "%zu hidden\n", call_tree_table(root, 1, out, false));
}

static void objects(const struct call_node *root, FILE *out)
{
	call_tree_table(root, 2, out, true);
}

static void draw(const struct call_node *root, FILE *out)
{
	flame_draw(root, "Call paths of <leaf>", out);
}

static void short_names(void)
{
	static const char *const names[][2] = {
		{ "malloc", "malloc" },
		{ "foo.constprop.0", "foo" },
		{ "net/http.(*Client).do", "http.(*Client).do" },
		{ "github.com/a/b.F[go.shape.int/x]", "b.F" },
				/* std::vector<int, std::allocator<int> >::push_back(int&&) */
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back" },
		/* std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*) */
		{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<< " },
		/* ns::s::operator->() */
		{ "_ZN2ns1sptEv", "ns::s::operator->" },
		/* <alloc::string::String as core::fmt::Debug>::fmt */
		{ "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
		  "alloc::string::String::fmt" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *name = short_name(names[i][0]);

		is(name, names[i][1], names[i][0]);
		free(name);
	}
}

int main(int argc, char **argv)
{
	struct call_node root;
	char *text;

	make(&root);
	if (argc > 1) {
		FILE *out = fopen(argv[1], "w");

		if (!out)
			return 1;
		draw(&root, out);
		call_tree_free(&root);
		return fclose(out) ? 1 : 0;
	}
	ktap_plan(18);
	ktap_ok(call_tree_depth(&root) == 5, "the tree has as many levels as the longest path");
	text = text_of(call_tree_folded, &root);
	is(text, "prog;base;leaf 2\nprog;base;middle;leaf 6\nprog;base;operator<<\"&' 1\nprog;other;a:b 1\n",
	   "folded paths");
	free(text);
	text = text_of(table, &root);
	is(text, "     COUNT OF ALL  CALLED BY\n"
	   "         6  60.0%  leaf\n"
	   "                   middle\n"
	   "                   base\n"
	   "                   prog\n"
	   "3 hidden\n", "a table of the top path");
	free(text);
	text = text_of(objects, &root);
	is(text, "{\"hits\":6,\"comm\":\"prog\",\"stack\":[\"leaf\",\"middle\",\"base\"]}\n"
	   "{\"hits\":2,\"comm\":\"prog\",\"stack\":[\"leaf\",\"base\"]}\n", "objects of two paths");
	free(text);
	text = text_of(draw, &root);
	ktap_ok(strstr(text, "<title>leaf (6, 60.00%)</title>"), "a box has a title");
	ktap_ok(strstr(text, "data-name=\"operator&lt;&lt;&quot;&amp;'\""), "names are escaped");
	ktap_ok(strstr(text, ">Call paths of &lt;leaf&gt;</text>"), "so is the title");
	ktap_ok(strstr(text, "x=\"10.00\" y=\"136\" width=\"1180.00\""), "the lowest box is as wide as all");
	add(&root, "bad\xff\xef\xbf\xbf\xc3\xa4 prog");
	free(text);
	text = text_of(draw, &root);
	ktap_ok(strstr(text, "data-name=\"bad??\xc3\xa4\""), "what is no character in XML is left out");
	ktap_ok(!strstr(text, "http://") || strstr(text, "http://www.w3.org/") == strstr(text, "http://"),
		"the picture needs nothing else");
	free(text);
	call_tree_free(&root);
	short_names();
	return ktap_finish();
}
