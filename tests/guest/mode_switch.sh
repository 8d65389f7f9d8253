#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: 32-bit code in a 64-bit process, entered by a far call, runs unharmed, also in a segment of the program's own; its probes are taken out
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
. "$UPROBES_TOP/tests/guest/task.inc"
ktap_plan 14

prog=$tmp/mode_switch
cp "$UPROBES_TOP/build/progs/mode_switch" "$prog"

# instructions FUNCTION MODE: file offsets
instructions() {
	base=$(where "$1")
	base=${base##*:}
	objdump -d --no-show-raw-insn -M "$2" "$prog" | awk -v fn="<$1>:" '
		$2 == fn { inside = 1; next }
		/^[0-9a-f]+ </ { inside = 0 }
		inside && /^ +[0-9a-f]+:/ { sub(/:.*/, ""); print "0x" $1 }' |
		while read -r at; do
			first=${first:-$at}
			printf '0x%x\n' $((base + at - first))
		done
}

for way in "trap 0" "task 0" "trap 0x10000" "task 0x10000"; do
	base=${way#* } arg=
	[ "${way% *}" = trap ] || arg=$in_task
	run_same "$prog" 100 "$base" >"$tmp/plain"
	at_all=$(instructions enter_narrow x86-64; instructions narrow i386)
	for at in $at_all; do
		# What is no instruction as 64-bit code is refused.
		define "p:i$at $prog:$at $arg" 2>/dev/null
	done
	defined=$(grep -c . "$dir/uprobe_events")
	check "there are probes in both (in the $way)" test "$defined" -ge 18
	enable
	run_same "$prog" 100 "$base" >"$tmp/probed"
	is "$? $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" "as unprobed"
	disable
	entry=$(instructions enter_narrow x86-64 | head -n 1)
	is "$(awk -v e="i$entry" '$2 == e { print $3, $4 }' "$dir/uprobe_profile")" "100 0" \
		"the 64-bit code is probed as ever"
	[ -z "$arg" ] || check "in task context" left_to_task
	clear
done
