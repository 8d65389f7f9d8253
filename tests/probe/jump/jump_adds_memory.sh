#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: values and keys in memory are added up without a trap, as they are by traps; no address hurts the program
# full: the time of the default run is used up
# cpus: 2
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"

prog=$tmp/texts
cp "$progs/texts" "$prog"
chmod 755 "$tmp" "$prog"
place=$prog:$(($(printf '%d' 0x$(symbol "$prog" text_call)) - $(text_start "$prog")))

definitions=(
	'+8(%si):u64'
	'+8(%si):s64'
	'+24(%si):s16'
	'+26(%si):u8'
	'+8(+0(%si)):s64'
	'+0(+16(%si)):u32'
	'+0(+0(+16(%si))):u32'
	'%dx:s64 +26(%si):u8'
	'+28(%si):u32 +26(%si):s8'
	'+8(+0(+0(%si))):s64 %dx:u8'
	'+28(%si):b7@3/32'
)
ktap_plan $((6 * ${#definitions[@]} + 6))

say() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
	echo "$answer"
}

begin() {
	coproc program { cd "$tmp" && exec setpriv --reuid=1000 --regid=1000 --clear-groups "$prog"; }
	read -r pid <&"${program[0]}"
	exec 8<>$dir/aggregate
	echo "p:added $place $1" >&8 || diag "refused: $1"
	calls=0
}

end() {
	exec {program[1]}>&-
	wait "$pid"
	exec 8<&-
}

# added: print what was added up, in the order of the keys.
added() { cat <&8 | sort; }

# trapping: print why hits trap.
trapping() { sed -n 's/^added [0-9]* 0x[0-9a-f]* //p' /proc/$$/fdinfo/8; }

# warm: check that the place has a jump, after calls that do not fault.
warm() {
	say plain 100 >/dev/null
	calls=$((calls + 100))
	[ "$(jumps)" -ge 1 ]
}

"$UPROBES_TOP/userspace/uprobe" doctor >/dev/null 2>&1
# The handler of a trap is seen by ftrace, not by a breakpoint.
tracing=/sys/kernel/tracing
mountpoint -q $tracing || mount -t tracefs tracefs $tracing
echo "p:traps/value uprobes_trace:on_value" >>$tracing/kprobe_events
echo 1 >$tracing/events/traps/enable

# handled: print how many hits were handled by a trap so far.
handled() { awk '$1 == "value" { print $2 + $3 }' $tracing/kprobe_profile; }

for definition in "${definitions[@]}"; do
	jump 1
	begin "$definition"
	check "$definition: the place has a jump" in_time warm
	like "$(trapping | sort -u)" "^no trap\$" "and needs no trap"
	before=$(handled)
	say plain 500 >/dev/null
	trapped=$(($(handled) - before))
	# Two of three values are negative there, and such a hit traps. A bit field is recorded.
	[[ $definition == +*:s[0-9]* ]] && most=400 || most=150
	# The first bytes of a name are no address.
	if [[ $definition == *'(+0(+16('* ]]; then
		is "$trapped" 500 "$definition: all hits trap, as there is no address"
	else
		check "$definition: few hits trap: $trapped" [ "$trapped" -lt $most ]
	fi
	say run 2000 >"$tmp/answer.1"
	added >"$tmp/added.1"
	end
	jump 0
	warmed=$calls
	begin "$definition"
	for ((; calls < warmed; calls += 100)); do
		say plain 100 >/dev/null
	done
	say plain 500 >/dev/null
	say run 2000 >"$tmp/answer.0"
	added >"$tmp/added.0"
	end
	check "the sums are the same" diff "$tmp/added.0" "$tmp/added.1"
	is "$(cut -d' ' -f 1,2 "$tmp/answer.1")" "$(cut -d' ' -f 1,2 "$tmp/answer.0")" "and so are the program's results"
	like "$(cat "$tmp/answer.1")" " 0$" "and no signal"
done
echo 0 >$tracing/events/traps/enable
echo -:traps/value >>$tracing/kprobe_events

# Threads, and a page that comes and goes: each hit is added, or could not be read.
jump 1
begin '+0(%di):u8 +26(%si):u8'
check "the place has a jump" in_time warm
like "$(say threads 5000)" "^5000 .* 0$" "a page that comes and goes gives no signal"
is "$(added | awk '$1 == "added" { print $2 + $3 }')" $((calls + 20000)) "each hit is added, or could not be read"

# The module goes while threads load.
echo threads 1000000 >&"${program[1]}"
sleep 0.3
check_fails "threads run" read -rt 0 -u "${program[0]}"
exec 8<&-
rmmod uprobes_trace
check "the module goes" rmmod uprobes
read -r answer <&"${program[0]}"
like "$answer" "^1000000 .* 0$" "the program goes on"
exec {program[1]}>&-
wait "$pid"
load_module
