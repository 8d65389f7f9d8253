#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: an ordinary user sees no more of a probed process than of an unprobed one, but the area of those that it may look into anyway
# needs: setpriv setarch
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 11

number=0x5ec4e75ec4e75ec4
user="setpriv --reuid 65534 --regid 65534 --clear-groups"
chmod 755 "$tmp"
for name in hidden shown; do
	cp "$progs/looks" "$tmp/$name"
done
chmod 711 "$tmp/hidden"
chmod 755 "$tmp/shown"

# begin NAME COMMAND...: it waits, at addresses that are the same each time.
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

# all_end: they do, and well.
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

# seen NAME: by the user, of that process.
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
check "unprobed, all end well" all_end
like "$plain_shown" "^text: process_vm_readv: the number stands there 1 times" "of its own process the user sees the text"

at=0x$(symbol "$tmp/shown" secret)
set_probe 0 path="$tmp/shown" offset="$at" flags=1
set_probe 1 path="$tmp/hidden" offset="$at" flags=1
run register 0-1
all_begin
is "$(seen root)" "$plain_root" "of a process of root's as much as unprobed"
is "$(seen hidden | grep -v ^area)" "$plain_hidden" "of a program that the user may execute and not read as much"
is "$(seen shown | grep -v ^area)" "$plain_shown" "of a process of the user's own as much"
like "$(seen shown)" "^area: process_vm_readv: the number stands there 1 times" "and its area, with the slot of its own instruction"
like "$(seen shown)" "^area: .*in the file behind: (0 times|Operation not permitted)" "of which nothing is in the file behind it"
# What root sees shows that the hidden program has one, too.
like "$("$tmp/shown" at "${pids[hidden]}" $number)" "^area: process_vm_readv: the number stands there 1 times" \
	"root sees that of the other program"
is "$(grep -vF '[uprobes]' "/proc/${pids[shown]}/maps")" "$plain_maps" "the mappings are the same, but for the area"
check "all end well" all_end
is "$(all_hits)" "6 0" "each was hit twice"
run unregister 0-1
