#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the examples of the kernel's uprobetracer.rst and of two well-known articles work unchanged
# full: it traces installed programs, or follows documents of others
# once: the result depends on the module only, not on the kernel
# needs: unshare
# shellcheck disable=SC2016,SC2035
. "$UPROBES_TOP/tests/lib.sh"

# In a mount namespace, replace the programs of the documents by one that has code at the same
# addresses, and calls it as the output in the documents shows.
if [ "$1" != --inside ]; then
	exec unshare -m "$0" --inside
fi
bin=$(mktemp)
cp "$UPROBES_TOP/build/progs/documented" "$bin"
chmod +x "$bin"
mount --make-rprivate /
for name in /bin/bash /bin/zsh /opt/node/node; do
	mkdir -p "${name%/*}"
	[ -e $name ] || touch $name
	mount --bind "$bin" $name
done
cd /sys/kernel/debug/uprobes || exit 1

# seen: print the trace without the columns that differ between runs.
seen() {
	grep -v '^#' trace | sed -E 's/^.*[0-9]+\.[0-9]{6}: //'
}

ktap_plan 17

# uprobetracer.rst, "Usage examples"
echo 'p /bin/bash:0x4245c0' > uprobe_events
is "$(cat uprobe_events)" "p:uprobes/p_bash_0x4245c0 /bin/bash:0x00000000004245c0" "a probe is listed as a new event"
echo '-:p_bash_0x4245c0' >> uprobe_events
is "$(cat uprobe_events)" "" "the event is removed"
echo 'r /bin/bash:0x4245c0' > uprobe_events
is "$(cat uprobe_events)" "r:uprobes/p_bash_0x4245c0 /bin/bash:0x00000000004245c0" \
	"a return probe is listed as a new event"
echo > uprobe_events
is "$(cat uprobe_events)" "" "all events are removed"

echo 'p:zfree_entry /bin/zsh:0x46420 %ip %ax' > uprobe_events
echo 'r:zfree_exit /bin/zsh:0x46420 %ip %ax' >> uprobe_events
is "$(cat uprobe_events)" "p:uprobes/zfree_entry /bin/zsh:0x0000000000046420 arg1=%ip arg2=%ax
r:uprobes/zfree_exit /bin/zsh:0x0000000000046420 arg1=%ip arg2=%ax" "two events are listed with their arguments"
is "$(sed '/^ID/d' events/uprobes/zfree_entry/format)" "name: zfree_entry
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:unsigned long __probe_ip;	offset:8;	size:8;	signed:0;
	field:u64 arg1;	offset:16;	size:8;	signed:0;
	field:u64 arg2;	offset:24;	size:8;	signed:0;

print fmt: \"(%lx) arg1=0x%Lx arg2=0x%Lx\", REC->__probe_ip, REC->arg1, REC->arg2" "the format is that of a 64-bit kernel"
echo 1 > events/uprobes/enable
echo 1 > tracing_on
/bin/zsh
/bin/zsh
echo 0 > tracing_on
echo 0 > events/uprobes/enable
is "$(head -n 1 trace)" "# tracer: nop" "the trace has its header"
like "$(cat trace)" '^ +zsh-[0-9]+ +\[00[01]\] .{5} +[0-9]+\.[0-9]{6}: zfree_entry: \(0x446420\) arg1=0x446420 arg2=0x79$' \
	"the lines of the trace have the form of the document"
is "$(seen)" "zfree_entry: (0x446420) arg1=0x446420 arg2=0x79
zfree_exit: (0x446540 <- 0x446420) arg1=0x446540 arg2=0x0
zfree_entry: (0x446420) arg1=0x446420 arg2=0x79
zfree_exit: (0x446540 <- 0x446420) arg1=0x446540 arg2=0x0" "the trace has the addresses and values of the document"
is "$(awk '{ print $1, $2, $3 }' uprobe_profile)" "/bin/zsh zfree_entry 2
/bin/zsh zfree_exit 2" "uprobe_profile counts the hits"
echo 1 > tracing_on
echo > trace
echo 'p:zfree_exit2 /bin/zsh:0x46420%return %ip' > uprobe_events
like "$(cat uprobe_events)" '^r:uprobes/zfree_exit2 ' "%return defines a return probe, too"

# "Hacking Linux USDT with Ftrace"
echo 'p:gc_start /opt/node/node:0x7f44b4' > uprobe_events
echo 1 > events/uprobes/gc_start/enable
/opt/node/node
echo 0 > events/uprobes/gc_start/enable
is "$(seen)" "gc_start: (0xbf44b4)
gc_start: (0xbf44b4)" "hits at the address of a static probe are recorded"
like "$(cat trace)" '^ +node-[0-9]+ +\[' "the trace names node as the program"
echo > trace
echo 'p:client_request /opt/node/node:0x7f44b4 gctype=%si:u32' > uprobe_events
echo 1 > events/uprobes/client_request/enable
/opt/node/node
is "$(seen)" "client_request: (0xbf44b4) gctype=1
client_request: (0xbf44b4) gctype=2" "an argument in a register is recorded"
echo 0 > events/uprobes/client_request/enable
echo > trace
echo 'p:url /opt/node/node:0x7f48ff +0(+0(%ax)):string' > uprobe_events
echo 'p:method /opt/node/node:0x7f48ff +0(+8(%ax)):string' >> uprobe_events
echo 1 > events/uprobes/enable
/opt/node/node
is "$(seen | sort)" 'method: (0xbf48ff) arg1="GET"
url: (0xbf48ff) arg1="/"' "strings behind two pointers are recorded"

# "Trace the return of fopen() only when it returns NULL"
echo 0 > events/uprobes/enable
echo > trace
echo 'r:fopen /opt/node/node:0x46420 file=$retval' > uprobe_events
echo 'file == 0' > events/uprobes/fopen/filter
echo 1 > events/uprobes/fopen/enable
/opt/node/node
is "$(seen)" 'fopen: (0x446540 <- 0x446420) file=0x0' "a filter on a return value keeps the hit that matches"
echo 'file != 0' > events/uprobes/fopen/filter
echo > trace
/opt/node/node
is "$(seen)" "" "the opposite filter drops that hit"
echo 0 > events/enable
echo > uprobe_events
