// SPDX-License-Identifier: GPL-2.0
/*
 * Try every encoding at every length up to its own, once before and once behind a page that
 * cannot be read. The decoder must report the shorter ones as truncated, and read no byte that it
 * was not given.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "encodings.h"
#include "ktap.h"
#include "ssol.h"

#define PAGE 4096

static u8 *page;		/* the one between the guards */
static sigjmp_buf escape;
static unsigned long encodings, wrong;

static void faulted(int sig)
{
	(void)sig;
	siglongjmp(escape, 1);
}

static void bad(const u8 *text, size_t len, enum uinsn_mode mode, const char *fmt, int value)
{
	char what[100];

	if (++wrong > 10)
		return;
	snprintf(what, sizeof(what), fmt, value);
	printf("# %d-bit", mode == UINSN_MODE_64 ? 64 : 32);
	for (size_t i = 0; i < len; i++)
		printf(" %02x", text[i]);
	printf(": %s\n", what);
}

/* Decode and plan the len bytes at p. */
static void try(const u8 *p, const struct uinsn *insn, size_t len)
{
	struct ssol_plan plan;
	struct uinsn again;
	int ret;

	if (sigsetjmp(escape, 1)) {
		bad(p, 0, insn->mode, "reads outside of %d bytes", (int)len);
		return;
	}
	ret = uinsn_decode(&again, p, len, insn->mode);
	if (ret != (len < insn->len ? -ENODATA : 0))
		bad(p, len, insn->mode, "gives %d", ret);
	else if (!ret && memcmp(&again, insn, sizeof(again)))
		bad(p, len, insn->mode, "another answer with %d bytes", (int)len);
	ret = ssol_plan_insn(&plan, p, len, insn->mode, NULL);
	if (ret != (len < insn->len ? -ENODATA : 0) && ret != -EPERM)
		bad(p, len, insn->mode, "is planned with %d", ret);
}

static void visit(const struct uinsn *insn, const u8 *text, void *data)
{
	(void)data;
	encodings++;
	for (size_t len = 0; len <= insn->len; len++) {
		u8 *end = page + PAGE - len;

		memcpy(end, text, len);
		try(end, insn, len);
		memset(page, 0xcc, UINSN_MAX_LEN + 1);
		memcpy(page, text, len);
		try(page, insn, len);
	}
}

static u32 pick(void)
{
	static u64 state = 0x9e3779b97f4a7c15;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (u32)(state * 0x2545f4914f6cdd1dull >> 32);
}

static int random_count = 30000;

/* Try random bytes: the decoder must not read beyond their end even if they are no instruction. */
static void random_bytes(enum uinsn_mode mode)
{
	struct uinsn insn;

	/* Other variables have no certain value after longjmp(). */
	static int i;

	for (i = 0; i < random_count; i++) {
		size_t len = pick() % 16;
		u8 *p = page + PAGE - len;

		for (size_t k = 0; k < len; k++)
			p[k] = (u8)(pick() >> 9);
		if (sigsetjmp(escape, 1)) {
			bad(p, len, mode, "reads behind %d bytes", (int)len);
			continue;
		}
		uinsn_decode(&insn, p, len, mode);
	}
}

int main(void)
{
	u8 *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page = pages + PAGE;
	if (pages == MAP_FAILED || mprotect(page, PAGE, PROT_READ | PROT_WRITE)) {
		perror("mapping a page");
		return 2;
	}
	signal(SIGSEGV, faulted);
	ktap_plan(3);
	if (ktap_full())
		random_count = 1000000;
	/* Check the guard page. */
	if (sigsetjmp(escape, 1)) {
		ktap_ok(true, "reading behind the page faults");
	} else {
		volatile u8 byte = page[PAGE];

		ktap_ok(false, "reading behind the page gives %d", byte);
	}
	for (int mode = UINSN_MODE_32; mode <= UINSN_MODE_64; mode++) {
		encodings = 0;
		wrong = 0;
		visit_encodings(mode, pick, visit, NULL);
		random_bytes(mode);
		ktap_ok(!wrong && encodings > 50000,
			"%d-bit: %lu encodings at all lengths are read within bounds",
			mode == UINSN_MODE_64 ? 64 : 32, encodings);
	}
	return ktap_finish();
}
