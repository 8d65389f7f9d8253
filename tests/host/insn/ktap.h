/* SPDX-License-Identifier: GPL-2.0 */
/* Results in KTAP, for test programs on the host. */
#ifndef INSN_KTAP_H
#define INSN_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int ktap_planned, ktap_done, ktap_failed;

static inline void ktap_plan(int n)
{
	ktap_planned = n;
	printf("KTAP version 1\n1..%d\n", n);
}

/* Return: true if FULL asks for complete long loops instead of a sample of them. */
static inline bool ktap_full(void)
{
	const char *full = getenv("FULL");

	return full && *full;
}

/* Print a line that explains the next result. */
__attribute__((format(printf, 1, 2)))
static inline void ktap_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("# ");
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

__attribute__((format(printf, 2, 3)))
static inline bool ktap_ok(bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%sok %d - ", ok ? "" : "not ", ++ktap_done);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	fflush(stdout);
	if (!ok)
		ktap_failed++;
	return ok;
}

__attribute__((format(printf, 1, 2)))
static inline void ktap_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("ok %d # SKIP ", ++ktap_done);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

static inline int ktap_finish(void)
{
	return ktap_failed || ktap_done != ktap_planned;
}

#endif /* INSN_KTAP_H */
