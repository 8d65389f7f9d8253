#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a probe on a file attaches to each mapping there is, however many there are, while a program splits its own
# full: mappings has programs that map files, and api_file_all_processes has several processes
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 6

# A no-operation and a return, in front of a page that is not called.
file=$tmp/code
printf '\220\303' >"$file"
truncate -s 8192 "$file"
mkfifo "$tmp/in" "$tmp/idle"
exec 3<>"$tmp/in" 4<>"$tmp/idle"
set_probe 0 path="$file" offset=0 flags=1

# begin [MAPPINGS]: start the program that is asked for calls.
begin() {
	: >"$out"
	"$progs/split" "$file" "$@" <&3 >"$out" &
	pid=$!
	until_is 1 lines
}

# calls: have the program call its mappings, and print how many there are.
calls() {
	calls_lines=$(($(lines) + 1))
	echo >&3
	until_is $calls_lines lines
	tail -n 1 "$out"
}

# The others come first: while the module attaches the probe there, the program goes on.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$progs/split" "$file" 1 <&4 >"$tmp/idle_out" &
	idle="${idle:-} $!"
done
at_exit 'kill $idle $pid 2>/dev/null'
begin
rounds=10
for _ in $(seq $rounds); do
	run register 0
	calls >/dev/null
	run unregister 0
done
is "$(hits 0)" $rounds "each of $rounds registrations attaches the probe while a program splits its mapping"
check "the program runs on" kill -0 $pid
kill $pid

begin 2000
run register 0
is "$(calls)" 2000 "a program has very many mappings of the file"
is "$(hits 0)" $((rounds + 2000)) "all of them are probed"
: >"$tmp/idle_out"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo >&4
done
until_is $((rounds + 2012)) hits 0
is "$(hits 0)" $((rounds + 2012)) "so are those of the other processes"
run unregister 0
is "$(calls)" 2000 "unprobed, the program calls them all"
