#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: what functions return, and text with a length, are shown as their types have it
# once: the helper is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 10

prog=$tmp/cli_values
cp "$UPROBES_TOP/build/progs/cli_values" "$prog"

# traced ARGUMENT...: trace the program; what it says is in $tmp/said, the
# values of the events in $tmp/values, as "EVENT: NAME=VALUE ...".
traced() {
	rm -f "$tmp/said"
	uprobe "$@" -c "$prog >$tmp/said" >"$tmp/out" 2>"$tmp/err"
	fields "$tmp/out" | sed -E 's/: \(0x[0-9a-f]+( <- 0x[0-9a-f]+)?\)/:/' >"$tmp/values"
	[ -s "$tmp/said" ] || diag "$(tail -n 3 "$tmp/err")"
}

specs=("p:$prog:checked n=%di:s32" "p:$prog:say s v p:string(n)"
	"p:$prog:wide w:string u:string x:string part=u:string(n)")
for f in half quarter odd minus paint measure unnamed both mix grow copy text refer nothing; do
	specs+=("r:$prog:$f")
done
traced "${specs[@]}"
is "$(cat "$tmp/values")" "$(cat "$tmp/said")" "r: alone shows it"
is "$(wc -l <"$tmp/values")" 34 "each call"
traced --return=sites "${specs[@]}"
is "$(cat "$tmp/values")" "$(cat "$tmp/said")" "at the return instructions, too"
is "$(wc -l <"$tmp/values")" 34 "each of these"

uprobe count -c "$prog >/dev/null" "p:$prog:checke*" >"$tmp/out" 2>"$tmp/err"
is "$(awk '$2 == "checked" { print $1 }' "$tmp/out")" 2 \
	"a function that starts anew is counted once for each call"
# From another argument or memory, with a sign, beyond what is mapped, and too long.
traced "p:$prog:wide a=+0(%si):string16(%cx) b=+0(%si):string16(\\-1:s32) c=@16:string(\\3) d=+0(%si):string16(\\0) e=+0(%r8):string(\\5000)"
is "$(sed -n 's/ e=.*//; 1p' "$tmp/values")" 'wide: a="clef" b=(fault) c=(fault) d=""' "lengths"
like "$(sed -n 1p "$tmp/values")" ' e="x{4096}"\.\.\.$' "what is too long is cut"
traced "r:$prog:paint \$retval" "r:$prog:mix y=\$retval.y" "r:$prog:text \$retval:string"
is "$(sort -u "$tmp/values" | paste -sd' ')" \
	'mix: y=2 mix: y=2.5 paint: arg1=blue paint: arg1=green text: arg1="one" text: arg1="two"' \
	"\$retval has a type, and members"
traced --json "r:$prog:paint"
like "$(cat "$tmp/out")" '"args":{"retval":"blue"}' "names are there as JSON"
strip -g "$prog"
traced "r:$prog:minus" "r:$prog:half \$retval"
is "$(sed 's/=0x.*/=NUMBER/' "$tmp/values" | sort -u | paste -sd' ')" "half: arg1=NUMBER minus:" \
	"without debug information it is a number, if it is asked for"
