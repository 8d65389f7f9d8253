#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: probes show an ordinary user no more of a process, except the SSOL area if the user may read its memory
# once: the module's own code decides this, and it is the same on all kernels
# needs: setpriv setarch
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 11

number=0x5ec4e75ec4e75ec4
user="setpriv --reuid 65534 --regid 65534 --clear-groups"
chmod 755 "$tmp"
for name in hidden shown; do
	cp "$progs/looks" "$tmp/$name"
done
chmod 711 "$tmp/hidden"
chmod 755 "$tmp/shown"

# begin NAME COMMAND...: start COMMAND, at the same addresses each time, and let it wait.
declare -A pids inputs
begin() {
	rm -f "$tmp/$1.in"
	mkfifo "$tmp/$1.in"
	setarch -R "${@:2}" wait <"$tmp/$1.in" >"$tmp/$1.out" &
	pids[$1]=$!
	exec {fd}>"$tmp/$1.in"
	inputs[$1]=$fd
	wait_until "$1 waits" grep -qx waits "$tmp/$1.out"
}

# all_end: let all processes end; true if each ends with status 0.
all_end() {
	local name status=0

	for name in root hidden shown; do
		echo >&"${inputs[$name]}"
		fd=${inputs[$name]}
		exec {fd}>&-
		wait "${pids[$name]}" || status=1
	done
	return $status
}

# seen NAME: print what the user sees of that process.
seen() {
	# shellcheck disable=SC2086
	$user "$tmp/shown" at "${pids[$1]}" $number
}

all_begin() {
	begin root "$tmp/shown"
	# shellcheck disable=SC2086
	begin hidden $user "$tmp/hidden"
	# shellcheck disable=SC2086
	begin shown $user "$tmp/shown"
}

all_begin
plain_root=$(seen root) plain_hidden=$(seen hidden) plain_shown=$(seen shown)
plain_maps=$(<"/proc/${pids[shown]}/maps")
check "unprobed, all processes end with status 0" all_end
like "$plain_shown" "^text: process_vm_readv: the number stands there 1 times" \
	"unprobed, the user sees the text of its own process"

at=0x$(symbol "$tmp/shown" secret)
set_probe 0 path="$tmp/shown" offset="$at" flags=1
set_probe 1 path="$tmp/hidden" offset="$at" flags=1
run register 0-1
all_begin
is "$(seen root)" "$plain_root" "the user sees as much of a process of root as unprobed"
is "$(seen hidden | grep -v ^area)" "$plain_hidden" \
	"the user sees as much as unprobed of a program that it may execute but not read"
is "$(seen shown | grep -v ^area)" "$plain_shown" \
	"the user sees as much as unprobed of its own process, apart from the area"
like "$(seen shown)" "^area: process_vm_readv: the number stands there 1 times" \
	"the user sees the area of its own process, with the slot of its instruction"
like "$(seen shown)" "^area: .*in the file behind: (0 times|Operation not permitted)" \
	"the file behind the area does not hold the slot"
# Root sees that the hidden program has an area, too.
like "$("$tmp/shown" at "${pids[hidden]}" $number)" "^area: process_vm_readv: the number stands there 1 times" \
	"root sees the area of the program that the user may not read"
is "$(grep -vF '[uprobes]' "/proc/${pids[shown]}/maps")" "$plain_maps" \
	"the mappings are the same as unprobed, apart from the area"
check "probed, all processes end with status 0" all_end
is "$(all_hits)" "6 0" "each process has two hits"
run unregister 0-1
