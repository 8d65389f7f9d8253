#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: return values, and text with a length, are shown according to their types
# once: the helper is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 10

prog=$tmp/cli_values
cp "$UPROBES_TOP/build/progs/cli_values" "$prog"

# traced ARGUMENT...: trace the program. $tmp/said has its output, $tmp/values
# the values of the events, as "EVENT: NAME=VALUE ...".
traced() {
	rm -f "$tmp/said"
	uprobe "$@" -c "$prog >$tmp/said" >"$tmp/out" 2>"$tmp/err"
	fields "$tmp/out" >"$tmp/values"
	[ -s "$tmp/said" ] || diag "$(tail -n 3 "$tmp/err")"
}

specs=("p:$prog:checked n=%di:s32" "p:$prog:say s v p:string(n)"
	"p:$prog:wide w:string u:string x:string part=u:string(n)")
for f in half quarter odd minus paint measure unnamed both mix grow copy text refer nothing; do
	specs+=("r:$prog:$f")
done
traced "${specs[@]}"
is "$(cat "$tmp/values")" "$(cat "$tmp/said")" "r: shows the values that the program prints"
is "$(wc -l <"$tmp/values")" 34 "r: shows each call"
traced --return=sites "${specs[@]}"
is "$(cat "$tmp/values")" "$(cat "$tmp/said")" "--return=sites shows the same values"
is "$(wc -l <"$tmp/values")" 34 "--return=sites shows each call"

uprobe count -c "$prog >/dev/null" "p:$prog:checke*" >"$tmp/out" 2>"$tmp/err"
is "$(awk '$2 == "checked" { print $1 }' "$tmp/out")" 2 \
	"a function that jumps back to its start is counted once for each call"
# Lengths from another argument or from memory, negative ones, one in unmapped memory, and a long one.
traced "p:$prog:wide a=+0(%si):string16(%cx) b=+0(%si):string16(\\-1:s32) c=@16:string(\\3) d=+0(%si):string16(\\0) e=+0(%r8):string(\\5000)"
is "$(sed -n 's/ e=.*//; 1p' "$tmp/values")" 'wide: a="clef" b=(fault) c=(fault) d=""' \
	"lengths may be arguments, memory or numbers, and invalid ones are faults"
like "$(sed -n 1p "$tmp/values")" ' e="x{4096}"\.\.\.$' "a string that is too long is cut"
traced "r:$prog:paint \$retval" "r:$prog:mix y=\$retval.y" "r:$prog:text \$retval:string"
is "$(sort -u "$tmp/values" | paste -sd' ')" \
	'mix: y=2 mix: y=2.5 paint: arg1=blue paint: arg1=green text: arg1="one" text: arg1="two"' \
	"\$retval has a type, and members"
traced --json "r:$prog:paint"
like "$(cat "$tmp/out")" '"args":{"retval":"blue"}' "JSON has the names of values"
strip -g "$prog"
traced "r:$prog:minus" "r:$prog:half \$retval"
is "$(sed 's/=0x.*/=NUMBER/' "$tmp/values" | sort -u | paste -sd' ')" "half: arg1=NUMBER minus:" \
	"without debug information, \$retval is a number, and r: alone shows no value"
