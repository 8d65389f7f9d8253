// SPDX-License-Identifier: GPL-2.0
// Parameters of all classes; what callers pass is what their names fetch, at
// every instruction.
#include <stdio.h>
#include <string.h>

struct big { long a, b, c; };
struct two { long x; int y; unsigned int z; };
struct mixed { double d; long l; };
struct floats { long l; float f; float g; };
struct small { signed char a; unsigned char b; short c; int d; };

volatile long sink;

#define CALLED extern "C" __attribute__((noinline, used))

CALLED long many(int p1, long p2, short p3, signed char p4, unsigned int p5,
		 int p6, int p7, long p8, unsigned char p9, double p10)
{
	sink += p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 + (long)p10;
	printf("%d %ld %f\n", p1, p8, p10);
	sink += p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 + (long)p10;
	return p1 + p9;
}

CALLED long structs(small s, two t, mixed m, floats f, double d)
{
	sink += s.a + s.b + s.c + s.d + t.x + t.y + t.z + m.l + (long)m.d;
	printf("%d %ld %f\n", s.a, f.l, d);
	return sink + f.l + (long)f.f + (long)f.g + (long)d + s.c + t.y;
}

CALLED long aligned(int a, long b, double d, big by_value, int c)
{
	alignas(64) char text[64];

	snprintf(text, sizeof(text), "%d %ld %f", a, b, d);
	puts(text);
	return strlen(text) + by_value.b + a + c;
}

CALLED long leaf(long a, float b, big by_value)
{
	return a + (long)b + by_value.c;
}

int main(int argc, char **)
{
	// Not known to the compiler.
	long n = argc;

	many(n - 32, n + 31, -33 * n, -34 * n, n + 0xfffffff0u, n + 35, -37 * n,
	     n + 0x123456789abcdL, n + 199, n + 38.5);
	structs(small{ (signed char)(n - 2), (unsigned char)(n + 199), (short)(n - 4), int(n - 5) },
		two{ n + 5, int(-6 * n), unsigned(n + 0xfffffff0u) }, mixed{ n + 7.5, n + 8 },
		floats{ n + 9, n + 10.5f, n + 11.5f }, n + 12.5);
	aligned(n + 40, n - 42, n + 42.5, big{ n + 43, n + 44, n + 45 }, n + 46);
	leaf(n + 50, n + 51.5f, big{ n + 52, n + 53, n + 54 });
	return 0;
}
