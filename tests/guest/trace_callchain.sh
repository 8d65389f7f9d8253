#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: stacks that perf takes at hits are those of the program without probes, at the start of a function and in return-probed calls
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

hit=$tracefs/events/uprobes_ko/hit
[ -e $hit/id ] || skip_all "this kernel has no tracepoints for perf"
ktap_plan 14
clear
hooked() { grep -q ' perf_callchain_user' /sys/kernel/debug/kprobes/list; }

# taken EVENT: the stacks that perf takes at the event of tracefs, one a line; the program is always
# mapped at the same place.
taken() {
	setarch -R "$UPROBES_TOP/build/progs/callchain" "$(<"$tracefs/events/$1/id")" "$prog" deep
}

check_fails "while nobody listens, perf's function is left alone" hooked
define "p:e $(where frame_1) n=%di"
echo 1 >$dir/options/userstacktrace
enable
taken uprobes_ko/hit >"$tmp/before"
disable
read -r before <"$tmp/before"
is "$(wc -l <"$tmp/before")" 1 "a hit has a stack"
is "$(tr ' ' '\n' <<<"$before" | head -n 8)" "$(sed -n 's/^ => .*<0*\([0-9a-f]*\)>$/\1/p' $dir/trace)" \
	"the same as userstacktrace has"
like "$before" '^([0-9a-f]+ ){9}[0-9a-f]+$' "of all functions, the caller of the one that begins, too"
echo 0 >$dir/options/userstacktrace

# Functions on the way there are return-probed; so is the one that begins.
for name in inner frame_1 frame_2 frame_4 frame_8; do
	define "r:r$name $(where $name)"
done
echo 1 >$dir/events/uprobes/e/synthetic
echo 1 >$dir/events/uprobes/rframe_1/synthetic
enable
taken uprobes_ko/hit >"$tmp/stacks"
is "$(wc -l <"$tmp/stacks")" 6 "each return has a stack, too"
is "$(sed -n 1p "$tmp/stacks")" " $before" "that of the entry shows the same although calls are return-probed"
is "$(sed -n 3p "$tmp/stacks")" " ${before#* }" "that of a return begins where it returns to"
is "$(sed -n 6p "$tmp/stacks")" " $(cut -d ' ' -f 9- <<<"$before")" "also of the outermost"

# Synthetic events.
if [ -d $tracefs/events/synthetic/e ]; then
	is "$(taken synthetic/e)" " $before" "a published event has the same stack"
	is "$(taken synthetic/rframe_1)" " $(cut -d ' ' -f 2- <<<"$before")" "and a published return"
else
	skip "a published event has the same stack" "this kernel has no synthetic events"
	skip "and a published return" "this kernel has no synthetic events"
fi

# The hook is there for as long as it is of use.
echo 1 >$hit/enable
check "while somebody listens, perf's function is hooked" hooked
echo 0 >$hit/enable
check_fails "and afterwards no more" hooked
disable
clear

# Whoever listens when the module goes.
echo 1 >$hit/enable
check "the module goes while tracefs listens" rmmod uprobes
check_fails "and leaves no hook" hooked
load_module
