// SPDX-License-Identifier: GPL-2.0
// test: good definitions have the meaning of the grammar, and read back in the spelling of tracefs
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -Itests/host/parse_shim -Imodule
// cflags: module/trace/parse/parse.c module/trace/parse/argument.c module/trace/parse/argument_fetch.c module/trace/parse/type.c module/trace/parse/regs.c
// cflags: module/trace/output/render.c module/trace/lib/text.c module/trace/lib/decimal.c
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "trace/parse/def.h"
#include "insn/ktap.h"
#include "trace/output/render.h"
#include "trace/parse/parse.h"

long shim_fail_after;

/* Definitions, and the text that each reads back as. */
static const struct {
	const char *line;
	const char *back;
} lines[] = {
	{ "p /bin/bash:0x4245c0", "p:uprobes/p_bash_0x4245c0 /bin/bash:0x00000000004245c0" },
	{ "r /bin/bash:0x4245c0", "r:uprobes/p_bash_0x4245c0 /bin/bash:0x00000000004245c0" },
	{ "p:zfree_entry /bin/zsh:0x46420 %ip %ax",
	  "p:uprobes/zfree_entry /bin/zsh:0x0000000000046420 arg1=%ip arg2=%ax" },
	{ "r:zfree_exit /bin/zsh:0x46420 %ip %ax",
	  "r:uprobes/zfree_exit /bin/zsh:0x0000000000046420 arg1=%ip arg2=%ax" },
	{ "p:zfree_exit /bin/zsh:0x46420%return %ip $retval",
	  "r:uprobes/zfree_exit /bin/zsh:0x0000000000046420 arg1=%ip arg2=$retval" },
	{ "r:zfree_exit /bin/zsh:0x46420%return",
	  "r:uprobes/zfree_exit /bin/zsh:0x0000000000046420" },
	{ "p:g/e /bin/sh:010", "p:g/e /bin/sh:0x0000000000000008" },
	{ "p:g/e /bin/sh:8 expect=554889E5 %di",
	  "p:g/e /bin/sh:0x0000000000000008 expect=554889e5 arg1=%di" },
	{ "p:g/e /bin/sh:8(0x10) %di expect=90",
	  "p:g/e /bin/sh:0x0000000000000008(0x10) expect=90 arg1=%di" },
	{ "p:g/e /bin/sh:8 stack=entry %di expect=90",
	  "p:g/e /bin/sh:0x0000000000000008 expect=90 stack=entry arg1=%di" },
	{ "p:g/e /bin/sh:8 stack=any", "p:g/e /bin/sh:0x0000000000000008 stack=any" },
	{ "p:g/e /bin/sh:8 stack=%di", "p:g/e /bin/sh:0x0000000000000008 stack=%di" },
	{ "p:g/e /bin/sh:8 expect=%di", "p:g/e /bin/sh:0x0000000000000008 expect=%di" },
	{ "p:g-1/e /bin/sh:10", "p:g-1/e /bin/sh:0x000000000000000a" },
	{ "p:g.e /bin/sh:10", "p:g/e /bin/sh:0x000000000000000a" },
	{ "p:g/ /lib/libc.so.6:16", "p:g/p_libc_0x10 /lib/libc.so.6:0x0000000000000010" },
	{ "p /usr/bin/x86_64-linux-gnu-ld:1",
	  "p:uprobes/p_x86_0x1 /usr/bin/x86_64-linux-gnu-ld:0x0000000000000001" },
	{ "p /a:b/c+d:0x20", "p:uprobes/p_c_d_0x20 /a:b/c+d:0x0000000000000020" },
	{ "p /a\\040b/c:0x20", "p:uprobes/p_c_0x20 /a\\040b/c:0x0000000000000020" },
	/* 0xa0 is a space in Latin-1. */
	{ "p /bin/voil\xc3\xa0:0x20 s=\\\"\xc2\xa0 \xa0\"",
	  "p:uprobes/p_voil___0x20 /bin/voil\xc3\xa0:0x0000000000000020 s=\\\"\xc2\xa0 \xa0\"" },
	{ "  p:a \t /bin/sh:0x20\t%di # why", "p:uprobes/a /bin/sh:0x0000000000000020 arg1=%di" },
	{ "p:a /bin/sh:0x20#why", "p:uprobes/a /bin/sh:0x0000000000000020" },
	{ "p:a /bin/sh:0x20(0x30) %di", "p:uprobes/a /bin/sh:0x0000000000000020(0x30) arg1=%di" },
	{ "r:a /bin/sh:0x20%return(0x30)", "r:uprobes/a /bin/sh:0x0000000000000020(0x30)" },
	{ "p:a /bin/sh:0xffffffffffffffff", "p:uprobes/a /bin/sh:0xffffffffffffffff" },
	{ "p:a /b:1 x=\\\"two words\" %di:u8",
	  "p:uprobes/a /b:0x0000000000000001 x=\\\"two words\" arg2=%di:u8" },
	{ "p:a /b:1 \\\"a=b#c:d\":string",
	  "p:uprobes/a /b:0x0000000000000001 arg1=\\\"a=b#c:d\":string" },
	{ "p:a /b:1 a=$stack b=$stack2:x16 c=$comm d=@0x10:u64",
	  "p:uprobes/a /b:0x0000000000000001 a=$stack b=$stack2:x16 c=$comm d=@0x10:u64" },
	{ "p:a /b:1 e=@+0x10:string \\-5:s8",
	  "p:uprobes/a /b:0x0000000000000001 e=@+0x10:string arg2=\\-5:s8" },
	{ "p:a /b:1 +8(%rdi,%rsi,4):f32 %xmm1:f64",
	  "p:uprobes/a /b:0x0000000000000001 arg1=+8(%rdi,%rsi,4):f32 arg2=%xmm1:f64" },
	{ "p:a /b:1 -u8(+0(%r15)):s32[64] +0(%sp):b1@7/8[3]",
	  "p:uprobes/a /b:0x0000000000000001 arg1=-u8(+0(%r15)):s32[64] arg2=+0(%sp):b1@7/8[3]" },
};

