#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: 32-bit code in a 64-bit process runs unharmed, in a segment of its own as well; the module removes its probes
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/task.inc"
ktap_plan 14

prog=$tmp/mode_switch
cp "$UPROBES_TOP/build/progs/mode_switch" "$prog"

# instructions FUNCTION MODE: print the file offset of each instruction.
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
		# A definition is refused if there is no valid instruction of 64-bit code.
		define "p:i$at $prog:$at $arg" 2>/dev/null
	done
	defined=$(grep -c . "$dir/uprobe_events")
	check "in the $way: probes are defined in both kinds of code" test "$defined" -ge 18
	enable
	run_same "$prog" 100 "$base" >"$tmp/probed"
	is "$? $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" "in the $way: the output is the same as unprobed"
	disable
	entry=$(instructions enter_narrow x86-64 | head -n 1)
	is "$(awk -v e="i$entry" '$2 == e { print $3, $4 }' "$dir/uprobe_profile")" "100 0" \
		"in the $way: each call of the 64-bit code is counted"
	[ -z "$arg" ] || check "in the $way: all handlers ran in task context" left_to_task
	clear
done
