#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if the kernel's fault injection fails an allocation or copy of the module, the error is right, nothing is left
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"

[ -e /proc/self/fail-nth ] || [ "$UPROBES_KERNEL" = debug ] ||
	skip_all "this kernel has no fault injection"
# Use tmpfs: the file system of the guest's root does not recover from a failed request.
held=$(mktemp -d)
cp "$UPROBES_TOP"/build/progs/{steps,steps_library,textcmp,fail_nth} "$held"
mount --bind "$held" "$UPROBES_TOP/build/progs"
at_exit "umount -l $UPROBES_TOP/build/progs"
. "$UPROBES_TOP/tests/shared/inject.inc"
. "$UPROBES_TOP/tests/shared/inject_client.inc"
. "$UPROBES_TOP/tests/shared/inject_kernel.inc"
dir=/sys/kernel/debug/uprobes
mkfifo "$tmp/go" "$tmp/says" "$tmp/never"

# fails WHAT WORKS FILE TEXT UNDO-TEXT [UNDO-FILE]: write TEXT to FILE with the first fault point of
# the kernel failing, then with the second, and so on. If a write has no error all the same, WORKS
# must hold, or the log must say what does not work. Two results.
fails() {
	local what=$1 works=$2 line worker said= wrong=0

	"$progs/fail_nth" "$3" "$4" "${6:-$3}" "$5" <"$tmp/go" >"$tmp/says" 2>&1 &
	worker=$!
	exec 8>"$tmp/go" 9<"$tmp/says"
	while read -r line <&9; do
		case $line in
		done*)
			round_mark="fail_nth ${line#done }"
			$works >"$tmp/works" 2>&1 || [ -n "$(told)" ] || {
				wrong=$((wrong + 1))
				diag "$what, fault ${line#done }: no error, and the log does not say what does not work" \
					"$(<"$tmp/works")"
			}
			echo >&8
			;;
		*)
			[ -z "$said" ] || diag "$said"
			said=$line
			;;
		esac
	done
	exec 8>&- 9<&-
	wait $worker
	is "$? $wrong" "0 0" "$what: $said"
	check "$what: nothing is left" $gone
}
gone=none_left

# calls_seen COMMAND: three calls have the right result, and COMMAND counts three more in "counted".
# This starts no process: it runs hundreds of times, and on a debug kernel a process takes a second.
calls_seen() {
	local said before tries

	$1
	before=$counted
	mapfile -t said <"$out"
	echo "call 3" >&3
	for ((tries = 0; tries < 3000 * ${TEST_TIMEOUT_SCALE:-1}; tries++)); do
		mapfile -t -s ${#said[@]} answer <"$out"
		[ ${#answer[@]} = 0 ] || break
		read -r -t 0.01 <>"$tmp/never"
	done
	$1
	[ "${answer[*]}" = "call 912" ] && [ $((counted - before)) = 3 ] || {
		echo "\"${answer[*]}\", $((counted - before)) of 3 were seen"
		return 1
	}
}
count_hits() {
	local number registered hits rest

	while read -r number registered hits rest; do
		[ "$number" != $n ] || counted=$hits
	done <$client_dir/state
}
count_records() {
	local records

	mapfile -t records <$dir/trace
	counted=0
	for record in "${records[@]}"; do
		[[ $record != *n=* ]] || counted=$((counted + 1))
	done
}

# WORKS for a probe, an enabled event, a definition, a larger buffer and a filter.
hit_one() {
	calls_seen count_hits
}
enabled_event() {
	: >$dir/trace
	calls_seen count_records
}
defined() {
	[ -e $dir/events/uprobes/e/format ]
}
grown() {
	[ "$(<$dir/buffer_size_kb)" = 64 ]
}
filtered() {
	[[ $(<$dir/events/uprobes/e/filter) == *"n > 5"* ]]
}

ktap_plan 28

n=0
for what in "a process" "a process, in the trap flags=1" "returns, with data returns=1 data=64 entry=1" \
	    "a child, too, with a counter flags=4 ref=$counter"; do
	set_probe $n $in_process $(echo "$what" | tr ' ' '\n' | grep =)
	fails "registering for $what" hit_one $client_dir/run "register $n" "unregister $n"
	n=$((n + 1))
done
for what in "a file" "returns in a file returns=1" "a file with a counter ref=$counter"; do
	set_probe $n $in_file $(echo "$what" | tr ' ' '\n' | grep =)
	fails "registering for $what" hit_one $client_dir/run "register $n" "unregister $n"
	n=$((n + 1))
done
n=9
set_probe 9 $in_process flags=2
run register 9
gone="$progs/textcmp $first"
fails "enabling" hit_one $client_dir/run "enable 9" "disable 9"
gone=none_left
run unregister 9
check "unregistering after enabling leaves nothing" none_left

definition="p:e $progs/steps:$offset n=%di:u64 s=+0(%si):string"
fails "a definition" defined $dir/uprobe_events "$definition" "-:e"
echo "$definition" >>$dir/uprobe_events
fails "enabling an event" enabled_event $dir/events/uprobes/e/enable 1 0
fails "a filter" filtered $dir/events/uprobes/e/filter 'n > 5 && comm == "x"' 0
echo 32 >$dir/buffer_size_kb
fails "a larger buffer, which takes pages" grown $dir/buffer_size_kb 64 32
echo >$dir/uprobe_events
is "$(step call 3)" "call 912" "the program still returns the right result"
is "$(never_fired)" "" "each kind of fault occurred: $(fired)"
check "the client and the module unload" sh -c "rmmod uprobe_client && rmmod uprobes_trace uprobes"
load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