static struct tracer_def *parse(const char *line)
{
	struct tracer_diag diag;
	struct tracer_def *def = tracer_def_parse(line, strlen(line), &diag);

	if (!IS_ERR(def))
		return def;
	ktap_note("'%s' at column %u of: %s", tracer_err_text(diag.err),
		  diag.column, line);
	return NULL;
}

static char *render(const struct tracer_def *def)
{
	static char buf[4096];
	struct tracer_text text = { .buf = buf, .size = sizeof(buf) - 1 };

	tracer_render_def(&text, def);
	buf[text.len - 1] = '\0';
	return buf;
}

static void check_line(unsigned int i)
{
	struct tracer_def *def = parse(lines[i].line), *again = NULL;
	bool good = false;
	char *back;

	if (def) {
		back = render(def);
		good = !strcmp(back, lines[i].back);
		if (!good)
			ktap_note("reads back as: %s", back);
		again = parse(back);
		good = good && again && !strcmp(render(again), lines[i].back);
	}
	ktap_ok(good, "reads back right: %s", lines[i].line);
	tracer_def_free(def);
	tracer_def_free(again);
}

/* Fetch arguments, and a short form of the compiled program: operations and store. */
static const struct {
	const char *arg;
	const char *program;
} args[] = {
	{ "%di", "reg 112.8; value x64@0" },
	{ "%rdi", "reg 112.8; value x64@0" },
	{ "%edi", "reg 112.4; value x64@0" },
	{ "%dil", "reg 112.1; value x64@0" },
	{ "%ah:u8", "reg 81.1; value u8@0" },
	{ "%r10w", "reg 56.2; value x64@0" },
	{ "%ip", "reg 128.8; value x64@0" },
	{ "$retval", "reg 80.8; value x64@0" },
	{ "$stack", "sp; value x64@0" },
	{ "$stack0:u32", "stack 0; value u32@0" },
	{ "$stack7", "stack 7; value x64@0" },
	{ "+8($stack7)", "stack 7; mem+8 x64@0" },
	{ "+8(%di):s16", "reg 112.8; mem+8 s16@0" },
	{ "-8(%di):char", "reg 112.8; mem-8 char@0" },
	{ "+u8(%di)", "reg 112.8; mem+8 x64@0" },
	{ "+1(-2(+3(%di)))", "reg 112.8 deref 3 deref -2; mem+1 x64@0" },
	{ "+0(%di):string", "reg 112.8; string+0 string@0" },
	{ "+0(+4(%di)):ustring", "reg 112.8 deref 4; string+0 ustring@0" },
	{ "+0(%di):string[8]", "reg 112.8; string+0 string[8]@0" },
	{ "+0(%di):u16[8]", "reg 112.8; mem+0 u16[8]@0" },
	{ "+8(%di,%si,4):u32", "reg 112.8 index 104.8*4; mem+8 u32@0" },
	{ "+8(%di,%esi):u32", "reg 112.8 index 104.4*1; mem+8 u32@0" },
	{ "-8(,%si,8)", "imm 0 index 104.8*8; mem-8 x64@0" },
	{ "+1(+2(%di,%si,2),%dx,1):string",
	  "reg 112.8 index 104.8*2 deref 2 index 96.8*1; string+1 string@0" },
	{ "+1(+2(%di),%dx,8)", "reg 112.8 deref 2 index 96.8*8; mem+1 x64@0" },
	{ "+4(@0x10,%si,2)", "imm 16 deref 0 index 104.8*2; mem+4 x64@0" },
	{ "%xmm0:f64", "xmm 0; value f64@0" },
	{ "%xmm15:f32", "xmm 15; value f32@0" },
	{ "+0(%di):f32[4]", "reg 112.8; mem+0 f32[4]@0" },
	{ "@0x1000", "imm 4096; mem+0 x64@0" },
	{ "@0x1000:string", "imm 4096; string+0 string@0" },
	{ "+4(@0x1000):u8", "imm 4096 deref 0; mem+4 u8@0" },
	{ "@+0x1000:u8", "file 4096; mem+0 u8@0" },
	{ "\\10", "imm 10; value x64@0" },
	{ "\\+0x10", "imm 16; value x64@0" },
	{ "\\-10:s8", "imm -10; value s8@0" },
	{ "\\0xffffffffffffffff:x64", "imm -1; value x64@0" },
	{ "\\10:string", "imm 10; string+0 string@0" },
	{ "+0(\\10)", "imm 10; mem+0 x64@0" },
	{ "+0(%di):string16", "reg 112.8; string+0 string16@0" },
	{ "+0(%di):string32[2]", "reg 112.8; string+0 string32[2]@0" },
	{ "+0(%di):string(%si)", "reg 112.8; string+0 string(reg 104.8; value x64@0)@0" },
	{ "+0(+8(%di)):string16(+16(%di):s32)",
	  "reg 112.8 deref 8; string+0 string16(reg 112.8; mem+16 s32@0)@0" },
	{ "@16:string(\\5)", "imm 16; string+0 string(imm 5; value x64@0)@0" },
	{ "$comm", "; comm string@0" },
	{ "$comm:ustring", "; comm ustring@0" },
	{ "\\\"hi there\"", "; text(hi there) string@0" },
	{ "\\\"\"", "; text() string@0" },
	{ "%di:b4@2/8", "reg 112.8; value u8@0 bits 2/4" },
	{ "+0(%di):b64@0/64", "reg 112.8; mem+0 u64@0" },
	{ "+0(%di):b1@31/32[2]", "reg 112.8; mem+0 u32[2]@0 bits 0/31" },
};

