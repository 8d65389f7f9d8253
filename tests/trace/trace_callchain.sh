#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: stacks that perf takes at hits are the same as unprobed, at function entries and in return-probed calls
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/task.inc"

hit=$tracefs/events/uprobes_ko/hit
[ -e $hit/id ] || skip_all "this kernel has no tracepoints for perf"
ktap_plan 23
clear
# A worker hooks the function, and undoes that. On a busy machine, it may do so after the write that wants it.
hooked() { grep -q ' perf_callchain_user' /sys/kernel/debug/kprobes/list; }
unhooked() { ! hooked; }

# Perf opens the event before this begins.
cat >"$tmp/when_hooked" <<'END'
#!/bin/sh
n=0
until grep -q ' perf_callchain_user' /sys/kernel/debug/kprobes/list || [ $n = 600 ]; do
	n=$((n + 1))
	sleep 0.1
done
exec "$@"
END
chmod +x "$tmp/when_hooked"

# taken EVENT [THING]: print the stacks that perf takes at an event of tracefs, one in a line. The
# program is always mapped at the same place.
taken() {
	setarch -R "$UPROBES_TOP/build/progs/callchain" "$(<"$tracefs/events/$1/id")" \
		"$tmp/when_hooked" "$prog" "${2:-deep}" ||
		echo "status $?"
	# The next one shall not find a hook that is about to go.
	in_time unhooked
}

# probed DEEPER: print PATH:OFFSET of the place DEEPER bytes behind the function's beginning.
beginning=$(where frame_1)
probed() { printf '%s:%#x' "${beginning%:*}" $((${beginning##*:} + $1)); }

check_fails "while nobody listens, perf's function is not hooked" hooked
define "p:e $beginning n=%di"
echo 1 >$dir/options/userstacktrace
enable
taken uprobes_ko/hit >"$tmp/before"
disable
read -r before <"$tmp/before"
is "$(wc -l <"$tmp/before")" 1 "a hit has a stack"
is "$(tr ' ' '\n' <<<"$before" | head -n 8)" "$(sed -n 's/^ => .*<0*\([0-9a-f]*\)>$/\1/p' $dir/trace)" \
	"the stack is the same as with userstacktrace"
like "$before" '^([0-9a-f]+ ){9}[0-9a-f]+$' "the stack has all functions, the caller of the probed one, too"
echo 0 >$dir/options/userstacktrace

# Return probes on functions on the way there, and on the probed one.
for name in inner frame_1 frame_2 frame_4 frame_8; do
	define "r:r$name $(where $name)"
done
echo 1 >$dir/events/uprobes/e/synthetic
echo 1 >$dir/events/uprobes/rframe_1/synthetic
enable
taken uprobes_ko/hit >"$tmp/stacks"
is "$(wc -l <"$tmp/stacks")" 6 "each return has a stack, too"
is "$(sed -n 1p "$tmp/stacks")" " $before" "the stack at the entry is the same in return-probed calls"
is "$(sed -n 3p "$tmp/stacks")" " ${before#* }" "the stack at a return begins where the function returns to"
is "$(sed -n 4p "$tmp/stacks")" " $(cut -d ' ' -f 3- <<<"$before")" \
	"the stack at a return further out begins where that function returns to"
like "$(taken uprobes_ko/hit apart | head -n 1)" '^( [0-9a-f]+){11}' \
	"a stack that goes on in another one is walked to its end"

# Synthetic events.
if [ -d $tracefs/events/synthetic/e ]; then
	is "$(taken synthetic/e)" " $before" "a published event has the same stack"
	is "$(taken synthetic/rframe_1)" " $(cut -d ' ' -f 2- <<<"$before")" "a published return has the same stack"
else
	skip "a published event has the same stack" "this kernel has no synthetic events"
	skip "a published return has the same stack" "this kernel has no synthetic events"
fi

# While perf has a published event open, neither the event nor the module can be removed.
if [ -d $tracefs/events/synthetic/e ]; then
	mkfifo "$tmp/fifo"
	"$UPROBES_TOP/build/progs/callchain" "$(<$tracefs/events/synthetic/e/id)" \
		sh -c ": >'$tmp/opened'; read line <'$tmp/fifo'" >"$tmp/stacks" &
	wait_until "perf has opened the event" test -e "$tmp/opened"
	disable
	check_fails "while perf uses it, a published event cannot be removed" \
		sh -c "echo 0 >$dir/events/uprobes/e/synthetic"
	check "while perf uses a published event, the hook stays" hooked
	check_fails "while perf uses a published event, the module does not unload" rmmod uprobes_trace
	echo >"$tmp/fifo"
	wait
	check "a published event can be removed when perf has ended" \
		sh -c "echo '!e' >>$tracefs/synthetic_events && echo 0 >$dir/events/uprobes/e/synthetic"
	check_fails "the hook goes with the published event" hooked
else
	for what in "a used event stays" "its hook stays" "the module stays" "the event can be removed" "the hook goes"; do
		skip "$what" "this kernel has no synthetic events"
	done
fi
disable
clear

# At the next instruction, the word at the stack pointer is the frame pointer, and no return address.
define "p:e $(probed 1)"
enable
is "$(taken uprobes_ko/hit | cut -d ' ' -f 3-)" "$(cut -d ' ' -f 3- <<<"$before")" \
	"a frame pointer that has just been pushed is not shown as a caller"
disable
clear

# Handlers in task context. The kernel's uprobes may have executed the instruction before.
define "p:e $beginning $in_task"
define "r:r $(where frame_2)"
for peer in no yes; do
	if [ $peer = yes ]; then
		has_tracefs || { skip "in task context, the stack is the same: $peer" "this kernel has no uprobe_events"; continue; }
		echo "p:k $beginning" >$tracefs/uprobe_events
		echo 1 >$tracefs/events/uprobes/k/enable
	fi
	enable
	is "$(taken uprobes_ko/hit | head -n 1)" " $before" \
		"in task context, the stack is the same; beside a uprobe of the kernel: $peer"
	disable
done
if has_tracefs; then
	echo 0 >$tracefs/events/uprobes/k/enable
	: >$tracefs/uprobe_events
fi
clear

# The hook exists as long as somebody listens.
echo 1 >$hit/enable
check "while somebody listens, perf's function is hooked" in_time hooked
echo 0 >$hit/enable
check "when nobody listens any more, perf's function is not hooked" in_time unhooked

# The module unloads while somebody listens.
echo 1 >$hit/enable
check "the module unloads while tracefs listens" rmmod uprobes_trace uprobes
check_fails "unloading leaves no hook" hooked
load_module
