#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a Java VM with probes on all functions that it exports handles null checks, overflows and safepoints as unprobed
# once: the VM uses signals in the same way on all kernels
# full: a Java VM takes most of 25 s; signals and handler_faults have such faults
# timeout: 300
# needs: java
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
. "$UPROBES_TOP/tests/shared/java.inc"

[ -f "$jvm" ] || skip_all "there is no ${java%/bin/java}/lib/server/libjvm.so"

modes=-Xmixed
[ -z "${FULL:-}" ] || modes="-Xmixed -Xint"
ktap_plan $((5 * $(wc -w <<<"$modes")))

# counted FUNCTION: print how often it was called.
counted() {
	awk -v name="$1" '$2 == name { print $1 }' "$tmp/out"
}

for how in $modes; do
	unprobed=$(java_program $how)
	like "$unprobed" '^10000 nulls, 66000 zeros, 3 overflows, 300 held$' \
		"$how: unprobed, the program prints the expected numbers"
	start count "r:$jvm:JVM_*"
	is "$(java_program $how)" "$unprobed" \
		"$how: with return probes on all functions that the VM exports, the output is the same"
	stop
	is "$(counted JVM_HoldsLock) $(counted JVM_FillInStackTrace)" "300 16000" \
		"$how: the probes count calls and exceptions"
	check "$how: the VM has handled signals for the exceptions" test "$(counted JVM_handle_linux_signal)" -ge 16000
	like "$(tail -n 1 "$tmp/err")" ' 0 missed\.$' "$how: no hit is missed"
done