static void show_insn(struct tracer_text *t, const struct tracer_insn *insn)
{
	static const char * const names[] = {
		[TRACER_OP_REG] = "reg", [TRACER_OP_SP] = "sp",
		[TRACER_OP_STACK] = "stack", [TRACER_OP_IMM] = "imm",
		[TRACER_OP_FILE] = "file", [TRACER_OP_DEREF] = "deref",
		[TRACER_OP_INDEX] = "index", [TRACER_OP_XMM] = "xmm",
	};

	tracer_text_puts(t, names[insn->op]);
	if (insn->op == TRACER_OP_REG)
		tracer_text_printf(t, " %u.%u", insn->offset, insn->size);
	else if (insn->op == TRACER_OP_INDEX)
		tracer_text_printf(t, " %u.%u*%ld", insn->offset, insn->size,
				   (long)insn->value);
	else if (insn->op != TRACER_OP_SP)
		tracer_text_printf(t, " %ld", (long)insn->value);
}

static void show_arg(struct tracer_text *t, const struct tracer_arg *arg);

static void show_length(struct tracer_text *t, const struct tracer_arg *length)
{
	tracer_text_putc(t, '(');
	show_arg(t, length);
	tracer_text_putc(t, ')');
}

static void show_arg(struct tracer_text *t, const struct tracer_arg *arg)
{
	static const char * const stores[] = {
		[TRACER_STORE_VALUE] = "value", [TRACER_STORE_MEM] = "mem",
		[TRACER_STORE_STRING] = "string", [TRACER_STORE_COMM] = "comm",
		[TRACER_STORE_TEXT] = "text",
	};
	unsigned int i;

	for (i = 0; i < arg->ninsns; i++) {
		if (i)
			tracer_text_putc(t, ' ');
		show_insn(t, &arg->insns[i]);
	}
	tracer_text_printf(t, "; %s", stores[arg->store]);
	if (arg->store == TRACER_STORE_MEM || arg->store == TRACER_STORE_STRING)
		tracer_text_printf(t, "%+ld", (long)arg->displacement);
	if (arg->text)
		tracer_text_printf(t, "(%s)", arg->text);
	tracer_text_printf(t, " %s", arg->type->name);
	if (arg->length)
		show_length(t, arg->length);
	if (arg->count)
		tracer_text_printf(t, "[%u]", arg->count);
	tracer_text_printf(t, "@%u", arg->offset);
	if (arg->rshift)
		tracer_text_printf(t, " bits %u/%u", arg->lshift, arg->rshift);
}

