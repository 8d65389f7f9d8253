#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: variables by name have the values that the program prints
# once: the helper is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 7

prog=$tmp/cli_vars
cp "$UPROBES_TOP/build/progs/cli_vars" "$prog"
line_of() { grep -n "$1" "$UPROBES_TOP/tests/uprobe/cli_vars.c" | cut -d: -f1; }

# traced ARGUMENT...: trace the program. $tmp/said has its output, $tmp/values
# the values of the events, as "EVENT: NAME=VALUE ...".
traced() {
	uprobe "$@" -c "$prog >$tmp/said" >"$tmp/out" 2>"$tmp/err"
	status=$?
	fields "$tmp/out" >"$tmp/values"
}

traced "p:$prog:slow x=thing->x three=thing->three seven=thing->seven name=thing->name:string array_3=thing->array[3] next=thing->next->x c u text:string"
is "$(cat "$tmp/values")" "$(grep ^slow: "$tmp/said")" \
	"at the entry of a function that is not optimized, variables have the right values"
is "$(wc -l <"$tmp/values")" 3 "each call is shown"

traced "p:$prog:fast x=thing->x n text:string total"
is "$(cat "$tmp/values")" "$(grep ^fast: "$tmp/said")" \
	"at the entry of an optimized function, variables have the right values"

traced "p:slow $prog:cli_vars.c:$(line_of 'line with locals') sum u"
is "$(cat "$tmp/values")" "slow: sum=65540 u=65535
slow: sum=65540 u=65534
slow: sum=65541 u=65533" "at a line, local variables have the right values"

traced "p:$prog:twice"
is "$(wc -l <"$tmp/values")" 6 "all inlined copies of a function are traced"
traced "p:$prog:twice value"
is "$(sort -u "$tmp/values" | tr '\n' ' ')" \
	"twice: value=-727379966 twice: value=-727379967 twice: value=-727379968 twice: value=1 twice: value=2 twice: value=3 " \
	"inlined copies are traced with their parameters"
is "$status" 0 "the helper ends with status 0"
