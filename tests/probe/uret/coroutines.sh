#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: return probes count each call of coroutines that are suspended in one thread and resumed in another
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2 with FULL=1
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan $((FULL ? 64 : 46))

prog=$progs/coroutines
coroutines=24
rounds=4
[ -z "${FULL:-}" ] || rounds=10

# total COLUMN FUNCTION: print the sum of a column of the program's output, over parent and child.
total() {
	echo "$plain" | awk -v f="$2" -v c="$1" '$2 == f { n += $c } END { print n }'
}

n=0
# Handlers in task context and in the trap, each without and with data from the entry for the return.
for mode in "" throw "throw first" "throw first end" end fork; do
	case $mode${FULL:-} in "throw first" | end) continue ;; esac
	# With two threads, the stack next to a resumed one belongs to the other thread.
	threads=4
	[ "$mode" ] || threads=2
	plain=$("$prog" $threads $coroutines $rounds $mode)
	for how in flags=0 flags=1 "flags=0 entry=1 action=data data=40" "flags=1 entry=1 action=data data=40"; do
		case "$how $mode" in *data*first*) continue ;; esac
		outer=$n
		inner=$((n + 1))
		n=$((n + 2))
		set_probe $outer path="$prog" offset=0x"$(symbol "$prog" probed_outer)" returns=1 $how
		set_probe $inner path="$prog" offset=0x"$(symbol "$prog" probed_inner)" returns=1 $how
		run register $outer-$inner
		is "$("$prog" $threads $coroutines $rounds $mode)" "$plain" \
			"$how $mode: the result is as without probes"
		run unregister $outer-$inner
		for probe in "$outer probed_outer" "$inner probed_inner"; do
			function=${probe#* }
			what="$how $mode: $function: "
			set -- "$(hits ${probe% *})" "$(missed ${probe% *})"
			case $mode in
			throw*)	# Calls that an exception may pass through are misses.
				is $(($1 + $2)) "$(total 3 $function)" "$what each call is a hit or a miss" ;;
			fork)	# The child's calls from before the fork also return in the parent.
				is "$1 $2" "$(($(total 4 $function) - coroutines * (rounds - 1))) 0" \
					"$what all returns are counted" ;;
			*)	is "$1 $2" "$(total 4 $function) 0" "$what all returns are counted" ;;
			esac
		done
	done
done

# A vfork child is another thread in the same address space.
plain=$("$prog" 4 $coroutines $rounds vfork)
set_probe 100 path="$prog" offset=0x"$(symbol "$prog" probed_inner)" returns=1 flags=1
set_probe 101 path="$prog" offset=0x"$(symbol "$prog" probed_leaf)" returns=1 flags=1
check "vfork: return probes are registered" run register 100-101
is "$("$prog" 4 $coroutines $rounds vfork)" "$plain" "vfork: the result is as without probes"
run unregister 100-101
is "$(hits 100) $(missed 100)" "$(total 4 probed_inner) 0" "vfork: probed_inner: all returns are counted"
is "$(hits 101) $(missed 101)" "2 0" "vfork: probed_leaf: the returns in child and parent are counted"