static void check_arg(unsigned int i)
{
	char line[512], shown[512];
	struct tracer_text text = { .buf = shown, .size = sizeof(shown) - 1 };
	struct tracer_def *def;
	bool good = false;

	snprintf(line, sizeof(line), "r:a /b:1 %s", args[i].arg);
	def = parse(line);
	if (def && def->nargs == 1) {
		show_arg(&text, &def->args[0]);
		shown[text.len] = '\0';
		good = !strcmp(shown, args[i].program);
		if (!good)
			ktap_note("is: %s", shown);
	}
	ktap_ok(good, "%s -> %s", args[i].arg, args[i].program);
	tracer_def_free(def);
}

static void check_removal(const char *line, const char *group,
			  const char *event, u64 offset)
{
	struct tracer_def *def = parse(line);

	ktap_ok(def && def->kind == TRACER_REMOVE &&
		!strcmp(def->group, group) && !strcmp(def->event, event) &&
		def->has_path == !!offset && def->offset == offset,
		"removal: %s", line);
	tracer_def_free(def);
}

static void check_nothing(const char *line)
{
	struct tracer_def *def = parse(line);

	ktap_ok(def && def->kind == TRACER_NOTHING, "no definition: '%s'", line);
	tracer_def_free(def);
}

static void check_unescape(const char *path, const char *wanted)
{
	char name[64];
	size_t len = tracer_path_unescape(path, name, sizeof(name));

	ktap_ok(len == strlen(wanted) && !strcmp(name, wanted),
		"the path %s means the file %s", path, wanted);
}

static void check_many_args(void)
{
	static char line[4096];
	size_t len = sprintf(line, "p:a /b:1");
	struct tracer_def *def;
	unsigned int i;

	for (i = 0; i < TRACER_MAX_ARGS; i++)
		len += sprintf(line + len, " %%r%u:u%u", 8 + i % 8, 8 << i % 4);
	def = parse(line);
	ktap_ok(def && def->nargs == TRACER_MAX_ARGS &&
		def->args_size == TRACER_MAX_ARGS / 4 * (1 + 2 + 4 + 8) &&
		!strcmp(def->args[127].name, "arg128"),
		"128 arguments are stored without gaps");
	tracer_def_free(def);
}

static void check_nesting(void)
{
	static const char line[] =
		"p:a /b:1 +0(+1(+2(+3(+4(+5(+6(+7(+8(+9(+10(+11(+12(+13(+14(%di)))))))))))))))";
	struct tracer_def *def = parse(line);
	bool good = def && def->nargs == 1 && def->args[0].ninsns == 15;
	int i;

	for (i = 1; good && i < 15; i++)
		good = def->args[0].insns[i].op == TRACER_OP_DEREF &&
		       def->args[0].insns[i].value == 15 - i;
	ktap_ok(good, "15 dereferences begin with the innermost one");
	tracer_def_free(def);
}

int main(void)
{
	unsigned int i;

	ktap_plan(ARRAY_SIZE(lines) + ARRAY_SIZE(args) + 17);
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		check_line(i);
	for (i = 0; i < ARRAY_SIZE(args); i++)
		check_arg(i);

	check_removal("-:foo", "", "foo", 0);
	check_removal("-:bar/foo", "bar", "foo", 0);
	check_removal("-:bar/", "bar", "", 0);
	check_removal("-:foo /bin/sh:0x10", "", "foo", 0x10);
	check_removal("!p:bar/foo", "bar", "foo", 0);
	check_removal("!r:foo /bin/sh:0x10 %di", "", "foo", 0x10);
	check_removal(" -:foo # gone", "", "foo", 0);

	check_nothing("");
	check_nothing(" \t ");
	check_nothing("# p /bin/sh:10");
	check_nothing("  #");

	check_unescape("/a\\040b", "/a b");
	check_unescape("/a\\134\\043", "/a\\#");
	check_unescape("/a\\04", "/a\\04");
	check_unescape("/a\\400", "/a\\400");

	check_many_args();
	check_nesting();
	return ktap_finish();
}
