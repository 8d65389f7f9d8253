// SPDX-License-Identifier: GPL-2.0
// test: floating-point numbers print with the fewest digits, and read back like in the C library
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -finstrument-functions
// cflags: -Itests/host/parse_shim -Imodule module/trace/lib/decimal.c
#include <linux/kernel.h>

#include <math.h>

#include "trace/lib/decimal.h"
#include "insn/ktap.h"

/*
 * Number of function calls. Each operation on a large number is one call, and a large number has
 * 40 words at most.
 */
static unsigned long calls;

void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);

__attribute__((no_instrument_function))
void __cyg_profile_func_enter(void *function, void *from)
{
	calls++;
}

__attribute__((no_instrument_function))
void __cyg_profile_func_exit(void *function, void *from)
{
}

static u64 state = 0x9e3779b97f4a7c15;

static u64 random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double as_double(u64 bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static u64 bits_of(double d)
{
	u64 bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static float as_float(u32 bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static u32 float_bits(float f)
{
	u32 bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Return: the number of significant digits in a printed number. */
static unsigned int digits_in(const char *s)
{
	unsigned int n = 0, zeros = 0;

	for (; *s && *s != 'e'; s++) {
		if (!isdigit((unsigned char)*s))
			continue;
		if (*s == '0') {
			zeros += n > 0;
			continue;
		}
		n += 1 + zeros;
		zeros = 0;
	}
	return n;
}

/* Return: the fewest digits with which printf() prints the same number. */
static unsigned int fewest_digits(double d, bool single)
{
	unsigned int n;
	char text[64];

	for (n = 1; n < 17; n++) {
		snprintf(text, sizeof(text), "%.*e", n - 1, d);
		if (single ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
			break;
	}
	snprintf(text, sizeof(text), "%.*e", n - 1, d);
	return digits_in(text);
}

static bool try_double(u64 bits)
{
	char text[TRACER_DECIMAL_MAX];
	double d = as_double(bits);
	u64 back = 0;

	if (isnan(d) || isinf(d))
		return true;
	tracer_decimal_print(bits, 8, text);
	if (bits_of(strtod(text, NULL)) == bits &&
	    digits_in(text) <= fewest_digits(d, false) &&
	    !tracer_decimal_parse(text, strlen(text), 8, &back) && back == bits)
		return true;
	ktap_note("%.17g prints as %s, reads back as %.17g", d, text, as_double(back));
	return false;
}

static bool try_float(u32 bits)
{
	char text[TRACER_DECIMAL_MAX];
	float f = as_float(bits);
	u64 back = 0;

	if (isnan(f) || isinf(f))
		return true;
	tracer_decimal_print(bits, 4, text);
	if (float_bits(strtof(text, NULL)) == bits &&
	    digits_in(text) <= fewest_digits(f, true) &&
	    !tracer_decimal_parse(text, strlen(text), 4, &back) && back == bits)
		return true;
	ktap_note("%.9g prints as %s, reads back as %.9g", f, text, as_float(back));
	return false;
}

static const struct {
	double value;
	const char *text;
} known[] = {
	{ 0.0, "0" }, { -0.0, "-0" }, { 1, "1" }, { -1.5, "-1.5" }, { 0.1, "0.1" },
	{ 100, "100" }, { 123456789012345680.0, "1.2345678901234568e+17" },
	{ 0.001, "0.001" }, { 0.00001, "1e-05" }, { 1e22, "1e+22" },
	{ 1.7976931348623157e308, "1.7976931348623157e+308" },
	{ 5e-324, "5e-324" }, { 2.2250738585072014e-308, "2.2250738585072014e-308" },
	{ 9007199254740993.0, "9007199254740992" }, { 3.14, "3.14" },
	{ INFINITY, "inf" }, { -INFINITY, "-inf" }, { NAN, "nan" }, { -NAN, "nan" },
};

static const char * const bad[] = {
	"", "-", ".", "e5", "1e", "1e+", "1x", "1.2.3", "0x10", " 1", "1 ", "1e99999",
	"12345678901234567890", "inf", "nan", "1e309", "--1",
};

static void test_reading(void)
{
	unsigned int i, wrong = 0;
	char text[64];
	u64 bits;

	for (i = 0; i < 4000; i++) {
		snprintf(text, sizeof(text), "%s%llu.%llue%d",
			 random_bits() & 1 ? "-" : "",
			 (unsigned long long)random_bits() % 1000000000,
			 (unsigned long long)random_bits() % 1000000000,
			 (int)(random_bits() % 640) - 330);
		bits = 0;
		if (tracer_decimal_parse(text, strlen(text), 8, &bits))
			bits = bits_of(text[0] == '-' ? -INFINITY : INFINITY);
		if (bits == bits_of(strtod(text, NULL)))
			continue;
		ktap_note("%s reads as %.17g", text, as_double(bits));
		wrong++;
	}
	ktap_ok(!wrong, "random numbers are read as strtod() reads them");
}

static void test_order(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < 100000; i++) {
		u64 a = random_bits(), b = i & 1 ? a ^ 1ULL << random_bits() % 64 : random_bits();
		double x = as_double(a), y = as_double(b);
		s64 order_x, order_y;
		bool numbers = tracer_decimal_order(a, 8, &order_x);

		numbers = tracer_decimal_order(b, 8, &order_y) && numbers;
		if (numbers != (!isnan(x) && !isnan(y)))
			wrong++;
		else if (numbers && (order_x < order_y ? x >= y :
				     order_x > order_y ? x <= y : x != y))
			wrong++;
	}
	ktap_ok(!wrong, "random numbers compare as in the processor");
}

static unsigned long work_of(u64 bits)
{
	char text[TRACER_DECIMAL_MAX];
	unsigned long before = calls;

	tracer_decimal_print(bits, 8, text);
	return calls - before;
}

/* The module prints numbers in traps: none may take much longer than others. */
static void test_work(void)
{
	static const double far[] = { 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308 };
	unsigned long most = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(far); i++)
		most = max(most, work_of(bits_of(far[i])));
	for (i = 0; i < 4000; i++)
		most = max(most, work_of(random_bits()));
	ktap_note("%lu operations", most);
	ktap_ok(most > 0 && most < 800,
		"no number takes more than 800 operations on large numbers");
}

int main(void)
{
	unsigned int i, wrong;
	char text[TRACER_DECIMAL_MAX];
	u64 bits;

	ktap_plan(ARRAY_SIZE(known) + ARRAY_SIZE(bad) + 5);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		tracer_decimal_print(bits_of(known[i].value), 8, text);
		ktap_ok(!strcmp(text, known[i].text), "%.17g is printed as %s",
			known[i].value, text);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		ktap_ok(tracer_decimal_parse(bad[i], strlen(bad[i]), 8, &bits) < 0,
			"\"%s\" is no number", bad[i]);

	for (i = 0, wrong = 0; i < 4000; i++) {
		wrong += !try_double(random_bits());
		/*
		 * Powers of two, where the distance between numbers changes, and their
		 * neighbours.
		 */
		if (i < 2047 * 3)
			wrong += !try_double(((u64)(i / 3) << 52) + i % 3 - (i > 2));
	}
	ktap_ok(!wrong, "double: numbers have the fewest digits, and read back the same");
	for (i = 0, wrong = 0; i < 4000; i++) {
		wrong += !try_float(random_bits());
		if (i < 255 * 3)
			wrong += !try_float(((u32)(i / 3) << 23) + i % 3 - (i > 2));
	}
	ktap_ok(!wrong, "float: numbers have the fewest digits, and read back the same");
	test_reading();
	test_order();
	test_work();
	return ktap_finish();
}
