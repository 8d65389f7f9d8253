# SPDX-License-Identifier: GPL-2.0
#
# A control directory of plain files, for tests without the module: it shows what the helper writes to the
# tracer. To be sourced after common.sh, not run.

# tracer DIR [GROUP/EVENT]...: make the control directory DIR, with a directory for each of these events.
tracer() {
	local dir=$1 event
	shift
	mkdir -p "$dir"
	: > "$dir/uprobe_events"
	: > "$dir/uprobe_profile"
	: > "$dir/error_log"
	: > "$dir/aggregate"
	echo 1 > "$dir/tracing_on"
	mkfifo "$dir/trace_pipe"
	# While the pipe has a writer, its reader waits for more.
	exec {pipe}<> "$dir/trace_pipe"
	for event; do
		mkdir -p "$dir/events/$event"
		: > "$dir/events/$event/filter"
		echo 0 > "$dir/events/$event/enable"
	done
}

# hit TEXT: write a line with the event TEXT to the trace_pipe of the last tracer, with a task name, a time and
# so on.
hit() {
	echo "            bash-42      [001] d....    12.345678: $1" >&"$pipe"
}
