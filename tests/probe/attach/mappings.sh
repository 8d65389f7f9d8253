#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes follow code that is loaded, unloaded, mapped again and copied over itself
# cpus: 2 with FULL=1
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 42

prog=$tmp/maps
cp "$progs/maps" "$prog"

# traced FILE FUNCTION THING...: run "maps THING..." with a return probe on FUNCTION. One result.
traced() {
	file=$1 fn=$2
	shift 2
	"$prog" "$@" >"$tmp/plain"
	insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$file" offset="0x$(symbol "$file" "$fn")"
	"$prog" "$@" >"$tmp/probed"
	is "$? $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" "$*: the output is the same as unprobed"
	returns=$(param uretprobe_sum returns)
	rmmod uretprobe_sum
}

traced "$(uprobe offset libm cbrt | sed 's/:0x.*//')" cbrt dlopen 20
is "$returns" 20 "dlopen: each call is counted"
times=200
[ -z "${FULL:-}" ] || times=1000
traced "$prog" moved unmap
is "$returns" 5 "unmap: each call is counted"
traced "$prog" moved remap $times
is "$returns" $((2 * times)) "remap: each call is counted"

traced "$prog" moved move
is "$returns" 7 "move: each call is counted"
traced "$prog" moved leave
is "$returns" 3 "leave: each call is counted"
traced "$prog" moved int80 move
is "$returns" 7 "move, by int 0x80: each call is counted"
traced "$prog" moved high move
is "$returns" 7 "move, with high bits set in the system call number: each call is counted"
traced "$prog" moved int80 leave
is "$returns" 3 "leave, by int 0x80: each call is counted"
traced "$prog" moved replace
is "$returns" 4 "replace: each call is counted, and none of the other function"
traced "$prog" moved protect
is "$returns" 6 "protect: each call is counted"
traced "$prog" moved twice
is "$returns" 50 "twice: each call is counted, in each mapping"

# Both functions are probed.  A site of the one that is gone does not keep the one that took its
# place from being probed.
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
client=/sys/module/uprobe_client/parameters
for n in 0:moved 1:alike 2:other; do
	echo "${n%:*} path=$prog offset=0x$(symbol "$prog" "${n#*:}")" >$client/set
	echo "register ${n%:*}" >$client/run
done
hits() { awk '$3 != "" { printf "%s%d", (NR > 1 ? " " : ""), $3 }' $client/state; }
is "$("$prog" swap)" "$("$progs/maps" swap)" "swap, both probed: the output is the same as unprobed"
is "$(hits)" "4 3 0" "swap, both probed: each call is counted"
is "$("$prog" replace)" "$("$progs/maps" replace)" "replace, both probed: the output is the same as unprobed"
is "$(hits)" "8 3 3" "replace, both probed: each call is counted"
echo "disable 0" >$client/run
"$prog" swap >/dev/null
is "$(hits)" "8 6 3" "swap, one disabled: each call of the other is counted"
"$prog" replace >/dev/null
is "$(hits)" "8 6 6" "replace, one disabled: each call of the other is counted"
rmmod uprobe_client

# A probe on a process is hit at its address only, and not in other mappings of the file.
for thing in protect twice; do
	insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
	client=/sys/module/uprobe_client/parameters
	start_program ready "$prog" $thing wait
	echo "0 pid=$! vaddr=$(symbol_in $! "$prog" moved)" >$client/set
	echo "register 0" >$client/run
	echo >&3
	exec 3>&-
	wait $!
	is "$? $(grep -v ready "$out")" "0 $("$prog" $thing)" \
		"$thing, probe on the process: the output is the same as unprobed"
	case $thing in
	protect) calls=6 ;;
	twice) calls=20 ;;
	esac
	is "$(awk '$1 == 0 { print $3, $4 }' $client/state)" "$calls 0" \
		"$thing, probe on the process: each call there is counted"
	rmmod uprobe_client
	rm "$tmp/in"
done
dmesg -C
traced "$prog" moved share
is "$returns" 1 "share: the call in the private mapping is counted"
like "$(dmesg)" "uprobes: maps cannot be probed at 0x[0-9a-f]+: a shared mapping is there" \
	"share: the log says that the shared mapping cannot be probed"

# A probe on the process, in the shared mapping.
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
like "$(bash -c "LC_ALL=C; echo register 0 >$client/run" 2>&1)" "Invalid argument" \
	"share: a probe on the process is refused in the shared mapping"
like "$(dmesg)" "uprobes: $at cannot be probed: a shared mapping is there" "share: the log says why"
go_on
exec 3>&-
wait $!
is "$? $(grep -v ready "$out")" "0 $("$prog" share)" "share, probe refused: the output is the same as unprobed"
rmmod uprobe_client

# If a mapping goes away while it is being probed, the log does not mention it.
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
is "$taken" 25 "flicker: each registration on the file succeeds"
is "$(dmesg | grep 'cannot be probed')" "" "flicker: the log does not mention mappings that have gone"
# shellcheck disable=SC2086
kill $flickering
rmmod uprobe_client

# Unregister the probe while the program copies the text and calls it.
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" moved)"
"$prog" remap 100000 >"$tmp/probed" &
hit() { [ "$(param uretprobe_sum returns)" -gt 0 ]; }
wait_until "the probe is hit" hit
check "the client unloads while its probe is being hit" rmmod uretprobe_sum
wait $!
is $? 0 "the program ends with status 0"
