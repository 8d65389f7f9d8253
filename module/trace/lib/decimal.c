// SPDX-License-Identifier: GPL-2.0
/*
 * Floating-point numbers in decimal.
 *
 * Printing gives the fewest digits that read back as the same number (the
 * free-format algorithm of Steele and White).  Reading gives the nearest number,
 * and in a tie the even one.  Reading bisects all numbers: without their sign,
 * numbers have the same order as their bit patterns.
 *
 * The kernel does this, and not the helper: "cat trace" shows decimals, and filters that are
 * written by echo compare with them.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "decimal.h"

#define WORDS		40	/* 32 bits each, for 2^64 times 10^345 */
#define EXPONENT_MAX	345	/* of a number to be read; beyond it, the number is 0 or infinite */
#define DIGITS_MAX	19	/* of a number to be read */

/**
 * struct layout - a format of IEEE 754
 * @fraction: bits of the fraction
 * @exponent: bits of the exponent
 */
struct layout {
	unsigned int fraction;
	unsigned int exponent;
};

/**
 * struct large - a large integer; an overflow gives the largest one
 * @word: least significant word first; words from @n on are zero
 * @n: words in use; the last of them is not zero
 */
struct large {
	u32 word[WORDS];
	unsigned int n;
};

static struct layout layout_of(unsigned int size)
{
	return size == 4 ? (struct layout){ 23, 8 } : (struct layout){ 52, 11 };
}

/* Adjust @a->n after words at the top have become zero. */
static void trim(struct large *a)
{
	while (a->n && !a->word[a->n - 1])
		a->n--;
}

static void set(struct large *a, u64 value)
{
	memset(a, 0, sizeof(*a));
	a->word[0] = (u32)value;
	a->word[1] = value >> 32;
	a->n = 2;
	trim(a);
}

static void set_largest(struct large *a)
{
	memset(a->word, 0xff, sizeof(a->word));
	a->n = WORDS;
}

static void multiply(struct large *a, u32 by)
{
	u64 carry = 0;
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		carry += (u64)a->word[i] * by;
		a->word[i] = (u32)carry;
		carry >>= 32;
	}
	if (carry && i == WORDS)
		set_largest(a);
	else if (carry)
		a->word[a->n++] = (u32)carry;
}

/* Multiply @a by a power of @base, with as many factors at once as fit in a word. */
static void power(struct large *a, u32 base, unsigned int exponent)
{
	u32 limit = ~0U / base, factor = 1;

	while (exponent--) {
		if (factor > limit) {
			multiply(a, factor);
			factor = 1;
		}
		factor *= base;
	}
	multiply(a, factor);
}

static void shift(struct large *a, unsigned int by)
{
	unsigned int words = by / 32;

	if (!a->n)
		return;
	if (a->n + words > WORDS) {
		set_largest(a);
		return;
	}
	memmove(a->word + words, a->word, a->n * sizeof(a->word[0]));
	memset(a->word, 0, words * sizeof(a->word[0]));
	a->n += words;
	multiply(a, 1U << by % 32);
}

static int compare(const struct large *a, const struct large *b)
{
	unsigned int i = a->n;

	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	while (i--) {
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	}
	return 0;
}

/* The caller makes sure that the sum fits. */
static void add(struct large *a, const struct large *b)
{
	unsigned int n = max(a->n, b->n), i;
	u64 carry = 0;

	for (i = 0; i < n; i++) {
		carry += (u64)a->word[i] + b->word[i];
		a->word[i] = (u32)carry;
		carry >>= 32;
	}
	if (carry)
		a->word[n++] = (u32)carry;
	a->n = n;
}

/* The caller makes sure that @b is not more than @a. */
static void subtract(struct large *a, const struct large *b)
{
	unsigned int i;
	u64 borrow = 0;

	for (i = 0; i < a->n; i++) {
		borrow = (u64)a->word[i] - b->word[i] - borrow;
		a->word[i] = (u32)borrow;
		borrow = borrow >> 63;
	}
	trim(a);
}

/* Split a number: it is *@mantissa times 2 to the power of the result. */
static int take_apart(u64 bits, struct layout l, u64 *mantissa)
{
	int exponent = bits >> l.fraction & ((1U << l.exponent) - 1);
	int bias = (1 << (l.exponent - 1)) - 1 + (int)l.fraction;

	*mantissa = bits & ((1ULL << l.fraction) - 1);
	if (!exponent)
		return 1 - bias;
	*mantissa |= 1ULL << l.fraction;
	return exponent - bias;
}

