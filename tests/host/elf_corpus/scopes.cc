// SPDX-License-Identifier: GPL-2.0
/* Functions in namespaces, types and functions. elf_scopes uses their names and lines. */
#include <cstdio>

#define KEPT __attribute__((noinline))
#define UNKNOWN __asm__ volatile("" ::: "memory")

namespace space {

struct pair {
	int a, b;
};

struct object {
	int own;

	KEPT long method(long first, long second);
	static KEPT long within(long third, long fourth)
	{
		UNKNOWN;
		return third * 3 + fourth;
	}
};

KEPT long object::method(long first, long second)
{
	UNKNOWN;
	return first + second + own;
}

namespace deeper {

KEPT long visible(long one, pair *two)
{
	for (int i = 0; i < one; i++)
		printf("%d\n", i);	/* line in a namespace */
	return two->a + one;
}

} /* namespace deeper */
} /* namespace space */

extern "C" KEPT long with_local(long fifth, long sixth)
{
	struct local {
		static KEPT long deep(long seventh, long eighth)
		{
			UNKNOWN;
			return seventh ^ eighth;
		}
	};

	UNKNOWN;
	return local::deep(sixth, fifth);
}

int main(int argc, char **)
{
	space::object o = { argc };
	space::pair p = { argc, 2 };

	return o.method(1, argc) + space::object::within(argc, 2) +
	       space::deeper::visible(argc, &p) + with_local(argc, 3);
}
