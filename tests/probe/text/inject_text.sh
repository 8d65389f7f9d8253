#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if no memory or a pending kill keeps text from being read, the log does not call it unprobeable; a retry works
# once: the code that fails is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/inject.inc"

ktap_plan 23
at_exit "echo off >$inject"
lib=$progs/steps_library

# fails SITE NTH COMMAND...: run COMMAND while the NTH call at SITE fails; sets status, said and site.
fails() {
	round_mark="inject-round $1 $2"
	echo "$round_mark" >/dev/kmsg
	echo "$1:$2" >$inject
	shift 2
	"$@" 2>"$tmp/said"
	status=$?
	read -r site _ <$inject
	echo off >$inject
	[ "$site" = none ] || failed_at[$site]=1
	said=$(<"$tmp/said")
	said=${said##*: }
}
complaints() { told | grep -c "cannot be probed"; }

# refuses FUNCTION NTH N: registering probe N returns the error, and works the next time. Four results.
refuses() {
	local call

	for call in "page_get_killed Interrupted system call" "page_get Cannot allocate memory"; do
		fails "$1.${call%% *}" "$2" run register "$3"
		is "$site $status $said, $(complaints)" "$1.${call%% *} 1 ${call#* }, 0" \
			"$1, page $2: registering fails with: ${call#* }"
		check "$1, page $2: after ${call#* }, registering works the next time" run register "$3"
		run unregister "$3"
	done
}

steps
set_probe 0 pid=$pid vaddr=$work
refuses read.reader_page 1 0
refuses breakpoint.editor_page 1 0
end_steps

# An instruction with two bytes in one page and eight in the next.
mkfifo "$tmp/edge_in"
"$progs/edge" traps <"$tmp/edge_in" >"$tmp/edge_out" &
exec 4>"$tmp/edge_in"
wait_until "the program is ready" grep -q ready "$tmp/edge_out"
set_probe 1 pid=$! vaddr="$(symbol_in $! "$progs/edge" edge_2)"
refuses read.text_read 1 1
refuses read.text_read 2 1
exec 4>&-

# A program that starts, and then maps one more probed file.
set_probe 2 path="$progs/steps" offset="$(file_offset "$progs/steps" work)"
set_probe 3 path="$lib" offset="$(file_offset "$lib" library_work)"
run register 2
run register 3
for call in page_get_killed page_get; do
	before=$(hits 2)
	missed_before=$(missed 2)
	fails read.reader_page.$call 1 steps
	is "$site, $(step call 3), $(($(hits 2) - before)) hits, $(($(missed 2) - missed_before)) missed, $(complaints) complaints" \
		"read.reader_page.$call, call 912, 0 hits, 1 missed, 0 complaints" \
		"$call: the program is not probed, and the probe counts a miss"
	is "$(told | grep -c "no memory: a process that maps a probed file")" "$([ $call = page_get ] && echo 1 || echo 0)" \
		"$call: the log names the memory if it was short, and nothing else"
	is "$(step load "$lib"), $(step call 3), $(($(hits 2) - before)) hits" "library 0, call 912, 3 hits" \
		"$call: the program is probed with its next mapping"
	end_steps
done
listed_failed
