#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each of the kernel's tests of tracing has the result that tests/FTRACETEST.md lists
# full: the tests take three minutes, and need the sources of a kernel
# timeout: 600
# needs: xz dpkg-deb
. "$UPROBES_TOP/tests/lib.sh"

kernel=${UPROBES_KERNELS%% *}
selftests=$("$UPROBES_TOP/qemu/selftests") || skip_all "the kernel's sources cannot be fetched"
tests=$selftests/test.d
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
# ftracetest runs and numbers the tests in this order.
(cd "$tests" && find . -name '*.tc' | LC_ALL=C sort | sed 's,^\./,,; s,\.tc$,,') >"$tmp/names"

"$UPROBES_TOP/qemu/run" -n 1 -k "$kernel" -t 999 -- sh -c "
	cp -r '$selftests' /tmp/ftrace && cd /tmp/ftrace &&
	sed -i 's,^TRACING_DIR=.*,TRACING_DIR=/sys/kernel/debug/uprobes,' ftracetest &&
	LC_ALL=C bash ./ftracetest -K -l /tmp/logs </dev/null
	for log in /tmp/logs/*-log.*; do
		echo \"--- \$log\"
		tail -n 4 \"\$log\"
	done" >"$tmp/out" 2>&1

# row NAME: print the result that the table lists for a test: passes, absent, fails or any.
row() {
	local pattern result glob

	while IFS='|' read -r _ pattern result _; do
		for glob in ${pattern//,/ }; do
			# shellcheck disable=SC2053
			[[ $1 != $glob ]] || { echo $result; return; }
		done
	done < <(grep '^| [0-9a-z]*/\|^| functions' "$UPROBES_TOP/tests/FTRACETEST.md")
}

set -f
ktap_plan "$(wc -l <"$tmp/names")"
n=0
while read -r name; do
	n=$((n + 1))
	said=$(grep -E "^(not )?ok $n " "$tmp/out" | grep -v '(instance)' | head -n 1)
	case $said in
	"") got=nothing ;;
	*UNRESOLVED*) got=unresolved ;;
	*"# SKIP"*) got=absent ;;
	ok*) got=passes ;;
	*) got=fails ;;
	esac
	expected=$(row "$name")
	[ "$expected" != any ] || [ $got = nothing ] || expected=$got
	is "$got" "${expected:-in the table}" "$name"
done <"$tmp/names"
grep -q '^ok 1 ' "$tmp/out" || diag "$(tail -n 20 "$tmp/out")"
