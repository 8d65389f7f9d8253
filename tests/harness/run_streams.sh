#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run carries arguments, input, output and error output unchanged
# full: it boots guests, and tests the harness only
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 7

tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
run() {
	"$UPROBES_TOP/qemu/run" --no-module "$@"
}

odd=('two words' '' '*' $'new\nline' $'\xff\xfe\x01' '$(id)' "q'\"uotes" '--' -n '\' ' ' $'\r\n')
printf '<%s>\n' "${odd[@]}" >"$tmp/expected"
run printf '<%s>\n' "${odd[@]}" </dev/null >"$tmp/out" 2>"$tmp/err"
is $? 0 "a command with unusual arguments runs"
check "the arguments arrive unchanged" cmp "$tmp/expected" "$tmp/out"
check "standard error is empty" cmp /dev/null "$tmp/err"

head -c 5000000 /dev/urandom >"$tmp/in"
run sh -c 'tee /dev/stderr; echo end; echo END >&2' <"$tmp/in" >"$tmp/out" 2>"$tmp/err"
is $? 0 "a command that copies 5 MB to both streams runs"
echo end | cat "$tmp/in" - >"$tmp/expected"
check "all of it is on standard output, unchanged" cmp "$tmp/expected" "$tmp/out"
echo END | cat "$tmp/in" - >"$tmp/expected"
check "all of it is on standard error, unchanged" cmp "$tmp/expected" "$tmp/err"

run yes </dev/null 2>/dev/null | head -n 1 >"$tmp/out"
is "$(cat "$tmp/out")" y "if the reader of the output ends, the command ends"
