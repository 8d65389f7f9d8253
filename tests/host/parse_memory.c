// SPDX-License-Identifier: GPL-2.0
// test: if any allocation fails, the parser returns -ENOMEM and leaks nothing
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -Itests/host/parse_shim -Imodule
// cflags: module/trace/parse/parse.c module/trace/parse/argument.c module/trace/parse/argument_fetch.c module/trace/parse/type.c module/trace/parse/regs.c
#include <linux/kernel.h>
#include <linux/slab.h>

#include "trace/parse/def.h"
#include "insn/ktap.h"
#include "trace/parse/parse.h"

long shim_fail_after;

int main(void)
{
	static const char line[] =
		"p:group/event /bin/sh:0x10 %di a=+8(%si):string \\\"text\" $comm b4@2/8";
	const size_t good_len = sizeof(line) - sizeof(" b4@2/8");
	struct tracer_diag diag;
	struct tracer_def *def;
	bool failed_well = true;
	long n;

	ktap_plan(3);
	/* The last argument is wrong: the parser fails after it has allocated everything. */
	def = tracer_def_parse(line, strlen(line), &diag);
	ktap_ok(IS_ERR(def) && PTR_ERR(def) == -EINVAL,
		"an error behind good arguments gives -EINVAL");

	for (n = 1;; n++) {
		shim_fail_after = n;
		def = tracer_def_parse(line, good_len, &diag);
		if (!IS_ERR(def))
			break;
		if (PTR_ERR(def) != -ENOMEM || diag.err != TRACER_ERR_NO_MEMORY)
			failed_well = false;
	}
	shim_fail_after = 0;
	ktap_ok(failed_well, "each of %ld failing allocations gives -ENOMEM", n - 1);
	/* The definition, its text, four parsers, two programs, one string. */
	ktap_ok(n - 1 == 9, "the parser allocates nine times");
	tracer_def_free(def);
	return ktap_finish();
}
