// SPDX-License-Identifier: GPL-2.0
/* Prints what its functions return and are given, in the form in which a tracer must show it. */
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#define CALLED __attribute__((noipa))

enum color { red, green = 7, blue = -3 };
enum class level : unsigned char { high = 200, low = 1 };

struct pair {
	double a;
	double b;
};

struct mixed {
	int x;
	double y;
};

struct large {
	long a;
	long b;
	long c;
};

/* Has a copy constructor of its own, so functions return it in memory. */
struct copied {
	int x;
	copied(int n) : x(n) { }
	copied(const copied &other) : x(other.x) { }
};

CALLED static double half(int n) { return n / 2.0; }
CALLED static float quarter(int n) { return n / 4.0f; }
/* Return a value of which only the lowest byte counts: the rest of the register is not zero. */
CALLED static bool odd(int n)
{
	unsigned long dirty = 0x1234567812345600ul | (n & 1);
	bool is;

	asm volatile("mov %1, %%rax; mov %%al, %0" : "=r"(is) : "r"(dirty) : "rax");
	return is;
}
CALLED static int minus(int n) { return -n; }
CALLED static color paint(int n) { return n & 1 ? blue : green; }
CALLED static level measure(int n) { return n & 1 ? level::high : level::low; }
CALLED static color unnamed(int n) { return (color)n; }
CALLED static pair both(int n) { return { n * 1.5, n * 2.5 }; }
CALLED static mixed mix(int n) { return { -n, n * 0.5 }; }
CALLED static large grow(int n) { return { n, n * n, -n }; }
CALLED static copied copy(int n) { return copied(n * 3); }
CALLED static const char *text(int n) { return n & 1 ? "one" : "two"; }
CALLED static const int &refer(const int &n) { return n; }
CALLED static void nothing(int n) { asm volatile("" : : "r"(n)); }

/* Print strings, of which only the first @n characters of @p belong to the text. */
CALLED static void say(const std::string &s, std::string_view v, const char *p, int n)
{
	printf("say: s=\"%s\" v=\"%.*s\" p=\"%.*s\"\n", s.c_str(), (int)v.size(), v.data(), n, p);
}

CALLED static void wide(const wchar_t *w, const char16_t *u, const char32_t *x, size_t n,
			const char *lots)
{
	asm volatile("" : : "r"(w), "r"(u), "r"(x), "r"(n), "r"(lots));
}

/* Like a function of Go, checked() starts again if there was no room. */
extern "C" {
int room;
int checked(int n);
void make_room();
}

void make_room()
{
	room = 1;
}

asm(".text\n"
    ".globl checked\n"
    ".type checked, @function\n"
    "checked:\n"
    "	cmpl	$0, room(%rip)\n"
    "	je	2f\n"
    "	movl	$0, room(%rip)\n"
    "	mov	%edi, %eax\n"
    "	ret\n"
    "2:	push	%rdi\n"
    "	call	make_room\n"
    "	pop	%rdi\n"
    "	jmp	checked\n"
    ".size checked, . - checked");

static char lots[6000];

int main()
{
	memset(lots, 'x', sizeof(lots));
	for (int n = 4; n < 6; n++) {
		printf("half: retval=%g\n", half(n));
		printf("quarter: retval=%g\n", quarter(n));
		printf("odd: retval=%d\n", odd(n));
		printf("minus: retval=%d\n", minus(n));
		printf("paint: retval=%s\n", paint(n) == blue ? "blue" : "green");
		printf("measure: retval=%s\n", measure(n) == level::high ? "high" : "low");
		printf("unnamed: retval=%d\n", unnamed(n));
		pair p = both(n);
		printf("both: retval_a=%g retval_b=%g\n", p.a, p.b);
		mixed m = mix(n);
		printf("mix: retval_x=%d retval_y=%g\n", m.x, m.y);
		large l = grow(n);
		printf("grow: retval_a=%ld retval_b=%ld retval_c=%ld\n", l.a, l.b, l.c);
		printf("copy: retval_x=%d\n", copy(n).x);
		printf("text: retval=%#lx\n", (unsigned long)text(n));
		printf("refer: retval=%#lx\n", (unsigned long)&refer(n));
		say(n & 1 ? "a longer string than fifteen" : "short", std::string_view("alphabeta", 5),
		    "gammadelta", n);
		wide(L"wide-\u03a9", u"clef \U0001d11e \xd800.", U"thirty\u00e9two", n, lots);
		printf("wide: w=\"wide-\u03a9\" u=\"clef \U0001d11e \ufffd.\" x=\"thirty\u00e9two\" part=\"%.*s\"\n",
		       n, "clef \U0001d11e");
		printf("checked: n=%d\n", checked(n));
		nothing(n);
		printf("nothing:\n");
	}
	return 0;
}
