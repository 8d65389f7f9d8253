#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: work that takes long shows itself on a terminal, and whenever Ctrl-C comes, nothing is left
# full: it probes 60,000 functions again and again; cli_lifecycle has other ends of the helper
# once: the helper is the same on all kernels
# timeout: 300
# needs: script as ld perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
ktap_plan 8

# A library of many functions, which no program maps: what takes long is the helper's and the module's own work.
lib=$tmp/libmany.so
awk 'BEGIN { print ".text"; for (i = 0; i < 60000; i++) printf ".globl _Z6many%05di\n.type _Z6many%05di, @function\n_Z6many%05di:\n\tnop\n\tnop\n\tret\n.size _Z6many%05di, 3\n", i, i, i, i }' >"$tmp/many.s"
as -o "$tmp/many.o" "$tmp/many.s" && ld -shared -o "$lib" "$tmp/many.o" || exit 1

# on_terminal COMMAND...: run the helper on a terminal for a while, and print what it shows.
on_terminal() {
	script -qec "timeout -s INT $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe $*" /dev/null </dev/null | tr '\r' '\n'
}
# shown PATTERN WHAT: check for a line of progress, unless the work was too short for it.
shown() {
	if [ $SECONDS -lt 4 ]; then
		skip "$2" "it took a moment only"
	else
		like "$(cat "$tmp/out")" "$1" "$2"
	fi
}
SECONDS=0
on_terminal count "$lib:*" -d 1 >"$tmp/out"
shown '[0-9]+ of 60000 places attached' "on a terminal, attaching shows how far it is"
like "$(cat "$tmp/out")" 'Counting 60000 functions' "all are attached in the end"
SECONDS=0
on_terminal flow "$lib:*[0-4]i" --max-probes 100000 -d 1 >"$tmp/out"
shown '[0-9]+ of [0-9]+ (functions looked at|events defined)' "so does following calls"
uprobe count "$lib:*" -d 1 >"$tmp/out" 2>"$tmp/err"
is "$(grep -c ' of ' "$tmp/err")" 0 "in a file, there is nothing of it"

runs() { [ "$(cat "/proc/$helper/comm")" = uprobe ]; }
users() { awk '$1 == "uprobes" { print $3 }' /proc/modules; }
before=$(users)
wrong=
for command in "count $lib:*" "flow $lib:*[0-4]i --max-probes 100000" "lat $lib:*7?i" "stacks $lib:*77?i --max-probes 100000"; do
	for after in 0 0.4 1 2.5; do
		# shellcheck disable=SC2086
		# A background job of a shell ignores SIGINT.
		perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' uprobe $command >"$tmp/out" 2>"$tmp/err" &
		helper=$!
		wait_until "the helper runs" runs
		sleep $after
		kill -INT $helper 2>/dev/null
		for _ in $(tries 100); do
			kill -0 $helper 2>/dev/null || break
			sleep 0.1
		done
		kill -9 $helper 2>/dev/null && wrong="$wrong $command after $after;"
		wait $helper 2>/dev/null
	done
done
is "$wrong" "" "Ctrl-C at any moment ends the helper within ten seconds"
check "no session is left" in_time eval "[ \$(users) = $before ]"
is "$(uprobe status 2>&1)" "no events are defined" "no event is left"
check "the module can be unloaded" in_time rmmod uprobes_trace uprobes
