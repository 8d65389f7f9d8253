#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: make bench measures a case on both sides, and writes JSON of the documented form
# full: it boots guests, and tests the harness only
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 6

tmp=$(mktemp -d)
at_exit "rm -rf '$tmp'"
kernel=${UPROBES_KERNELS%% *}
case $kernel in
'' | debug | nouprobes) kernel=6.1 ;;
esac

if QUICK=1 OUT="$tmp" KERNEL="$kernel" "$UPROBES_TOP/tests/bench/hits" >"$tmp/table" 2>"$tmp/log"
then
	ok "QUICK=1 tests/bench/hits succeeds"
else
	not_ok "QUICK=1 tests/bench/hits succeeds"
	diag "$(tail -n 20 "$tmp/log")"
fi
json=$tmp/$kernel.json
like "$(cat "$tmp/table")" "entry-atomic *mov " "the table has a row for the case"

# The JSON has one object on each line, of strings, and numbers or null.
number='(null|-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?)'
object="  [{]\"case\": \"[^\"]+\", \"insn\": \"[^\"]+\", \"ours\": $number, \"peer\": $number,"
object="$object \"ratio\": $number, \"unit\": \"[^\"]+\"[}]"
is "$(sed -n '1p;$p' "$json" | tr -d '\n')" "[]" "the JSON is an array"
is "$(sed '1d;$d' "$json" | grep -cvxE "$object,?")" 0 "all elements are objects with all fields"
is "$(sed '1d;$d' "$json" | sed '$d' | grep -cv ',$')$(sed '1d;$d' "$json" | tail -n 1 | grep -c ',$')" 00 \
	"there are commas between the objects, and none behind the last"
is "$(grep -cE "\"entry-atomic\", \"insn\": \"mov\", \"ours\": [0-9.]+, \"peer\": [0-9.]+," "$json")" 1 \
	"the JSON has the case, measured on both sides"
