#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a program that has unmapped its SSOL area gets another one, elsewhere
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 6

mkfifo "$tmp/in"
"$progs/area_gone" <"$tmp/in" >"$out" &
exec 3>"$tmp/in"
until_is 1 grep -c . "$out"
read -r pid first second <"$out"

# does WORD: what it says then.
does() {
	local before

	before=$(grep -c . "$out")
	echo "$1" >&3
	until_is $((before + 1)) grep -c . "$out"
	tail -n 1 "$out"
}

set_probe 0 pid="$pid" vaddr="$first"
set_probe 1 pid="$pid" vaddr="$second" returns=1
check "a function is probed" run register 0
gone=$(does unmap)
like "$gone" '^unmapped 0x[0-9a-f]+$' "the program unmaps the area"
check "another function is probed" run register 1
like "$(does areas)" '^areas 0x[0-9a-f]+$' "there is an area"
is "$(tail -n 1 "$out" | grep -c "${gone#unmapped }")" 0 "which is elsewhere: sites stand for the old one's addresses"
is "$(does call) $(hits 1)" "second 42 1" "the other function is hit"
run unregister 0-1
exec 3>&-
wait "$pid"
