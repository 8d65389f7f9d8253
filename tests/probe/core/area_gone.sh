#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a program unmaps its SSOL area, it gets another one at a different address
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 6

mkfifo "$tmp/in"
"$progs/area_gone" <"$tmp/in" >"$out" &
exec 3>"$tmp/in"
until_is 1 grep -c . "$out"
read -r pid first second <"$out"

# does WORD: send a command to the program, and print its answer.
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
like "$gone" '^unmapped 0x[0-9a-f]+$' "the program unmaps its SSOL area"
check "another function is probed" run register 1
like "$(does areas)" '^areas 0x[0-9a-f]+$' "the program has an SSOL area again"
is "$(tail -n 1 "$out" | grep -c "${gone#unmapped }")" 0 \
	"the new area is elsewhere: sites still refer to addresses of the old one"
is "$(does call) $(hits 1)" "second 42 1" "the other function is hit"
run unregister 0-1
exec 3>&-
wait "$pid"
