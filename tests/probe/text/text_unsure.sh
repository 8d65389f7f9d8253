#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: one more probe at a place reads the text there only if it may have changed, and then executes what is there now
# full: text_patched and text_relocated have programs that change their text
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 12

cp "$progs/patched" "$tmp/patched"
mkfifo "$tmp/in"

begin() {
	: >"$out"
	"$tmp/patched" <"$tmp/in" >"$out" &
	pid=$!
	exec 3>"$tmp/in"
	until_is 1 lines
	amount=$(symbol_in "$pid" "$tmp/patched" amount)
	set_probe 0 pid="$pid" vaddr="$amount" flags=1
	set_probe 1 pid="$pid" vaddr="$amount" flags=1
}

end() {
	run unregister 0-1
	exec 3>&-
	wait $pid
	is $? 0 "the program ends with status 0"
}

# new_hits: print how many hits the probes have had since the last time.
new_hits() {
	new_hits_were=${new_hits_are:-0 0}
	new_hits_are="$(hits 0) $(hits 1)"
	# shellcheck disable=SC2086
	set -- $new_hits_were $new_hits_are
	echo $(($3 - $1)) $(($4 - $2)) >"$tmp/new"
}

# after WHAT COMMAND RESULT: register a probe, have the text changed by COMMAND, register one more, and
# check that a call returns RESULT, and is a hit of both.
after() {
	run register 0
	$2 >/dev/null
	run register 1
	new_hits
	is "$(step call)" "$3" "after $1, one more probe executes what is there"
	new_hits
	is "$(cat "$tmp/new")" "1 1" "the call is a hit of both probes"
	end
}

# write: write the operand of the instruction as a debugger does.
write() {
	printf '\007' | dd of="/proc/$pid/mem" bs=1 seek=$((amount + 1)) conv=notrunc status=none
}

begin
after "the program patches its text" "step patch" 6
begin
after "the kernel drops the page" "step drop" 5
begin
step open >/dev/null
after "the program writes to writable text" "step poke" 6

begin
site=read.compat_gup_remote.get_user_pages_remote
looked_up() { awk -v site=$site '$1 == site { n += $3 } END { print n }' /sys/kernel/debug/uprobes-inject; }
run register 0
echo $site:1000000 >/sys/module/uprobes/parameters/inject
at_exit "echo off >/sys/module/uprobes/parameters/inject"
before=$(looked_up)
run register 1
is "$(($(looked_up) - before))" 0 "one more probe looks up no page if the text cannot have changed"
run unregister 1
write
run register 1
is "$(step call)" 7 "after a debugger has written, one more probe executes what is there"
end
