#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: stacks that perf takes at hits are those of the program without probes, at the start of a function and in return-probed calls
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
. "$UPROBES_TOP/tests/guest/task.inc"

hit=$tracefs/events/uprobes_ko/hit
[ -e $hit/id ] || skip_all "this kernel has no tracepoints for perf"
ktap_plan 23
clear
hooked() { grep -q ' perf_callchain_user' /sys/kernel/debug/kprobes/list; }

# taken EVENT [THING]: the stacks that perf takes at the event of tracefs, one a line; the program is
# always mapped at the same place.
taken() {
	setarch -R "$UPROBES_TOP/build/progs/callchain" "$(<"$tracefs/events/$1/id")" "$prog" "${2:-deep}" ||
		echo "status $?"
}

# probed DEEPER: PATH:OFFSET of what is so many bytes behind the function's beginning.
beginning=$(where frame_1)
probed() { printf '%s:%#x' "${beginning%:*}" $((${beginning##*:} + $1)); }

check_fails "while nobody listens, perf's function is left alone" hooked
define "p:e $beginning n=%di"
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
is "$(sed -n 4p "$tmp/stacks")" " $(cut -d ' ' -f 3- <<<"$before")" "also further out"
like "$(taken uprobes_ko/hit apart | head -n 1)" '^( [0-9a-f]+){11}' "stacks go on in others, wherever these lie"

# Synthetic events.
if [ -d $tracefs/events/synthetic/e ]; then
	is "$(taken synthetic/e)" " $before" "a published event has the same stack"
	is "$(taken synthetic/rframe_1)" " $(cut -d ' ' -f 2- <<<"$before")" "and a published return"
else
	skip "a published event has the same stack" "this kernel has no synthetic events"
	skip "and a published return" "this kernel has no synthetic events"
fi

# While perf has a published event open, it stays, and so does the module.
if [ -d $tracefs/events/synthetic/e ]; then
	mkfifo "$tmp/fifo"
	"$UPROBES_TOP/build/progs/callchain" "$(<$tracefs/events/synthetic/e/id)" \
		sh -c ": >'$tmp/opened'; read line <'$tmp/fifo'" >"$tmp/stacks" &
	wait_until "perf has opened the event" test -e "$tmp/opened"
	disable
	check_fails "while perf uses it, a published event stays" sh -c "echo 0 >$dir/events/uprobes/e/synthetic"
	check "and so does the hook" hooked
	check_fails "and the module" rmmod uprobes
	echo >"$tmp/fifo"
	wait
	check "afterwards it goes" sh -c "echo '!e' >>$tracefs/synthetic_events && echo 0 >$dir/events/uprobes/e/synthetic"
	check_fails "with the hook" hooked
else
	for what in "a published event stays" "and so does the hook" "and the module" "afterwards it goes" "with the hook"; do
		skip "$what" "this kernel has no synthetic events"
	done
fi
disable
clear

# At the next instruction the frame pointer has been pushed, and is no caller.
define "p:e $(probed 1)"
enable
is "$(taken uprobes_ko/hit | cut -d ' ' -f 3-)" "$(cut -d ' ' -f 3- <<<"$before")" \
	"where the frame pointer has been pushed, it is not shown as an address"
disable
clear

# Handlers in task context; there the instruction may have been executed by the kernel's uprobes already.
define "p:e $beginning $in_task"
define "r:r $(where frame_2)"
for peer in no yes; do
	if [ $peer = yes ]; then
		has_tracefs || { skip "in task context, beside one of the kernel's uprobes" "there are none"; continue; }
		echo "p:k $beginning" >$tracefs/uprobe_events
		echo 1 >$tracefs/events/uprobes/k/enable
	fi
	enable
	is "$(taken uprobes_ko/hit | head -n 1)" " $before" "in task context, beside a uprobe of the kernel's: $peer"
	disable
done
if has_tracefs; then
	echo 0 >$tracefs/events/uprobes/k/enable
	: >$tracefs/uprobe_events
fi
clear

# The hook is there for as long as it is of use.
echo 1 >$hit/enable
check "while somebody listens, perf's function is hooked" hooked
echo 0 >$hit/enable
check_fails "and afterwards no more" hooked

# Whoever listens when the module goes.
echo 1 >$hit/enable
check "the module goes while tracefs listens" rmmod uprobes
check_fails "and leaves no hook" hooked
load_module
