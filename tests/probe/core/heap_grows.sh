#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: SSOL areas do not block the growth of a program's heap
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 12

prog=$progs/heap
unprobed=$(setarch -R "$prog")
like "$unprobed" "^4096 steps" "without probes, the heap grows"
set_probe 0 path="$prog" offset="$(file_offset "$prog" far_off)" flags=1
run register 0
is "$(setarch -R "$prog")" "$unprobed" "a heap that begins right behind the program grows as without probes"
is "$(hits 0)" 4096 "a heap right behind the program: each call is a hit"
is "$(for _ in 1 2 3 4 5 6 7 8; do "$prog"; done | sort -u)" "$unprobed" \
	"a heap at a random distance grows as without probes"
is "$(hits 0)" $((9 * 4096)) "a heap at a random distance: each call is a hit"
run unregister 0

is "$(setarch -R "$prog")" "$unprobed" "after unregistering, the heap grows as without probes"

# If no other memory is free, the SSOL area must be far from the current end of the heap.
start_program . setarch -R "$prog" full
read -r pid at away <"$out"
set_probe 1 pid="$pid" vaddr="$at" flags=1
check "a program with nothing free below it is probed" run register 1
# Each instruction is 7 bytes long, and refers to memory that is out of reach for any one area.
for i in $(seq 2 71); do
	set_probe "$i" pid="$pid" vaddr=$((away + 7 * (i - 2))) flags=1
done
check "instructions that refer to memory on the other side of the program are probed" run register 2-71
areas=$(grep -c -F '[uprobes]' /proc/"$pid"/maps)
check "these instructions share SSOL areas ($areas)" test "$areas" -le 4
echo >&3
wait $!
is "$(sed 1d "$out")" "$unprobed" "with nothing free below the program, its heap grows as without probes"
is "$(hits 1)" 4096 "with nothing free below the program, each call is a hit"
is "$(for i in $(seq 2 71); do hits "$i"; done | sort | uniq -c | xargs)" "70 1" \
	"each of these instructions is hit once"
