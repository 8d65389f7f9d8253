#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: no SSOL area is where the heap of a program grows
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 12

prog=$progs/heap
unprobed=$(setarch -R "$prog")
like "$unprobed" "^4096 steps" "unprobed, the heap grows"
set_probe 0 path="$prog" offset="$(file_offset "$prog" far_off)" flags=1
run register 0
is "$(setarch -R "$prog")" "$unprobed" "with its beginning right behind the program: as unprobed"
is "$(hits 0)" 4096 "each call is a hit"
is "$(for _ in 1 2 3 4 5 6 7 8; do "$prog"; done | sort -u)" "$unprobed" "somewhere behind it: as unprobed"
is "$(hits 0)" $((9 * 4096)) "each call is a hit"
run unregister 0

is "$(setarch -R "$prog")" "$unprobed" "and nobody is there afterwards"

# Where nothing else is free, it is far from where the heap is now.
mkfifo "$tmp/in"
: >"$out"
setarch -R "$prog" full <"$tmp/in" >"$out" &
exec 3>"$tmp/in"
until_is 1 lines
read -r pid at away <"$out"
set_probe 1 pid="$pid" vaddr="$at" flags=1
check "a program with nothing free below it is probed" run register 1
# Each is 7 bytes long, and refers to what no slot can reach.
for i in $(seq 2 71); do
	set_probe "$i" pid="$pid" vaddr=$((away + 7 * (i - 2))) flags=1
done
check "instructions that refer to the other side of the program are probed" run register 2-71
areas=$(grep -c -F '[uprobes]' /proc/"$pid"/maps)
check "without an area for each of them ($areas)" test "$areas" -le 4
echo >&3
wait $!
is "$(sed 1d "$out")" "$unprobed" "and its heap grows as unprobed"
is "$(hits 1)" 4096 "each call is a hit"
is "$(for i in $(seq 2 71); do hits "$i"; done | sort | uniq -c | xargs)" "70 1" "and so is each of the instructions"
