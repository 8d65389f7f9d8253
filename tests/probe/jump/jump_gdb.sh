#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: gdb's steps, breakpoints and calls work in functions that are counted without traps
# full: each step of gdb takes long where it is emulated; jump_foreign is shorter
# once: gdb uses what ptrace offers on all kernels
# timeout: 400
# needs: gdb
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan 9

# session: attach to the program while it runs in a loop, and let gdb look at it.  Leave out RF (bit 16).
cat >"$tmp/script" <<'END'
break pushes if $rdi == 6
continue
set $i = 0
while $i < 25
	printf "pc %#lx sp %#lx ax %#lx di %#lx flags %#x\n", $pc, $sp, $rax, $rdi, $eflags & ~0x10000
	stepi
	set $i = $i + 1
end
x/12i pushes
x/8xb leas
call (long)leas(100)
delete
break *(long)pushes+1 if $rdi == 12
continue
printf "pc %#lx di %#lx\n", $pc, $rdi
delete
tbreak carries if $rdi == 4
continue
finish
detach
END
session() {
	timeout $((200 * ${TEST_TIMEOUT_SCALE:-1})) gdb -nx -batch -ex 'set debuginfod enabled off' \
		-ex 'set auto-load off' -p "$pid" -x "$tmp/script" 2>&1 </dev/null | sed -n '/^Breakpoint 1,/,$p' | sed -nE '/^pc|^ *0x.*:|^\$|^=>|pushes|carries|Value/ { s/=>/  /; p }' |
		grep -v '^Run till\|^#'
}

setarch=$(command -v setarch)
for on in 0 1; do
	jump $on
	coproc program { exec env -i "$setarch" -R "$prog"; }
	read -r pid page <&"${program[0]}"
	# shellcheck disable=SC2086
	count_begin "$prog" $(offsets_of $entries $inside)
	if [ $on = 1 ]; then
		check "places count without a trap" hot $jumping
	fi
	echo loops >&"${program[1]}"
	session >"$tmp/session.$on"
	echo stop >&"${program[1]}"
	read -r times _ answer <&"${program[0]}"
	like "$answer" "^0 wrong\$" "jump=$on: all results were right"
	: "${times:?}"
	[ $on = 0 ] || check "jumps come back when gdb has left" hot $jumping
	count_end
	check "jump=$on: the text is that of the file" "$progs/textcmp" "$pid"
	jumps_end
done
is "$(grep -c '^pc' "$tmp/session.0")" 26 "gdb has stepped"
is "$(diff "$tmp/session.0" "$tmp/session.1")" "" "gdb sees the same as with breakpoints"
like "$(cat "$tmp/session.0")" '= 301' "the call by gdb has its result"
