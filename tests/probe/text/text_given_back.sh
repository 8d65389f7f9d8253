#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: when breakpoints are removed, the process shares the pages with its file again, unless they differ
# full: what a wrong page does, other tests see
# timeout: 60
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 8

# own: print how many KB of the program's text are its own.
own() {
	awk -v exe="$progs/steps" '/^[0-9a-f]+-/ { ours = $2 == "r-xp" && $6 == exe }
		ours && $1 == "Anonymous:" { n += $2 }
		END { print n }' "/proc/$pid/smaps"
}

steps
is "$(own)" 0 "a program has no text of its own"
set_probe 0 pid="$pid" vaddr="$work"
set_probe 1 pid="$pid" vaddr="$nest"
run register 0-1
check "breakpoints are in pages of its own" [ "$(own)" -ge 4 ]
step call 3 >/dev/null
run unregister 1
check "one of them keeps its page" [ "$(own)" -ge 4 ]
run unregister 0
is "$(own)" 0 "without breakpoints, it has no text of its own"
is "$(step call 3)" "call 912" "and works as before"

# A byte that a debugger has changed, in the padding at the end of the same page.
run register 0
at=$(((work | 4095) - 1))
byte=$(dd if="/proc/$pid/mem" bs=1 count=1 skip=$at iflag=skip_bytes status=none | od -An -tx1)
printf '\252' | dd of="/proc/$pid/mem" bs=1 seek=$at oflag=seek_bytes conv=notrunc status=none
run unregister 0
is "$(own)" 4 "a page that a debugger has changed stays"
is "$(dd if="/proc/$pid/mem" bs=1 count=1 skip=$at iflag=skip_bytes status=none | od -An -tx1)" " aa" \
	"with what the debugger wrote, instead of$byte"
is "$(step call 3)" "call 912" "the program still works"
end_steps
