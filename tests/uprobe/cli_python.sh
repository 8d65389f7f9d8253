#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace exported functions and static probes of the installed python3
# full: it traces installed programs, or follows documents of others
# once: the helper is the same on all kernels
# timeout: 180
# needs: /usr/bin/python3
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 7

python=$(readlink -f /usr/bin/python3)

# python3 passes the program text to a function that it exports.
uprobe -c "$python -Sc 'print(4711)' >$tmp/said" \
	"p:$python:PyRun_SimpleStringFlags text=+0(%di):string" >"$tmp/out" 2>"$tmp/err"
diag "$(cat "$tmp/err")"
like "$(cat "$tmp/out") $(cat "$tmp/said")" 'python3[^ ]*-.* text="print\(4711\).* 4711' \
	"an event shows the program text"

# python3 executes its probes only while their reference counters are not 0.
if uprobe sdt "$python" 2>/dev/null | grep -q '^python:import__find__load__start '; then
	cat >"$tmp/prog.py" <<'END'
import gc
import sys

for line in sys.stdin:
    gc.collect()
    print(__import__(line.strip()).__name__, flush=True)
END
	mkfifo "$tmp/in"
	$python -SE "$tmp/prog.py" <"$tmp/in" >"$tmp/said" &
	running=$!
	exec 7>"$tmp/in"
	# load NAME N: let the program import a module, and wait until it has said N lines.
	load() {
		echo "$1" >&7
		wait_until "the program has said $2 lines" lines_in "$tmp/said" "$2"
	}
	load sched 1
	start -p $running "u:$python:import__find__load__start name=arg1:string" "u:$python:import__find__load__done name=arg1:string found=arg2:s32" \
		"u:$python:gc__start generation=arg1:s32" "u:$python:gc__done collected=arg1:s64"
	diag "$(cat "$tmp/err")"
	load colorsys 2
	stop
	is "$(sed -n 's/.* import__find__load__\([a-z]*\): /\1 /p' "$tmp/out" | paste -sd' ')" \
		'start name="colorsys" done name="colorsys" found=1' "events show the import of a running program"
	is "$(grep -c ' gc__start: .*generation=2$' "$tmp/out") $(grep -c ' gc__done: .*collected=[0-9]*$' "$tmp/out")" "1 1" \
		"events show a garbage collection"
	like "$(tail -n 1 "$tmp/err")" ' 0 missed, 0 lost\.$' "no hit is missed or lost"
	# A killed helper must not leave a counter above 0, or the program would still execute the probe.
	start -p $running "u:$python:import__find__load__start"
	kill -9 "$tracer"
	wait "$tracer" 2>/dev/null
	start -p $running "p:$python:$(uprobe sdt -v "$python" import__find__load__start | awk '{ print $1; exit }')"
	load fileinput 3
	stop
	is "$(wc -l <"$tmp/out")" 0 "a killed helper leaves no counter above 0"
	like "$(cat "$tmp/err")" 'counts its tracers.*u:' \
		"if a probe's address is traced, a message tells about its counter"
	exec 7>&-
	wait $running
	is "$? $(sort "$tmp/said" | paste -sd' ')" "0 colorsys fileinput sched" \
		"the program ends with status 0 and its normal output"
else
	for what in "what a program imports" "garbage collection" "nothing is missed" \
		    "a killed tracer" "the counter" "unharmed"; do
		skip "$what" "this python3 was built without probes"
	done
fi