/**
 * struct digits - the search for the digits of a number
 * @rest: the part of the number that has no digits yet
 * @scale: the unit of @rest; the next digit is the quotient
 * @up: half of the distance to the next larger number
 * @down: half of the distance to the next smaller number
 * @even: a decimal half-way to a neighbour is read back as this number
 */
struct digits {
	struct large rest;
	struct large scale;
	struct large up;
	struct large down;
	bool even;
};

/* Check whether @d->rest can be rounded up to a unit: that still reads back as the number. */
static bool reaches(const struct digits *d)
{
	struct large sum = d->rest;
	int order;

	add(&sum, &d->up);
	order = compare(&sum, &d->scale);
	return d->even ? order >= 0 : order > 0;
}

static void next_decimal(struct digits *d)
{
	multiply(&d->rest, 10);
	multiply(&d->up, 10);
	multiply(&d->down, 10);
}

/*
 * Set up @d.  The number is @d->rest / @d->scale times 10 to the power of the result.
 * The result is the place of the decimal point, counted from the first digit.
 *
 * This runs in the trap, so it has to be fast.  Estimate the power of ten instead of
 * searching for it one digit at a time.  Multiply by its factors of two with shifts.
 * Omit the shift that all numbers of @d have in common.
 */
static int start_digits(struct digits *d, u64 bits, struct layout l)
{
	/* Below a power of two, numbers are twice as close to each other as above it. */
	bool uneven = !(bits & ((1ULL << l.fraction) - 1)) &&
		      bits >> l.fraction > 1;
	unsigned int to_scale, to_others, common;
	int exponent, point;
	u64 mantissa;

	exponent = take_apart(bits, l, &mantissa);
	/*
	 * The decimal logarithm of two is about 1233 / 4096.  The estimate is right, or
	 * too small by one.
	 */
	point = ((exponent + fls64(mantissa) - 1) * 1233 >> 12) + 1;
	d->even = !(mantissa & 1);
	set(&d->rest, mantissa);
	set(&d->scale, 1);
	set(&d->up, 1);
	set(&d->down, 1);
	if (point > 0) {
		power(&d->scale, 5, point);
	} else {
		power(&d->rest, 5, -point);
		power(&d->up, 5, -point);
		d->down = d->up;
	}
	to_scale = 1 + uneven + max(-exponent, 0) + max(point, 0);
	to_others = max(exponent, 0) + max(-point, 0);
	common = min(to_scale, to_others);
	shift(&d->scale, to_scale - common);
	shift(&d->rest, to_others - common + 1 + uneven);
	shift(&d->up, to_others - common + uneven);
	shift(&d->down, to_others - common);

	while (reaches(d)) {
		multiply(&d->scale, 10);
		point++;
	}
	for (;;) {
		struct large sum = d->rest;
		int order;

		add(&sum, &d->up);
		multiply(&sum, 10);
		order = compare(&sum, &d->scale);
		if (order > 0 || (!order && d->even))
			return point;
		next_decimal(d);
		point--;
	}
}

static unsigned int find_digits(struct digits *d, char *digits)
{
	unsigned int n = 0, digit;
	bool low, high;
	int order;

	do {
		next_decimal(d);
		for (digit = 0; compare(&d->rest, &d->scale) >= 0; digit++)
			subtract(&d->rest, &d->scale);
		order = compare(&d->rest, &d->down);
		low = d->even ? order <= 0 : order < 0;
		high = reaches(d);
		if (low && high) {
			shift(&d->rest, 1);
			high = compare(&d->rest, &d->scale) >= 0;
		}
		digits[n++] = '0' + digit + high;
	} while (!low && !high);
	return n;
}

/* Write the number as 0.00123, 123.4 or 1.234e+56. */
static void lay_out(char *text, const char *digits, unsigned int n, int point)
{
	int i;

	if (point < -3 || point > 17) {
		*text++ = digits[0];
		if (n > 1)
			*text++ = '.';
		memcpy(text, digits + 1, n - 1);
		sprintf(text + n - 1, "e%+03d", point - 1);
		return;
	}
	if (point <= 0) {
		*text++ = '0';
		*text++ = '.';
		for (i = point; i < 0; i++)
			*text++ = '0';
	}
	for (i = 0; i < (int)n || i < point; i++) {
		if (i && i == point)
			*text++ = '.';
		*text++ = i < (int)n ? digits[i] : '0';
	}
	*text = '\0';
}

/**
 * tracer_decimal_print() - print a floating-point number
 * @bits: the number
 * @size: 4 or 8 bytes of it
 * @text: room for %TRACER_DECIMAL_MAX characters
 *
 * Context: any; 1 KiB of stack is needed.
 */
