# SPDX-License-Identifier: GPL-2.0
#
# A control directory of plain files, which shows what the helper writes, for tests
# without a module; after common.sh. Sourced, not run.

# tracer DIR [GROUP/EVENT]...: make one, with the directories of these events.
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
	# With a writer, a reader waits.
	exec {pipe}<> "$dir/trace_pipe"
	for event; do
		mkdir -p "$dir/events/$event"
		: > "$dir/events/$event/filter"
		echo 0 > "$dir/events/$event/enable"
	done
}

# hit TEXT: an event of the last tracer that was made, COMM and the like included.
hit() {
	echo "            bash-42      [001] d....    12.345678: $1" >&"$pipe"
}
