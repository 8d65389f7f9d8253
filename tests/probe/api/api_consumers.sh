#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if probes of a function change in the middle of a call, each sees exactly what it was registered for
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 20

# Four probes: two on the entry, two on the return. Of each two, one has its handler in the trap, the
# other in task context. Try 16 sets before the middle of a call, each with 16 sets after it; without
# FULL=1 only with four sets, in which each entry and each return still changes in every way.
offset=$(file_offset "$progs/steps" inside)
for i in 0 1 2 3; do
	set_probe $i path="$progs/steps" offset="$offset" flags=$((i % 2)) returns=$((i / 2))
done

mkfifo "$tmp/to" "$tmp/from"
"$progs/steps" <"$tmp/to" >"$tmp/from" &
exec 3>"$tmp/to" 4<"$tmp/from"
read -r _ <&4

# have SET: register exactly the probes of SET, one bit each; $had is the set until now.
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

# called: set $calls to the number of handler calls of each probe since the last time.
called() {
	local i n=(0 0 0 0)

	read -r calls <$client_dir/order
	for i in $calls; do
		n[i]=$((n[i] + 1))
	done
	calls=${n[*]}
	echo >$client_dir/order
}

# bits SET: set $bits to the bits of SET, in the form of $calls.
bits() {
	bits="$(($1 & 1)) $(($1 >> 1 & 1)) $(($1 >> 2 & 1)) $(($1 >> 3 & 1))"
}

# wrong SET WHAT: print a line unless each probe of SET was called once, and no other.
wrong() {
	called
	bits "$1"
	[ "$calls" = "$bits" ] || echo "$before, then $after: $2: called $calls, wanted $bits"
}

# begin, end: begin a call of the function, which waits inside; let this call return.
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
		# Only a return probe that was registered during the whole call sees its return.
		wrong $((before & after & 12)) "returns of the call"
		begin
		end
		wrong "$after" "the next call"
	done >"$tmp/wrong"
	is "$(cat "$tmp/wrong")" "" "from set $before to others: each probe sees what it should"
done
have 0
is "$(awk '$2 || $4' $client_dir/state)" "" "no probe is registered any more, and no miss is counted"
is "$call" $((2 * tried)) "the program has made two calls for each pair of sets"
is "$tried" "$([ -n "${FULL:-}" ] && echo 256 || echo 64)" "all planned pairs of sets were tried"
exec 3>&-
wait "$!"
is $? 0 "the program ends with status 0"
