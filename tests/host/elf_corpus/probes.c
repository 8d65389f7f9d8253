// SPDX-License-Identifier: GPL-2.0
/*
 * Static probes with 0 to 12 arguments, which are integers of all types, in C and C++. The
 * compiler does not know their values, but elf_sdt_builds does.
 */
#include <stdbool.h>

#include "sdt.h"

#define KEPT __attribute__((noinline))

#ifdef __cplusplus
#define PLAIN extern "C"
#else
#define PLAIN
#endif

/* The size of a value, negative if its type is unsigned: %n prints it negated. */
#define SIZE(x) \
	((__typeof__(x))-1 < (__typeof__(x))1 ? (int)sizeof(x) : -(int)sizeof(x))

#define ARG(n) "%n[s" #n "]@%[a" #n "]"
#define ARGS_3 ARG(0) " " ARG(1) " " ARG(2)
#define ARGS_5 ARGS_3 " " ARG(3) " " ARG(4)
#define OF(n, x) \
	[s##n] "n" (SIZE(x)), [a##n] "nor" (x)

enum color { red, green = 7, blue = -3 };
enum shade { light = 1, dark = 200 };
struct pair { int a, b; };

/* The first is only in memory, the second is also in the file. */
static int numbers[3];
static int filed[2] = { 1, 2 };

KEPT static void no_argument(void)
{
	asm volatile(SDT_PROBE("builds", "none", "0", ""));
}

KEPT static void narrow(signed char sc, unsigned char uc, short s, unsigned short us, char c)
{
	asm volatile(SDT_PROBE("builds", "narrow", "0", ARGS_5)
		     : : OF(0, sc), OF(1, uc), OF(2, s), OF(3, us), OF(4, c));
}

KEPT static void wide(int i, unsigned int u, long l, unsigned long ul, long long ll)
{
	asm volatile(SDT_PROBE("builds", "wide", "0", ARGS_5)
		     : : OF(0, i), OF(1, u), OF(2, l), OF(3, ul), OF(4, ll));
}

/* A volatile variable is read from memory, once for each use. */
KEPT static void qualified(const int ci, volatile short vs, const volatile unsigned char cvc)
{
	asm volatile(SDT_PROBE("builds", "qualified", "0", ARGS_3)
		     : : OF(0, ci), OF(1, vs), OF(2, cvc));
}

KEPT static void enumerated(enum color color, enum shade shade, bool yes)
{
	asm volatile(SDT_PROBE("builds", "enumerated", "0", ARGS_3)
		     : : OF(0, color), OF(1, shade), OF(2, yes));
}

KEPT static void pointed(int *numbers, const char *text, struct pair *pair, struct pair **to)
{
	asm volatile(SDT_PROBE("builds", "pointed", "0", ARGS_3 " " ARG(3))
		     : : OF(0, numbers), OF(1, text), OF(2, pair), OF(3, to));
}

/* Members, elements and constants: arguments without a variable. */
KEPT static void expressions(struct pair *pair, int n)
{
	asm volatile(SDT_PROBE("builds", "expressions", "0", ARGS_5)
		     : : OF(0, pair->b), OF(1, numbers[1]), OF(2, n * 3 + 1), OF(3, 4711),
			 OF(4, filed[1]));
}

/* More arguments than registers. */
KEPT static void twelve(long a, long b, long c, long d, long e, long f, long g, long h)
{
	long i = a + 100, j = b + 100, k = c + 100, l = d + 100;

	asm volatile(SDT_PROBE("builds", "twelve", "0",
			       ARGS_5 " " ARG(5) " " ARG(6) " " ARG(7) " " ARG(8) " "
			       ARG(9) " " ARG(10) " " ARG(11))
		     : : OF(0, a), OF(1, b), OF(2, c), OF(3, d), OF(4, e), OF(5, f), OF(6, g),
			 OF(7, h), OF(8, i), OF(9, j), OF(10, k), OF(11, l));
}

/* One probe with a place in each inlined copy. */
static inline __attribute__((always_inline)) void copied(int where, long value)
{
	asm volatile(SDT_PROBE("builds", "copied", "0", ARG(0) " " ARG(1))
		     : : OF(0, where), OF(1, value));
}

PLAIN unsigned short counted_semaphore;
unsigned short counted_semaphore __attribute__((section(".probes"), used));

KEPT static void counted(int n)
{
	asm volatile(SDT_PROBE("builds", "counted", "counted_semaphore", ARG(0)) : : OF(0, n));
}

int main(int argc, char **argv)
{
	struct pair pair = { 10 + argc, 20 + argc }, *to = &pair;
	long n = argc;

	(void)argv;
	for (int i = 0; i < 3; i++)
		numbers[i] = 30 + i + argc;
	filed[1] = argc + 80;
	no_argument();
	narrow((signed char)-n, (unsigned char)(199 + n), (short)(-300 * n),
	       (unsigned short)(64999 + n), 'x');
	wide((int)(-70000 * n), (unsigned int)(4000000000u + n), -5000000000l * n,
	     18000000000000000000ul + n, 6000000000ll + n);
	qualified(argc + 41, (short)(-42 * n), (unsigned char)(n + 242));
	enumerated(argc ? blue : green, argc ? dark : light, argc == 1);
	pointed(numbers, "text", &pair, &to);
	expressions(&pair, argc + 50);
	twelve(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);
	copied(1, n + 60);
	copied(2, -n - 60);
	counted(argc + 70);
	return 0;
}
