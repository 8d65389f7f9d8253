// SPDX-License-Identifier: GPL-2.0
// test: each malformed definition gets its message, at the right column
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -Itests/host/parse_shim -Imodule
// cflags: module/trace/parse/parse.c module/trace/parse/argument.c module/trace/parse/argument_fetch.c module/trace/parse/type.c module/trace/parse/regs.c
/*
 * A '^' in a line below is not part of the definition. It stands before the character that the
 * caret of error_log must point to.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "trace/parse/def.h"
#include "insn/ktap.h"
#include "trace/parse/parse.h"

long shim_fail_after;

#define C(n) { TRACER_ERR_##n, #n }

static const struct {
	const char *line;
	struct {
		enum tracer_err err;
		const char *name;
	} wanted;
} cases[] = {
	{ "^x /bin/sh:10", C(BAD_COMMAND) },
	{ "^/bin/sh:10", C(BAD_COMMAND) },
	{ "p^x /bin/sh:10", C(BAD_COMMAND) },
	{ "r^10:name /bin/sh:10", C(BAD_COMMAND) },
	{ "   ^q:name /bin/sh:10", C(BAD_COMMAND) },
	{ "p^", C(NO_PATH) },
	{ "p:name   ^", C(NO_PATH) },
	{ "p:name ^# /bin/sh:10", C(NO_PATH) },
	{ "p ^sh:10", C(NO_PATH) },
	{ "p ^%ax /bin/sh:10", C(NO_PATH) },
	{ "p ^:10/", C(NO_PATH) },
	{ "p /bin/sh^", C(NO_OFFSET) },
	{ "p /bin/sh:^", C(NO_OFFSET) },
	{ "p /bin/sh:^10a", C(BAD_UPROBE_OFFS) },
	{ "p /bin/sh:^-1", C(BAD_UPROBE_OFFS) },
	{ "p /bin/sh:^main", C(BAD_UPROBE_OFFS) },
	{ "p /bin/sh:^0x", C(BAD_UPROBE_OFFS) },
	{ "p /bin/sh:^0x10000000000000000", C(BAD_UPROBE_OFFS) },
	{ "p /bin/sh:^%return", C(BAD_UPROBE_OFFS) },
	{ "p /bin/sh:10^%hoge", C(BAD_ADDR_SUFFIX) },
	{ "p /bin/sh:10^%", C(BAD_ADDR_SUFFIX) },
	{ "p /bin/sh:10^%returned", C(BAD_ADDR_SUFFIX) },
	{ "p /bin/sh:10(^a)", C(BAD_REFCNT) },
	{ "p /bin/sh:10(^)", C(BAD_REFCNT) },
	{ "p /bin/sh:10(10^", C(REFCNT_OPEN_BRACE) },
	{ "p /bin/sh:10(10)^a", C(BAD_REFCNT_SUFFIX) },
	{ "p /bin/sh:10 expect=^123", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10 expect=^0g", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10 stack=any stack=^some", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10 stack=^entry2", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10 expect=^00112233445566778899aabbccddeeff", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10(10)^%return", C(BAD_REFCNT_SUFFIX) },

	{ "p:^/bar /bin/sh:10", C(NO_GROUP_NAME) },
	{ "p:^a123456789a123456789a123456789a123456789a123456789a123456789abcd/bar /bin/sh:10",
	  C(GROUP_TOO_LONG) },
	{ "p:^foo+x/bar /bin/sh:10", C(BAD_GROUP_NAME) },
	{ "p:^1/bar /bin/sh:10", C(BAD_GROUP_NAME) },
	{ "p:^-x/bar /bin/sh:10", C(BAD_GROUP_NAME) },
	{ "p:^ /bin/sh:10", C(NO_EVENT_NAME) },
	{ "-:^", C(NO_EVENT_NAME) },
	{ "-^", C(NO_EVENT_NAME) },
	{ "p:foo/^a123456789a123456789a123456789a123456789a123456789a123456789abcd /bin/sh:10",
	  C(EVENT_TOO_LONG) },
	{ "p:foo/^bar-x /bin/sh:10", C(BAD_EVENT_NAME) },
	{ "p:^9 /bin/sh:10", C(BAD_EVENT_NAME) },
	{ "p:^\xc3\xa4 /bin/sh:10", C(BAD_EVENT_NAME) },

	{ "p /bin/sh:10 ^$retval", C(RETVAL_ON_PROBE) },
	{ "p /bin/sh:10 +0(^$retval):string", C(RETVAL_ON_PROBE) },
	{ "r /bin/sh:10 ^$foo", C(BAD_VAR) },
	{ "p /bin/sh:10 ^$", C(BAD_VAR) },
	{ "p /bin/sh:10 ^$stackx", C(BAD_VAR) },
	{ "p /bin/sh:10 ^$stack-1", C(BAD_VAR) },
	{ "p /bin/sh:10 ^$stack99999999999", C(BAD_VAR) },
	{ "p /bin/sh:10 ^%none_reg", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 ^%", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 a=+8(^%xx)", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 ^@12345678abcde", C(BAD_MEM_ADDR) },
	{ "p /bin/sh:10 ^@symbol", C(BAD_MEM_ADDR) },
	{ "p /bin/sh:10 ^@", C(BAD_MEM_ADDR) },
	{ "p /bin/sh:10 ^@+ab", C(BAD_FILE_OFFS) },
	{ "p /bin/sh:10 ^@+", C(BAD_FILE_OFFS) },
	{ "p /bin/sh:10 ^@+0xffffffffffffffff", C(BAD_FILE_OFFS) },
	{ "p /bin/sh:10 \\^abc", C(BAD_IMM) },
	{ "p /bin/sh:10 \\^", C(BAD_IMM) },
	{ "p /bin/sh:10 \\^-", C(BAD_IMM) },
	{ "p /bin/sh:10 \\^--1", C(BAD_IMM) },
	{ "p /bin/sh:10 \\\"abc^", C(IMMSTR_NO_CLOSE) },
	{ "p /bin/sh:10 \\\"^", C(IMMSTR_NO_CLOSE) },
	{ "p /bin/sh:10 a=\\\"two words^", C(IMMSTR_NO_CLOSE) },
	{ "p /bin/sh:10 ^+10", C(DEREF_NEED_BRACE) },
	{ "p /bin/sh:10 ^+", C(DEREF_NEED_BRACE) },
	{ "p /bin/sh:10 ^+0a(%ax)", C(BAD_DEREF_OFFS) },
	{ "p /bin/sh:10 ^+(%ax)", C(BAD_DEREF_OFFS) },
	{ "p /bin/sh:10 ^-u(%ax)", C(BAD_DEREF_OFFS) },
	{ "p /bin/sh:10 +1(^+-1(%ax))", C(BAD_DEREF_OFFS) },
	{ "p /bin/sh:10 +0(%ax,^%xx)", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 +0(%ax,^si)", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 +0(%ax,^)", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 +0(%ax,^%xmm0)", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 ^%xmm16", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 ^%xmm", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 +0(%ax,%si,^3)", C(BAD_SCALE) },
	{ "p /bin/sh:10 +0(%ax,%si,^)", C(BAD_SCALE) },
	{ "p /bin/sh:10 +0(%ax,%si,^4,4)", C(BAD_SCALE) },
	{ "p /bin/sh:10 +0(%ax,%si^", C(DEREF_OPEN_BRACE) },
	{ "p /bin/sh:10 %ax:^f16", C(BAD_TYPE) },
	{ "p /bin/sh:10 +0(%ax^", C(DEREF_OPEN_BRACE) },
	{ "p /bin/sh:10 +0(+0(%ax^)", C(DEREF_OPEN_BRACE) },
	{ "p /bin/sh:10 +0(+0(+0(@0^))", C(DEREF_OPEN_BRACE) },
	{ "p /bin/sh:10 +0(+0(@0^)x", C(DEREF_OPEN_BRACE) },
	{ "p /bin/sh:10 +0(%ax)^)", C(DEREF_OPEN_BRACE) },
	{ "p /bin/sh:10 +0(%ax)^x", C(DEREF_OPEN_BRACE) },
	{ "p /bin/sh:10 +0(^$comm)", C(COMM_CANT_DEREF) },
	{ "p /bin/sh:10 +0(^\\\"x\")", C(COMM_CANT_DEREF) },
	{ "p /bin/sh:10 ^&1", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10 ^abc", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10 +0(^)", C(BAD_FETCH_ARG) },
	{ "p /bin/sh:10 ^:u8", C(BAD_FETCH_ARG) },

	{ "p /bin/sh:10 +0(%sp):u32[10^", C(ARRAY_NO_CLOSE) },
	{ "p /bin/sh:10 +0(%sp):u32[10]^a", C(BAD_ARRAY_SUFFIX) },
	{ "p /bin/sh:10 +0(%sp):u32[^10a]", C(BAD_ARRAY_NUM) },
	{ "p /bin/sh:10 +0(%sp):u32[^0]", C(BAD_ARRAY_NUM) },
	{ "p /bin/sh:10 +0(%sp):u32[^]", C(BAD_ARRAY_NUM) },
	{ "p /bin/sh:10 +0(%sp):u32[^-1]", C(BAD_ARRAY_NUM) },
	{ "p /bin/sh:10 +0(%sp):u32[^65]", C(ARRAY_TOO_BIG) },
	{ "p /bin/sh:10 %ax:^bad", C(BAD_TYPE) },
	{ "p /bin/sh:10 +0(%ax):string^(%di", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string(^)", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string(^$comm)", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string(^%di:f64)", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string(^\\\"a\")", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string(+0(%di):string^(%si))", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string^(%di)[2]", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string^[2](%di)", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):^u32(%di)", C(BAD_LENGTH) },
	{ "p /bin/sh:10 +0(%ax):string(^%none)", C(BAD_REG_NAME) },
	{ "p /bin/sh:10 +0(%ax):string(%di:^u7)", C(BAD_TYPE) },
	{ "p /bin/sh:10 %ax:^string(%di)", C(BAD_STRING) },
	{ "p /bin/sh:10 $comm:^string(%di)", C(NEED_STRING_TYPE) },
	{ "p /bin/sh:10 $comm:^string16", C(NEED_STRING_TYPE) },
	{ "p /bin/sh:10 %ax:^", C(BAD_TYPE) },
	{ "p /bin/sh:10 %ax:^u7", C(BAD_TYPE) },
	{ "p /bin/sh:10 %ax:^string:u8", C(BAD_TYPE) },
	{ "p /bin/sh:10 %ax:^string", C(BAD_STRING) },
	{ "p /bin/sh:10 $stack2:^ustring", C(BAD_STRING) },
	{ "p /bin/sh:10 %ax:^u8[4]", C(BAD_STRING) },
	{ "p /bin/sh:10 %ax:^b10@64/16", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 %ax:^b1@0/7", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 %ax:^b1@0/128", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 %ax:^b0@0/8", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 %ax:^b4@5/8", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 %ax:^b4294967295@1/32", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 %ax:^b4", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 %ax:^b4/8@1", C(BAD_BITFIELD) },
	{ "p /bin/sh:10 $comm:^u8", C(NEED_STRING_TYPE) },
	{ "p /bin/sh:10 $comm:^string[2]", C(NEED_STRING_TYPE) },
	{ "p /bin/sh:10 \\\"x\":^u32", C(NEED_STRING_TYPE) },

	{ "p /bin/sh:10 ^a23456789b123456789c123456789d123=@11", C(ARG_NAME_TOO_LONG) },
	{ "p /bin/sh:10 ^=@11", C(NO_ARG_NAME) },
	{ "p /bin/sh:10 ^var.1=@11", C(BAD_ARG_NAME) },
	{ "p /bin/sh:10 ^1var=@11", C(BAD_ARG_NAME) },
	{ "p /bin/sh:10 var1=@11 ^var1=@12", C(USED_ARG_NAME) },
	{ "p /bin/sh:10 arg2=@11 ^@12", C(USED_ARG_NAME) },
	{ "p /bin/sh:10 ^common_pid=@11", C(USED_ARG_NAME) },
	{ "p /bin/sh:10 ^__probe_ip=@11", C(USED_ARG_NAME) },
	{ "p /bin/sh:10 arg1=^", C(NO_ARG_BODY) },
	{ "p:a /bin/sh:10 %ax\t ^%", C(BAD_REG_NAME) },

	/* 16 dereferences: one too many. */
	{ "p /bin/sh:1 +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(^+0(%ax))))))))))))))))",
	  C(TOO_MANY_OPS) },

	{ "-:foo ^bar", C(NO_PATH) },
	{ "!^", C(BAD_COMMAND) },
	{ "!^-:foo", C(BAD_COMMAND) },
	{ "!p^", C(NO_EVENT_NAME) },
	{ "-:foo /bin/sh:^x", C(BAD_UPROBE_OFFS) },
};

