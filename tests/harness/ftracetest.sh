#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the kernel's own tests of tracing, run in the control directory, have the results that are listed here
# full: the tests take three minutes, and need the sources of a kernel
# timeout: 600
# needs: xz dpkg-deb
#
# Takes tools/testing/selftests/ftrace from the newest linux-source that Debian has (qemu/selftests), and
# has it look at /sys/kernel/debug/uprobes in place of tracefs. All of its tests run. What each comes to is
# listed; the first row that fits a test counts. A test that fits none, or comes to something else, fails.
#
#   passes   it passes
#   absent   it finds that what it is about is not there, and is skipped by itself
#   fails    it does not ask, and fails, for the reason that is given
#   any      it needs something of the machine, and is about nothing here
#
# Tests that also run in an instance fail there, as there is no instances/: a session is what each user has
# for himself. These results are left out.

results() {
	cat <<'END'
passes 00basic/basic[123]
fails  00basic/basic4                       # it looks for events of the scheduler in available_events: they are tracefs's
passes 00basic/ringbuffer_size
absent 00basic/ringbuffer_subbuf_size       # buffer_subbuf_size_kb is for readers of binary pages
absent 00basic/snapshot*                    # no snapshot: session has a buffer of its own
absent 00basic/trace_marker*                # no trace_marker: session and a probe of one's own do
absent 00basic/trace_pipe                   # the same: it writes into it
absent 00basic/mount_options                # tracefs's options of mounting; debugfs has its own
absent 00basic/test_ownership               # the same
passes dynevent/add_remove_uprobe
passes dynevent/dynevent_limitations
absent dynevent/*                           # probes on the kernel's functions, tracepoints and events, and synthetic events
passes kprobe/uprobe_syntax_errors
absent kprobe/*                             # probes on the kernel's functions
fails  event/toplevel-enable                # it removes all dynamic events, and wants hits of those that the kernel has beside them
any    event/trace_printk                   # a module of the kernel's samples
absent event/*                              # events of the scheduler, and of modules
fails  ftrace/tracing-error-log             # it writes a filter of an event of the kernel's, signal_generate
absent ftrace/*                             # tracers of the kernel's functions
absent filter/*                             # an event of the kernel's, and names of its functions
any    direct/*                             # modules of the kernel's samples
absent functions,instances/*                # no instances/
absent preemptirq/*                         # tracers of latencies
absent remotes/*                            # buffers of hypervisors
any    selftest/*                           # looks at the tests themselves, where checkbashisms is installed
absent tracer/*                             # tracers of latencies
absent trigger/*                            # no triggers: published events have them in tracefs
END
}

. "$UPROBES_TOP/tests/lib.sh"

kernel=${UPROBES_KERNELS%% *}
selftests=$("$UPROBES_TOP/qemu/selftests") || skip_all "the kernel's sources cannot be fetched"
tests=$selftests/test.d
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
# ftracetest runs and numbers the tests in this order.
(cd "$tests" && find . -name '*.tc' | LC_ALL=C sort | sed 's,^\./,,; s,\.tc$,,') >"$tmp/names"

"$UPROBES_TOP/qemu/run" -n 1 -k "$kernel" -t 999 -- sh -c "
	cp -r '$selftests' /tmp/ftrace && cd /tmp/ftrace &&
	sed -i 's,^TRACING_DIR=.*,TRACING_DIR=/sys/kernel/debug/uprobes,' ftracetest &&
	LC_ALL=C bash ./ftracetest -K -l /tmp/logs </dev/null
	for log in /tmp/logs/*-log.*; do
		echo \"--- \$log\"
		tail -n 4 \"\$log\"
	done" >"$tmp/out" 2>&1

# row NAME: print the result that is listed for a test.
row() {
	local globs result glob

	while read -r result globs _; do
		for glob in ${globs//,/ }; do
			# shellcheck disable=SC2053
			[[ $1 != $glob ]] || { echo "$result"; return; }
		done
	done < <(results)
}

set -f
ktap_plan "$(wc -l <"$tmp/names")"
n=0
while read -r name; do
	n=$((n + 1))
	said=$(grep -E "^(not )?ok $n " "$tmp/out" | grep -v '(instance)' | head -n 1)
	case $said in
	"") got=nothing ;;
	*UNRESOLVED*) got=unresolved ;;
	*"# SKIP"*) got=absent ;;
	ok*) got=passes ;;
	*) got=fails ;;
	esac
	expected=$(row "$name")
	[ "$expected" != any ] || [ $got = nothing ] || expected=$got
	is "$got" "${expected:-listed}" "$name"
done <"$tmp/names"
grep -q '^ok 1 ' "$tmp/out" || diag "$(tail -n 20 "$tmp/out")"
