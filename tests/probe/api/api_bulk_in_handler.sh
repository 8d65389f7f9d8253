#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a handler can unregister several probes in one call, its own among them, but cannot register several
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 33

# told FIRST: print the number of callbacks, and the last result, of each of three probes.
told() {
	awk -v n="$1" '$1 >= n && $1 <= n + 2 { printf("%s%d:%d", ($1 > n ? " " : ""), $8, $9) }' $client_dir/state
}
gone() { awk -v n="$1" '$1 >= n && $1 <= n + 2 && $2' $client_dir/state | wc -l; }

steps
plain=$(step call 10)
n=0
for scope in process file; do
	for returns in 0 1; do
		for flags in 0 1; do
			what="on a $scope, returns=$returns flags=$flags"
			case $scope in
			process) where="pid=$pid vaddr=$work" ;;
			file) where="path=$progs/steps offset=$(uprobe offset "$progs/steps" work | sed 's/.*://')" ;;
			esac
			# All three probes are at the same address. The first one's handler unregisters them.
			for i in 0 1 2; do
				# shellcheck disable=SC2086
				set_probe $((n + i)) $where returns=$returns flags=$flags
			done
			set_probe $n action=bulk other=$n
			run register $n-$((n + 2))
			is "$(step call 10)" "$plain" "$what: the program's result is right"
			check "$what: all three probes are unregistered" until_is 0 gone $n
			check "$what: each callback is called once, with result 0" until_is "1:0 1:0 1:0" told $n
			seen=$(calls $n)
			step call 10 >/dev/null
			is "$(calls $n)" "$seen" "$what: no handler is called afterwards"
			n=$((n + 3))
		done
	done
done
check "the text equals the file" "$progs/textcmp" "$pid"
