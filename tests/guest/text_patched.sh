#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that patches a probed instruction behind its first byte has what it wrote when the probe goes, in its children, and where it moves that to
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
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

# does WORD: what it says then, or how it has ended.
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
is "$(does call)" 5 "probed"
does patch >/dev/null
is "$(does call)" 5 "with its operand patched it goes on with the old one"
is "$(does fork)" "child 6" "its child has the new one"
is "$(hits 0)" 2 "each call of the program's is a hit"
run unregister 0
is "$(does call)" 6 "so has the program when the probe has gone"

set_probe 1 path="$tmp/patched" offset="0x$(symbol "$tmp/patched" amount)"
run register 1
is "$(does call)" 6 "probed once more it is the new one that is executed"
does patch >/dev/null
is "$(does fork) $(hits 1)" "child 7 2" "a child that is probed itself has what its parent wrote"
rmmod uprobe_client
check "the module is unloaded" rmmod uprobes
is "$(does call)" 7 "and the program has what it wrote last"
load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"

# The program's own byte, behind which something else is than in the text that was there.
set_probe 0 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
set_probe 1 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
run register 0-1
is "$(registered 0) $(registered 1)" "1 1" "probed in what it has patched, by two"
does replace >/dev/null
is "$(does look)" "1 1" "its text is replaced by data that look like a breakpoint: they stay, and a child has them"
run unregister 0
is "$(does look)" "1 1" "also when one of the probes goes"
run unregister 1
is "$(does look)" "1 1" "and the other"
echo call >&3
exec 3>&-
wait $pid
is $? 133 "executed, it is the program's own breakpoint"

: >"$out"
begin
set_probe 0 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
run register 0
does patch >/dev/null
is "$(does call) $(hits 0)" "5 1" "another process that has patched what is probed"
does move >/dev/null
is "$(does call) $(hits 0)" "6 1" "moved by mremap() it is what the program wrote, and not probed"
is "$(does fork)" "child 6" "so it is in a child"
run unregister 0
exec 3>&-
wait $pid
is $? 0 "it ends well"

: >"$out"
begin
set_probe 2 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
set_probe 3 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
run register 2-3
run disable 2
run disable 3
does patch >/dev/null
check_fails "a probe that is disabled while the instruction changes cannot be enabled" run enable 2
is "$(does call) $(hits 2)" "6 0" "the program goes on with its own"
run unregister 2-3
check "registered anew, it is probed" run register 2-3
is "$(does call) $(hits 2)" "6 1" "and executes what is there now"
does load >/dev/null
is "$(does call)" 9 "another function is there, which begins with the same byte"
run unregister 3
is "$(does call) $(hits 2)" "9 1" "when one of two probes goes, it is not taken for the old one"
run unregister 2
exec 3>&-
wait $pid
is $? 0 "that one ends well, too"
