#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if there is no memory for a moment to remove a breakpoint from a forked child, it is removed a moment later
# once: the code that fails is the same on all kernels
# full: inject_storm finds that out by chance
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

ktap_plan 6
inject=/sys/module/uprobes/parameters/inject
site=breakpoint.editor_page.page_get
at_exit "echo off >$inject"
failed() { awk -v site=$site '$1 == site { print $4 }' /sys/kernel/debug/uprobes-inject; }

mkfifo "$tmp/in"
"$progs/patched" <"$tmp/in" >"$out" &
pid=$!
exec 3>"$tmp/in"
until_is 1 lines
# does WORD: have the program do that, and print its answer.
does() {
	does_lines=$(lines)
	echo "$1" >&3
	until_is $((does_lines + 1)) lines
	tail -n 1 "$out"
}

# The page differs from the file, so that the child cannot do without a page of its own.
does patch >/dev/null
set_probe 0 pid=$pid vaddr="$(symbol_in $pid "$progs/patched" amount)"
check "a function that the program has patched is probed" run register 0
is "$(does call) $(hits 0)" "6 1" "its call is a hit"
is "$(does fork) $(hits 0)" "child 6 1" "a child is not probed"
echo $site:1 >$inject
is "$(does fork) $(hits 0)" "child 6 1" "a child for which there is no memory at first runs as well"
is "$(failed)" 1 "the removal of its breakpoint has failed once"
echo off >$inject
exec 3>&-
wait $pid
is $? 0 "the program ends"
