#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that patches a probed instruction keeps the patch when the probe goes, in forks and after mremap()
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 25

cp "$progs/patched" "$tmp/patched"
mkfifo "$tmp/in"

begin() {
	: >"$out"
	"$tmp/patched" <"$tmp/in" >"$out" &
	pid=$!
	exec 3>"$tmp/in"
	until_is 1 lines
}
begin

# does WORD: have the program do that, and print its answer, or how it has ended.
does() {
	does_lines=$(lines)
	echo "$1" >&3
	for _ in $(tries 300); do
		[ "$(lines)" = "$does_lines" ] || break
		[ -d "/proc/$pid/fd" ] || break
		sleep 0.1
	done
	sed 1,"${does_lines}d" "$out"
}

set_probe 0 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
run register 0
is "$(does call)" 5 "the probed function returns its value"
does patch >/dev/null
is "$(does call)" 5 "the probed instruction keeps its old operand when the program patches it"
is "$(does fork)" "child 6" "an unprobed child has the patched operand"
is "$(hits 0)" 2 "each call of the parent is a hit"
run unregister 0
is "$(does call)" 6 "the program has the patched operand when the probe is unregistered"

set_probe 1 path="$tmp/patched" offset="0x$(symbol "$tmp/patched" amount)"
run register 1
is "$(does call)" 6 "a new probe executes the patched instruction"
does patch >/dev/null
is "$(does fork) $(hits 1)" "child 7 2" "a child that is probed itself has the patch of its parent"
rmmod uprobe_client
check "the module unloads" rmmod uprobes_trace uprobes
is "$(does call)" 7 "after unloading, the program has its last patch"
load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"

# The program writes data over the instruction. They begin with the byte of a breakpoint.
set_probe 0 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
set_probe 1 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
run register 0-1
is "$(registered 0) $(registered 1)" "1 1" "two probes are registered on a patched instruction"
does replace >/dev/null
is "$(does look)" "1 1" "data that look like a breakpoint stay in the program and in a child"
run unregister 0
is "$(does look)" "1 1" "the data stay when one of the probes is unregistered"
run unregister 1
is "$(does look)" "1 1" "the data stay when the other probe is unregistered"
echo call >&3
exec 3>&-
wait $pid
is $? 133 "executing the data is a breakpoint of the program's own"

: >"$out"
begin
set_probe 0 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
run register 0
does patch >/dev/null
is "$(does call) $(hits 0)" "5 1" "another process patches a probed instruction, which keeps its old operand"
does move >/dev/null
is "$(does call) $(hits 0)" "6 1" "text that mremap() has moved has the patch and no probe"
is "$(does fork)" "child 6" "the moved text has the patch in a child, too"
run unregister 0
exec 3>&-
wait $pid
is $? 0 "the process that moves its text ends with status 0"

: >"$out"
begin
set_probe 2 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
set_probe 3 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
run register 2-3
run disable 2
run disable 3
does patch >/dev/null
check_fails "a probe that is disabled while the instruction changes cannot be enabled" run enable 2
is "$(does call) $(hits 2)" "6 0" "the program executes its patched instruction without a hit"
run unregister 2-3
check "a probe that was unregistered can be registered on the changed instruction" run register 2-3
is "$(does call) $(hits 2)" "6 1" "the probe executes the changed instruction, with a hit"
does load >/dev/null
is "$(does call)" 9 "the program executes another function, which begins with the same byte"
run unregister 3
is "$(does call) $(hits 2)" "9 1" "the other function is not taken for the old one when one of two probes is unregistered"
run unregister 2
exec 3>&-
wait $pid
is $? 0 "the process that replaces its text ends with status 0"