static void check(unsigned int i)
{
	const char *caret = strchr(cases[i].line, '^');
	size_t column = caret - cases[i].line, len;
	struct tracer_diag diag;
	struct tracer_def *def;
	char line[512], *exact;
	bool good;

	/* Allocate the exact length, so that the sanitizer finds reads beyond it. */
	len = strlen(cases[i].line) - 1;
	memcpy(line, cases[i].line, column);
	strcpy(line + column, caret + 1);

	exact = memcpy(malloc(len), line, len);
	def = tracer_def_parse(exact, len, &diag);
	free(exact);
	good = IS_ERR(def) && PTR_ERR(def) == -EINVAL &&
	       diag.err == cases[i].wanted.err && diag.column == column;
	if (!good && IS_ERR(def))
		ktap_note("got '%s' at column %u, wanted %zu",
			  tracer_err_text(diag.err), diag.column, column);
	else if (!good)
		ktap_note("was taken for a good definition");
	ktap_ok(good, "%s: %s", cases[i].wanted.name, line);
	if (!IS_ERR(def))
		tracer_def_free(def);
}

/* Check a line that is too long for the table above. */
static void check_long(const char *what, const char *line, size_t len,
		       enum tracer_err err, size_t column)
{
	struct tracer_diag diag;
	struct tracer_def *def = tracer_def_parse(line, len, &diag);
	bool good = IS_ERR(def) && diag.err == err && diag.column == column;

