#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: variables by name have the values that the program says they have
# once: the helper is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 7

prog=$tmp/cli_vars
cp "$UPROBES_TOP/build/progs/cli_vars" "$prog"
line_of() { grep -n "$1" "$UPROBES_TOP/tests/progs/cli_vars.c" | cut -d: -f1; }

# traced ARGUMENT...: trace the program; what it says is in $tmp/said, the
# values of the events in $tmp/values, as "EVENT: NAME=VALUE ...".
traced() {
	uprobe "$@" -c "$prog >$tmp/said" >"$tmp/out" 2>"$tmp/err"
	status=$?
	fields "$tmp/out" | sed -E 's/: \(0x[0-9a-f]+\)/:/' >"$tmp/values"
}

traced "p:$prog:slow x=thing->x three=thing->three seven=thing->seven name=thing->name:string array_3=thing->array[3] next=thing->next->x c u text:string"
is "$(cat "$tmp/values")" "$(grep ^slow: "$tmp/said")" "code that is not optimized: at the entry"
is "$(wc -l <"$tmp/values")" 3 "each call"

traced "p:$prog:fast x=thing->x n text:string total"
is "$(cat "$tmp/values")" "$(grep ^fast: "$tmp/said")" "optimized code: at the entry"

traced "p:slow $prog:cli_vars.c:$(line_of 'line with locals') sum u"
is "$(cat "$tmp/values")" "slow: sum=65540 u=65535
slow: sum=65540 u=65534
slow: sum=65541 u=65533" "at a line: local variables"

traced "p:$prog:twice"
is "$(wc -l <"$tmp/values")" 6 "inlined copies are traced, all of them"
traced "p:$prog:twice value"
is "$(sort -u "$tmp/values" | tr '\n' ' ')" \
	"twice: value=-727379966 twice: value=-727379967 twice: value=-727379968 twice: value=1 twice: value=2 twice: value=3 " \
	"with their parameters"
is "$status" 0 "the helper is content"
