#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: whichever probes of a function there are before and after others come and go in the middle of a call, each sees what it was there for
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 20

# Four probes: two of the entry, two of the return; one of each in the trap, the other in task
# context. 16 sets of them before the middle of a call, each with 16 sets after it; without FULL=1
# with four, so that both entries and both returns change in each way.
offset=$(file_offset "$progs/steps" inside)
for i in 0 1 2 3; do
	set_probe $i path="$progs/steps" offset="$offset" flags=$((i % 2)) returns=$((i / 2))
done

mkfifo "$tmp/to" "$tmp/from"
"$progs/steps" <"$tmp/to" >"$tmp/from" &
exec 3>"$tmp/to" 4<"$tmp/from"
read -r _ <&4

# have SET: exactly the probes of the set, a bit each, are registered; $had is the set until now.
had=0
have() {
	local i

	for i in 0 1 2 3; do
		case $((had >> i & 1))$(($1 >> i & 1)) in
		01) echo "register $i" ;;
		10) echo "unregister $i" ;;
		*) continue ;;
		esac >$client_dir/run
	done
	had=$1
}

# called: how often the handlers of each probe were called since the last time, in $calls.
called() {
	local i n=(0 0 0 0)

	read -r calls <$client_dir/order
	for i in $calls; do
		n[i]=$((n[i] + 1))
	done
	calls=${n[*]}
	echo >$client_dir/order
}

# bits SET: its bits, as called() has them, in $bits.
bits() {
	bits="$(($1 & 1)) $(($1 >> 1 & 1)) $(($1 >> 2 & 1)) $(($1 >> 3 & 1))"
}

# wrong SET WHAT: says so unless each probe of the set was called once, and no other.
wrong() {
	called
	bits "$1"
	[ "$calls" = "$bits" ] || echo "$before, then $after: $2: called $calls, wanted $bits"
}

# begin, end: a call of the function, which waits inside in between.
call=0
begin() {
	call=$((call + 1))
	echo "inside $call" >&3
	read -r said <&4
	[ "$said" = inside ] || echo "$before, then $after: \"$said\" instead of \"inside\""
}
end() {
	echo >&3
	read -r said <&4
	[ "$said" = "inside $call" ] || echo "$before, then $after: \"$said\" instead of \"inside $call\""
}

tried=0
echo >$client_dir/order
for before in {0..15}; do
	for after in {0..15}; do
		[ -n "${FULL:-}" ] || [ $(((before + before / 4 + after + after / 4) % 4)) = 0 ] || continue
		tried=$((tried + 1))
		have "$before"
		begin
		wrong $((before & 3)) "entries"
		have "$after"
		end
		# A return is seen by who was there for the whole call.
		wrong $((before & after & 12)) "returns of the call"
		begin
		end
		wrong "$after" "the next call"
	done >"$tmp/wrong"
	is "$(cat "$tmp/wrong")" "" "those of the set $before, then others"
done
have 0
is "$(awk '$2 || $4' $client_dir/state)" "" "nothing was missed, and nothing is left"
is "$call" $((2 * tried)) "all calls were made"
is "$tried" "$([ -n "${FULL:-}" ] && echo 256 || echo 64)" "with as many pairs of sets as there are to be"
exec 3>&-
wait "$!"
is $? 0 "the program ends well"
