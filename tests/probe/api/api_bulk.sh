#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: one call registers many probes: all of them or none
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 25

libc=$(ldd "$progs/steps" | awk '/libc.so/ { print $3 }')
steps
base=$(awk -v path="$(readlink -f "$libc")" '$6 == path { split($1, r, "-"); print "0x" r[1]; exit }' "/proc/$pid/maps")
# At most 400 functions of libc.
readelf -Ws --dyn-syms "$libc" | awk '$4 == "FUNC" && $7 != "UND" && $3 > 20 { print $2 }' | sort -u | head -400 >"$tmp/functions"
nr=$(wc -l <"$tmp/functions")
last=$((nr - 1))

# breakpoints: print the number of breakpoints in the program's text.
breakpoints() {
	"$progs/textcmp" $pid | grep -c 'memory 0xcc$'
}

# Three return probes; later, the one in the middle cannot be registered.
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
	check "$scope: one call registers three return probes" run register $first-$((first + 2))
	is "$(step nest 9) $(hits $first) $(hits $((first + 1))) $(hits $((first + 2)))" "nest 45 10 10 10" \
		"$scope: each of the three counts all returns"
	run unregister $first-$((first + 2))
	case $scope in
	process) set_probe $((first + 1)) vaddr=0 ;;
	file) set_probe $((first + 1)) offset=1000000000 ;;
	esac
	check_fails "$scope: one invalid return probe makes the call fail" run register $first-$((first + 2))
	is "$(awk '$2' $client_dir/state)$(breakpoints) $(step nest 9) $(hits $first)" "0 nest 45 10" \
		"$scope: the failed call leaves no return probe"
done

# The last of three is registered already.
for i in 520 521 522; do
	set_probe $i pid=$pid vaddr="$work" flags=1
done
run register 522
check_fails "one probe that is already registered makes the call fail" run register 520-522
is "$(registered 520) $(registered 521) $(registered 522)" "0 0 1" "this probe stays registered, the others are not"
is "$(step call 2) $(hits 520) $(hits 521) $(hits 522)" "call 605 0 0 2" "this probe is still hit, the others are not"
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
	check "$scope: one call probes $nr functions of libc" run register 0-$last
	is "$(breakpoints)" "$nr" "$scope: each function has a breakpoint in the text"
	check "$scope: the probed program runs" step call 3
	check "$scope: one call unregisters all probes" run unregister 0-$last
	check "$scope: the text equals the file again" "$progs/textcmp" $pid
	# The probe in the middle cannot be registered.
	case $scope in
	process) set_probe $((nr / 2)) vaddr=0 ;;
	file) set_probe $((nr / 2)) offset=1000000000 ;;
	esac
	check_fails "$scope: one invalid probe makes the call fail" run register 0-$last
	is "$(awk '$2' $client_dir/state)$(breakpoints)" 0 "$scope: the failed call leaves no probe and no breakpoint"
done
end_steps
