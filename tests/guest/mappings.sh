#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes follow code that is loaded, unloaded, mapped again and copied over itself
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 42

prog=$tmp/maps
cp "$progs/maps" "$prog"

# traced FILE FUNCTION THING...: run "maps THING..." with a return probe.
traced() {
	file=$1 fn=$2
	shift 2
	"$prog" "$@" >"$tmp/plain"
	insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$file" offset="0x$(symbol "$file" "$fn")"
	"$prog" "$@" >"$tmp/probed"
	is "$? $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" "$*: as unprobed"
	returns=$(param uretprobe_sum returns)
	rmmod uretprobe_sum
}

traced "$(uprobe offset libm cbrt | sed 's/:0x.*//')" cbrt dlopen 20
is "$returns" 20 "dlopen: each call is seen"
traced "$prog" moved unmap
is "$returns" 5 "unmap: each call is seen"
traced "$prog" moved remap 1000
is "$returns" 2000 "remap: each call is seen"

traced "$prog" moved move
is "$returns" 7 "move: each call is seen"
traced "$prog" moved leave
is "$returns" 3 "leave: each call is seen"
traced "$prog" moved int80 move
is "$returns" 7 "move, by int 0x80: each call is seen"
traced "$prog" moved high move
is "$returns" 7 "move, by more than the number: each call is seen"
traced "$prog" moved int80 leave
is "$returns" 3 "leave, by int 0x80: each call is seen"
traced "$prog" moved replace
is "$returns" 4 "replace: each call is seen, and none of the other function"
traced "$prog" moved protect
is "$returns" 6 "protect: each call is seen"
traced "$prog" moved twice
is "$returns" 50 "twice: each call is seen, in whichever mapping"

# Both are probed.  What is no more where the other one is does not keep it from being probed.
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
client=/sys/module/uprobe_client/parameters
for n in 0:moved 1:alike 2:other; do
	echo "${n%:*} path=$prog offset=0x$(symbol "$prog" "${n#*:}")" >$client/set
	echo "register ${n%:*}" >$client/run
done
hits() { awk '$3 != "" { printf "%s%d", (NR > 1 ? " " : ""), $3 }' $client/state; }
is "$("$prog" swap)" "$("$progs/maps" swap)" "swap, both probed: as unprobed"
is "$(hits)" "4 3 0" "swap, both probed: each call is seen"
is "$("$prog" replace)" "$("$progs/maps" replace)" "replace, both probed: as unprobed"
is "$(hits)" "8 3 3" "replace, both probed: each call is seen"
echo "disable 0" >$client/run
"$prog" swap >/dev/null
is "$(hits)" "8 6 3" "swap, one disabled: each call of the other is seen"
"$prog" replace >/dev/null
is "$(hits)" "8 6 6" "replace, one disabled: each call of the other is seen"
rmmod uprobe_client

# A process is probed where it is asked, and not in other mappings of the file.
for thing in protect twice; do
	insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
	client=/sys/module/uprobe_client/parameters
	mkfifo "$tmp/in"
	: >"$out"
	"$prog" $thing wait <"$tmp/in" >"$out" &
	exec 3>"$tmp/in"
	wait_for ready
	echo "0 pid=$! vaddr=$(symbol_in $! "$prog" moved)" >$client/set
	echo "register 0" >$client/run
	echo >&3
	exec 3>&-
	wait $!
	is "$? $(grep -v ready "$out")" "0 $("$prog" $thing)" "$thing, by the process: as unprobed"
	case $thing in
	protect) calls=6 ;;
	twice) calls=20 ;;
	esac
	is "$(awk '$1 == 0 { print $3, $4 }' $client/state)" "$calls 0" "$thing, by the process: each call there is seen"
	rmmod uprobe_client
	rm "$tmp/in"
done
dmesg -C
traced "$prog" moved share
is "$returns" 1 "share: the call in the private mapping is seen"
like "$(dmesg)" "uprobes: maps cannot be probed at 0x[0-9a-f]+: a shared mapping is there" "share: the log says what is not"

# Asked for in the process.
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
mkfifo "$tmp/in"
: >"$out"
"$prog" share wait <"$tmp/in" >"$out" &
exec 3>"$tmp/in"
go_on
wait_for " and "
at=$(awk -v path="$prog" '$2 == "r-xs" && $6 == path { sub(/-.*/, ""); print "0x" $1 }' /proc/$!/maps)
dmesg -C
echo "0 pid=$! vaddr=$at" >$client/set
like "$(bash -c "LC_ALL=C; echo register 0 >$client/run" 2>&1)" "Invalid argument" "share: a probe on the process is refused there"
like "$(dmesg)" "uprobes: $at cannot be probed: a shared mapping is there" "share: the log says why"
go_on
exec 3>&-
wait $!
is "$? $(grep -v ready "$out")" "0 $("$prog" share)" "share: as unprobed"
rmmod uprobe_client

# What comes and goes while it is being probed is no news.
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
for n in 1 2 3; do
	"$prog" flicker &
	flickering="$flickering $!"
done
echo "0 path=$prog offset=0x$(symbol "$prog" moved)" >$client/set
dmesg -C
taken=0
for n in $(seq 25); do
	echo "register 0" >$client/run && taken=$((taken + 1))
	echo "unregister 0" >$client/run
done
is "$taken" 25 "flicker: a probe on the file is taken"
is "$(dmesg | grep 'cannot be probed')" "" "flicker: the log has nothing of mappings that have gone"
# shellcheck disable=SC2086
kill $flickering
rmmod uprobe_client

# Gone while the copied text is in use, and put right.
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" moved)"
"$prog" remap 100000 >"$tmp/probed" &
hit() { [ "$(param uretprobe_sum returns)" -gt 0 ]; }
wait_until "the probe is hit" hit
check "the probe goes while it is being hit" rmmod uretprobe_sum
wait $!
is $? 0 "and the program ends well"
