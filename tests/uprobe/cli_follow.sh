#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a probed file that is replaced during a run is followed: the new one is probed, too
# full: it waits until files are looked at again, a dozen times
# once: the helper is the same on all kernels
# timeout: 60
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 12
t=$tmp/traced

# replace TEXT: put another file in the place of the program, and wait until the helper says TEXT.
replace() {
	cp "$t" "$tmp/new"
	mv "$tmp/new" "$t"
	wait_until "the helper has noticed" grep -q "$1" "$tmp/err"
}
follows="$t was replaced: the new file is now probed as well"

# both: run the program, replace its file, run the new one, and end the helper.
both() {
	"$t" ticks 1 5
	replace "$follows"
	"$t" ticks 1 7
	stop
}

start count "p:$t:tick"
both
is "$(awk '$2 == "tick" { print $1 }' "$tmp/out")" 12 "count: the hits of both files add up"
start lat "$t:tick" "$t:text"
both
like "$(cat "$tmp/out")" '^tick: 12 calls' "lat: the calls of both files add up"
start count --json "$t:t*"
both
is "$(grep -c '"tick"' "$tmp/out")" 1 "count: a pattern has one line for a function of both files"
like "$(cat "$tmp/out")" '"tick","hits":12' "count: with the hits of both"
start "p:$t:tick n=%di:s32"
both
is "$(fields "$tmp/out" | grep -c '^tick: ')" 12 "events: those of both files are shown"
like "$(cat "$tmp/err")" '12 events shown, 12 hits, 0 missed' "events: and counted"
start stacks "p:$t:tick"
both
like "$(cat "$tmp/out")" '12 .*tick' "stacks: those of both files add up"
start flow --summary "$t:tick"
both
like "$(cat "$tmp/out")" ' 12 .*tick' "flow: the calls of both files add up"

start count "p:$(uprobe offset "$t" tick)"
"$t" ticks 1 5
replace "is not probed in the new file, as an address is another place there"
stop
ok "an address is not followed, and a note says so"

start count --no-follow "p:$t:tick"
"$t" ticks 1 5
cp "$t" "$tmp/new"
mv "$tmp/new" "$t"
sleep 1
"$t" ticks 1 7
stop
is "$(awk '$2 == "tick" { print $1 }' "$tmp/out") $(grep -c replaced "$tmp/err")" "5 0" "--no-follow: the new file is not probed"

start count "p:$t:tick"
"$t" ticks 1 5
cp /bin/true "$tmp/new"
mv "$tmp/new" "$t"
wait_until "the helper has noticed" grep -q "was replaced, and the new file is not probed: " "$tmp/err"
stop
is "$(awk '$2 == "tick" { print $1 }' "$tmp/out")" 5 "if the new file has no such function, a note says so"

# Under overlayfs, the first change copies a file to another layer.
IFS=.- read -r major minor _ < <(uname -r)
if [ $((major * 1000 + minor)) -ge 6008 ]; then
	skip "overlayfs: a file that is copied up is followed" "from 6.8 on, a mapping shows the inode of the path for both"
	exit
fi
mkdir "$tmp/lower" "$tmp/upper" "$tmp/work" "$tmp/merged"
cp "$UPROBES_TOP/build/progs/traced" "$tmp/lower"
mount -t overlay -o "lowerdir=$tmp/lower,upperdir=$tmp/upper,workdir=$tmp/work" overlay "$tmp/merged"
at_exit 'umount $tmp/merged'
t=$tmp/merged/traced
start count "p:$t:tick"
"$t" ticks 1 5
touch "$t"
wait_until "the helper has noticed" grep -q "$t was replaced: the new file is now probed as well" "$tmp/err"
"$t" ticks 1 7
stop
is "$(awk '$2 == "tick" { print $1 }' "$tmp/out")" 12 "overlayfs: a file that is copied up is followed"