void tracer_decimal_print(u64 bits, unsigned int size, char *text)
{
	struct layout l = layout_of(size);
	u64 infinity = ((1ULL << l.exponent) - 1) << l.fraction;
	char digits[20];
	struct digits d;
	bool negative = bits >> (size * 8 - 1) & 1;
	int point;

	bits &= ~(1ULL << (size * 8 - 1));
	/* The sign of a NaN has no meaning. */
	if (bits > infinity) {
		memcpy(text, "nan", sizeof("nan"));
		return;
	}
	if (negative)
		*text++ = '-';
	if (bits == infinity) {
		memcpy(text, "inf", sizeof("inf"));
	} else if (!bits) {
		memcpy(text, "0", sizeof("0"));
	} else {
		point = start_digits(&d, bits, l);
		lay_out(text, digits, find_digits(&d, digits), point);
	}
}

/*
 * Compare @mantissa times 2 to the power of @binary with @digits times 10 to the power
 * of @exponent.
 */
static int compare_decimal(u64 mantissa, int binary, u64 digits, int exponent)
{
	struct large a, b;

	set(&a, mantissa);
	set(&b, digits);
	if (binary > 0)
		shift(&a, binary);
	else
		shift(&b, -binary);
	if (exponent > 0)
		power(&b, 10, exponent);
	else
		power(&a, 10, -exponent);
	return compare(&a, &b);
}

static int nearest(u64 digits, int exponent, struct layout l, u64 *bits)
{
	u64 infinity = ((1ULL << l.exponent) - 1) << l.fraction;
	u64 low = 0, high = infinity, middle, mantissa;
	int binary, order;

	/* @low is never above the number that is searched for, @high always is. */
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		binary = take_apart(middle, l, &mantissa);
		if (compare_decimal(mantissa, binary, digits, exponent) <= 0)
			low = middle;
		else
			high = middle;
	}
	binary = take_apart(low, l, &mantissa);
	order = compare_decimal(2 * mantissa + 1, binary - 1, digits, exponent);
	if (order < 0 || (!order && low & 1))
		low++;
	*bits = low;
	return low == infinity ? -ERANGE : 0;
}

/**
 * tracer_decimal_parse() - read a floating-point number
 * @text: [-]DIGITS[.DIGITS][e[+-]DIGITS], with at most 19 significant digits
 * @len: its length
 * @size: 4 or 8 bytes of the number
 * @bits: the number
 *
 * Return: 0, -EINVAL, or -ERANGE if the number is too large.
 */
int tracer_decimal_parse(const char *text, size_t len, unsigned int size,
			 u64 *bits)
{
	const char *s = text, *end = text + len;
	unsigned int count = 0, seen = 0;
	bool negative, down = false;
	int exponent = 0, given = 0, ret;
	u64 digits = 0, value = 0;
	bool fraction = false;

	negative = s < end && *s == '-';
	for (s += negative; s < end; s++) {
		if (*s == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (!isdigit(*s))
			break;
		seen++;
		count += count || *s != '0';
		if (count > DIGITS_MAX || seen > 400)
			return -EINVAL;
		digits = digits * 10 + (*s - '0');
		exponent -= fraction;
	}
	if (!seen)
		return -EINVAL;
	if (s < end && (*s == 'e' || *s == 'E')) {
		s++;
		down = s < end && *s == '-';
		s += s < end && (*s == '-' || *s == '+');
		if (s == end || end - s > 4)
			return -EINVAL;
		for (; s < end && isdigit(*s); s++)
			given = given * 10 + (*s - '0');
		exponent += down ? -given : given;
	}
	if (s != end)
		return -EINVAL;

	if (digits && exponent > EXPONENT_MAX)
		return -ERANGE;
	if (digits && exponent >= -EXPONENT_MAX - DIGITS_MAX) {
		ret = nearest(digits, exponent, layout_of(size), &value);
		if (ret)
			return ret;
	}
	*bits = value | (negative ? 1ULL << (size * 8 - 1) : 0);
	return 0;
}

/**
 * tracer_decimal_order() - convert a number to an integer of the same order
 * @bits: the number
 * @size: 4 or 8 bytes of it
 * @order: the integer; both zeros give the same one
 *
 * Return: false for a NaN, which has no order.
 */
bool tracer_decimal_order(u64 bits, unsigned int size, s64 *order)
{
	u64 sign = 1ULL << (size * 8 - 1), magnitude = bits & (sign - 1);
	struct layout l = layout_of(size);

	*order = bits & sign ? -(s64)magnitude : (s64)magnitude;
	return magnitude <= ((1ULL << l.exponent) - 1) << l.fraction;
}
