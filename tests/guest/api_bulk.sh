#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: many probes are registered at once, all of them or none
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 25

libc=$(ldd "$progs/steps" | awk '/libc.so/ { print $3 }')
steps
base=$(awk -v path="$(readlink -f "$libc")" '$6 == path { split($1, r, "-"); print "0x" r[1]; exit }' "/proc/$pid/maps")
# Functions of libc, as objdump sees them, at most 400.
readelf -Ws --dyn-syms "$libc" | awk '$4 == "FUNC" && $7 != "UND" && $3 > 20 { print $2 }' | sort -u | head -400 >"$tmp/functions"
nr=$(wc -l <"$tmp/functions")
last=$((nr - 1))

# Breakpoints in the program's text.
breakpoints() {
	"$progs/textcmp" $pid | grep -c 'memory 0xcc$'
}

# Return probes: one that fails in the middle.
for scope in process file; do
	case $scope in
	process) first=500 ;;
	file) first=510 ;;
	esac
	for i in 0 1 2; do
		case $scope in
		process) set_probe $((first + i)) pid=$pid vaddr="$nest" returns=1 flags=$((i % 2)) path= ;;
		file) set_probe $((first + i)) path="$progs/steps" offset="$(file_offset "$progs/steps" nest)" \
			returns=1 flags=$((i % 2)) ;;
		esac
	done
	check "$scope: return probes are registered at once" run register $first-$((first + 2))
	is "$(step nest 9) $(hits $first) $(hits $((first + 1))) $(hits $((first + 2)))" "nest 45 10 10 10" "$scope: each has its returns"
	run unregister $first-$((first + 2))
	case $scope in
	process) set_probe $((first + 1)) vaddr=0 ;;
	file) set_probe $((first + 1)) offset=1000000000 ;;
	esac
	check_fails "$scope: one that cannot be probed makes all fail" run register $first-$((first + 2))
	is "$(awk '$2' $client_dir/state)$(breakpoints) $(step nest 9) $(hits $first)" "0 nest 45 10" \
		"$scope: and leaves nothing"
done

# The last of them is registered already, by somebody else as it were.
for i in 520 521 522; do
	set_probe $i pid=$pid vaddr="$work" flags=1
done
run register 522
check_fails "one that is registered makes all fail" run register 520-522
is "$(registered 520) $(registered 521) $(registered 522)" "0 0 1" "and stays as it was"
is "$(step call 2) $(hits 520) $(hits 521) $(hits 522)" "call 605 0 0 2" "and is hit"
run unregister 520-522

for scope in process file; do
	n=0
	while read -r offset; do
		case $scope in
		process) set_probe $n pid=$pid vaddr=$((base + 0x$offset)) path= ;;
		file) set_probe $n path="$libc" offset=0x"$offset" ;;
		esac
		n=$((n + 1))
	done <"$tmp/functions"
	check "$scope: $nr functions of libc are probed at once" run register 0-$last
	is "$(breakpoints)" "$nr" "$scope: breakpoints are in the text"
	check "$scope: the program runs" step call 3
	check "$scope: and is unregistered at once" run unregister 0-$last
	check "$scope: the text is what it was" "$progs/textcmp" $pid
	# One that fails in the middle.
	case $scope in
	process) set_probe $((nr / 2)) vaddr=0 ;;
	file) set_probe $((nr / 2)) offset=1000000000 ;;
	esac
	check_fails "$scope: one that cannot be probed makes all fail" run register 0-$last
	is "$(awk '$2' $client_dir/state)$(breakpoints)" 0 "$scope: and leaves nothing"
done
end_steps
