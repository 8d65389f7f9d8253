#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where a program counts without a trap, signals show no pad, and repeat and lose no hit
# once: signals and signal_kprobed cover the differences between kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
things=
[ -z "${FULL:-}" ] || things="walk 5000"
ktap_plan $((FULL ? 14 : 11))

calls=1500
[ -z "${FULL:-}" ] || calls=5000
for thing in faults syscalls eintr "jumps 50" "storm $calls" ${things:+"$things"}; do
	# shellcheck disable=SC2086
	"$progs/signals" $thing >"$tmp/plain" 2>/dev/null
	echo "status 0" >>"$tmp/plain"
	# A signal at a place keeps it from having a jump, and on a machine with a load the jumps may come late.
	for round in 0 1 2 3 4 5 6 7 8; do
		on=$((round > 0))
		# A site keeps its slot and its pad, so each round needs a new file.
		prog=$tmp/signals.$round.${thing%% *}
		cp "$progs/signals" "$prog"
		jump $on
		# shellcheck disable=SC2046
		count_begin "$prog" $(spread_instructions "$prog" work leaf reader syscall load load_at divide \
			divide_at illegal illegal_at call_null call_null_at store_rip store_rip_at)
		# shellcheck disable=SC2086
		"$prog" $thing >"$tmp/out.$on" 2>"$tmp/stderr" &
		seen=0 state=
		while [ "$state" != Z ] && read -r _ _ state _ <"/proc/$!/stat"; do
			read -r now <"$jump_params/jumps"
			[ "$now" = 0 ] || seen=1
		done 2>/dev/null
		wait $!
		echo "status $?" >>"$tmp/out.$on"
		diag "$(cat "$tmp/stderr")"
		counts >"$tmp/counts.$on"
		count_end
		[ $on = 1 ] || continue
		# Other things need no jump. What is wrong in any round stays so.
		case $thing in
		storm* | walk*) ;;
		*) break ;;
		esac
		if [ $seen = 1 ] || ! cmp -s "$tmp/out.1" "$tmp/plain" || ! cmp -s "$tmp/counts.1" "$tmp/counts.0"; then
			break
		fi
	done
	is "$(cat "$tmp/out.1")" "$(cat "$tmp/plain")" "$thing: the output is the same as unprobed"
	if [ "${thing%% *}" = syscalls ] || [ "${thing%% *}" = eintr ]; then
		is "$(wc -l <"$tmp/counts.1")" "$(wc -l <"$tmp/counts.0")" "$thing: the same places are hit"
	else
		# A fault whose handler does not return keeps a place from having a jump.
		case $thing in
		storm* | walk*) is "$seen" 1 "$thing: there were jumps meanwhile" ;;
		esac
		is "$(cat "$tmp/counts.1")" "$(cat "$tmp/counts.0")" "$thing: the counts are those of traps"
	fi
done
