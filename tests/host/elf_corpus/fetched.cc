// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of all classes. At every instruction, their names must fetch the values that the
 * caller passes.
 */
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

struct flags {
	unsigned int three : 3;
	int five : 5;
	unsigned long many : 50;
	unsigned int beyond : 9;
	int last;
};

CALLED long fields(flags in_registers, flags *in_memory)
{
	sink += in_memory->five + in_registers.beyond;
	return in_registers.three + in_registers.five + in_registers.many + in_memory->last;
}

struct quarters { unsigned short v[4]; };
struct square { unsigned int v[2][2]; };
struct table {
	char head;
	int v[3][200][5];
	char names[2][8];
};
typedef short row[7];

CALLED long arrays(quarters quarters, square square, table *table, row *rows,
		   long (*cube)[3][4])
{
	return quarters.v[1] + square.v[1][0] + table->v[2][199][4] + table->v[1][2][3] + rows[2][3] +
	       table->names[1][2] + cube[1][2][3];
}

/* In an inlined copy, the parameters are constants, which only the debug information has. */
static inline __attribute__((always_inline)) void
copied(int i, unsigned char uc, unsigned int u, short s, unsigned long ul, float f,
       bool b, unsigned short us, signed char sc)
{
	printf("%d %d %u %d %lu %f %d %d %d\n", i, uc, u, s, ul, f, b, us, sc);
}

static const unsigned char known = 200;
static const int also_known = 200;

CALLED long constants(long n)
{
	copied(200, 200, 0xfffffffe, -3, 0xfffffffffffffff0, 2.5f, true, 40000, -100);
	sink += n + known + also_known;
	return sink;
}

int main(int argc, char **)
{
	/* The compiler does not know this value. */
	long n = argc;

	many(n - 32, n + 31, -33 * n, -34 * n, n + 0xfffffff0u, n + 35, -37 * n,
	     n + 0x123456789abcdL, n + 199, n + 38.5);
	structs(small{ (signed char)(n - 2), (unsigned char)(n + 199), (short)(n - 4), int(n - 5) },
		two{ n + 5, int(-6 * n), unsigned(n + 0xfffffff0u) }, mixed{ n + 7.5, n + 8 },
		floats{ n + 9, n + 10.5f, n + 11.5f }, n + 12.5);
	aligned(n + 40, n - 42, n + 42.5, big{ n + 43, n + 44, n + 45 }, n + 46);
	sink += leaf(n + 50, n + 51.5f, big{ n + 52, n + 53, n + 54 });
	flags f{ unsigned(n + 5), int(-n - 11), (unsigned long)n + 0x2000000000001, unsigned(n + 299), int(-n) };
	fields(f, &f);
	table t{};
	short rows[3][7]{};
	long cube[2][3][4]{};
	t.v[2][199][4] = int(-55 * n);
	t.v[1][2][3] = int(56 * n);
	t.names[1][2] = 'x';
	rows[2][3] = short(-57 * n);
	cube[1][2][3] = 58 * n;
	sink += arrays(quarters{ { 60, (unsigned short)(n + 65000), 62, 63 } },
	       square{ { { 64, 65 }, { unsigned(n + 0xfffffff0u), 67 } } }, &t, rows, cube);
	constants(n);
	return 0;
}