	if (!good && IS_ERR(def))
		ktap_note("got '%s' at column %u, wanted %zu",
			  tracer_err_text(diag.err), diag.column, column);
	ktap_ok(good, "%s", what);
	if (!IS_ERR(def))
		tracer_def_free(def);
}

static void check_limits(void)
{
	static char line[2 * TRACER_LINE_MAX];
	size_t len, column = 0;
	unsigned int i;

	len = sprintf(line, "p /bin/sh:10");
	for (i = 0; i <= TRACER_MAX_ARGS; i++) {
		column = len + 1;
		len += sprintf(line + len, " %%ax");
	}
	check_long("TOO_MANY_ARGS: 129 arguments", line, len,
		   TRACER_ERR_TOO_MANY_ARGS, column);

	len = sprintf(line, "p /bin/sh:10 +");
	column = len - 1;
	memset(line + len, '0', TRACER_ARG_MAX);
	len += TRACER_ARG_MAX;
	check_long("ARG_TOO_LONG: 256 characters", line, len,
		   TRACER_ERR_ARG_TOO_LONG, column);
	check_long("255 characters are not too long", line, len - 1,
		   TRACER_ERR_DEREF_NEED_BRACE, column);

	len = sprintf(line, "p /bin/sh:10");
	for (i = 0; i < 17; i++) {
		column = len + 1;
		len += sprintf(line + len, " +0(%%sp):u64[64]");
	}
	check_long("EVENT_TOO_BIG: 17 arrays of 512 bytes", line, len,
		   TRACER_ERR_EVENT_TOO_BIG, column);

	memset(line, ' ', sizeof(line));
	check_long("LINE_TOO_LONG: 16384 characters", line, TRACER_LINE_MAX + 1,
		   TRACER_ERR_LINE_TOO_LONG, 0);
	check_long("BAD_CHAR: a NUL byte", "p:a\0 /bin/sh:1", 14,
		   TRACER_ERR_BAD_CHAR, 3);
}

int main(void)
{
	unsigned int i;

	ktap_plan(ARRAY_SIZE(cases) + 6 + 1);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		check(i);
	check_limits();

	/* The table of messages: each error code must have its own text. */
	for (i = 1; i < TRACER_ERR_NR; i++) {
		if (!strcmp(tracer_err_text(i), tracer_err_text(TRACER_ERR_NONE)) ||
		    strchr(tracer_err_text(i), '\n'))
			break;
	}
	ktap_ok(i == TRACER_ERR_NR, "each error has its own line of text");
	return ktap_finish();
}
