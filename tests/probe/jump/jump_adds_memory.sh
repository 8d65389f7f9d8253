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
	'+8(%si):s64'
	'+24(%si):s16'
	'+26(%si):u8'
	'+8(+0(%si)):s64'
	'+0(+0(+16(%si))):u32'
	'%dx:s64 +26(%si):u8'
	'+28(%si):u32 +26(%si):s8'
	'+8(+0(+0(%si))):s64 %dx:u8'
	'+28(%si):b7@3/32'
)
ktap_plan $((5 * ${#definitions[@]} + 5))

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
for definition in "${definitions[@]}"; do
	for on in 0 1; do
		jump $on
		begin "$definition"
		say plain 100 >/dev/null
		[ $on = 0 ] || check "$definition: the place has a jump" in_time warm
		[ $on = 0 ] || like "$(trapping | sort -u)" "^no trap\$" "and needs no trap"
		end
		# The same calls, from the first one on.
		begin "$definition"
		say run 2000 >"$tmp/answer.$on"
		added >"$tmp/added.$on"
		end
	done
	check "the sums are the same" diff "$tmp/added.0" "$tmp/added.1"
	is "$(cat "$tmp/answer.1")" "$(cat "$tmp/answer.0")" "and so are the program's results"
	like "$(cat "$tmp/answer.1")" " 0$" "and no signal"
done

# Threads, and a page that comes and goes: each hit is added, or could not be read.
jump 1
begin '+0(%di):u8 +26(%si):u8'
check "the place has a jump" in_time warm
like "$(say threads 5000)" "^5000 .* 0$" "a page that comes and goes gives no signal"
is "$(added | awk '$1 == "added" { print $2 + $3 }')" $((calls + 20000)) "each hit is added, or could not be read"

# The module goes while threads load.
echo threads 100000 >&"${program[1]}"
sleep 0.3
exec 8<&-
rmmod uprobes_trace
check "the module goes" rmmod uprobes
read -r answer <&"${program[0]}"
like "$answer" "^100000 .* 0$" "the program goes on"
exec {program[1]}>&-
wait "$pid"
load_module
