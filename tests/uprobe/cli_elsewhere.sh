#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace running programs in containers, deleted programs, and 32-bit programs
# once: the helper is the same on all kernels
# timeout: 150
# needs: unshare chroot
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 14

# launch COMMAND...: start a program that waits for lines. $launched is its process ID.
launch() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	"$@" <"$tmp/in" >"$tmp/said" &
	launched=$!
	exec 7>"$tmp/in"
}

# runs PID NAME: true if the process executes the program NAME and reads its input. By then, its
# libraries are loaded.
runs() {
	[ "$(cat "/proc/$1/comm")" = "$2" ] && grep -q '^0 0x0 ' "/proc/$1/syscall"
}

# traced SPEC: trace the program $running until its first event, with the stack.
traced() {
	start -s -p "$running" -M 1 "$1"
	echo >&7
	# Limit the wait: there may be no event.
	in_time ended $tracer
	kill $tracer 2>/dev/null
	wait $tracer
	diag "$(cat "$tmp/err")"
}

finish() {
	exec 7>&-
	wait $launched
}

# A program in its own mount namespace and pid namespace.
mkdir "$tmp/mnt"
cp "$UPROBES_TOP/build/progs/cli_stack" "$tmp/keep"
launch unshare -m -p --fork sh -c "mount -t tmpfs none $tmp/mnt && cp $tmp/keep $tmp/mnt/inside && exec $tmp/mnt/inside 100 wait"
inside() {
	running=$(tr -d ' ' <"/proc/$launched/task/$launched/children")
	[ -n "$running" ] && runs "$running" inside
}
wait_until "the program in the namespace runs" inside
traced 'p:inside:inner n=i'
like "$(cat "$tmp/out")" "inside-$running .* inner: n=0$" \
	"in another mount and pid namespace, an event has its variable"
like "$(cat "$tmp/out")" " => inner\\+0x0 \\(.*/mnt/inside\\) " \
	"in another mount and pid namespace, an event has its stack"
[ -e "$tmp/mnt/inside" ]
is $? 1 "the program's file does not exist in this mount namespace"
uprobe -p "$running" "p:$tmp/keep:inner" -M 1 2>"$tmp/err" >"$tmp/out" </dev/null
is "$?" 3 "a copy of the program that the process has not mapped is refused"
finish
is "$(cat "$tmp/said")" 1 "the program in the namespace has the right result"

# Another root directory.
mkdir -p "$tmp/root/bin" "$tmp/root/lib64" "$tmp/root/lib/x86_64-linux-gnu"
cp "$tmp/keep" "$tmp/root/bin/rooted"
cp /lib64/ld-linux-x86-64.so.2 "$tmp/root/lib64"
cp /lib/x86_64-linux-gnu/libc.so.6 "$tmp/root/lib/x86_64-linux-gnu"
launch chroot "$tmp/root" /bin/rooted 100 wait
running=$launched
wait_until "the program in the other root runs" runs "$running" rooted
traced 'p:rooted:inner n=%di:s32'
like "$(cat "$tmp/out")" "rooted-$running .* inner: n=0$" \
	"in another root directory, an event has its argument"
uprobe resolve -p "$running" p:libc:sleep >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" "$tmp/root/|/proc/$running/" "in another root directory, libc is the one in that directory"
finish
is "$(cat "$tmp/said")" 1 "the program in the other root directory has the right result"

# A deleted program.
cp "$tmp/keep" "$tmp/gone"
launch "$tmp/gone" 100 wait
running=$launched
wait_until "the program runs" runs "$running" gone
rm "$tmp/gone"
traced 'p:gone:inner n=i'
like "$(cat "$tmp/out")" "gone-$running .* inner: n=0$" "a deleted program is traced"
finish
is "$(cat "$tmp/said")" 1 "the deleted program has the right result"

# 32 bits: arguments are on the stack.
if [ -e /usr/lib32/libc.so.6 ]; then
	prog=$UPROBES_TOP/build/progs/calls32
	plain=$("$prog" threads 1 3)
	uprobe -c "$prog threads 1 3 >$tmp/said" "p:$prog:work a=+4(%sp):s32 b=\$stack1:s32" "r:$prog:work \$retval:s32" >"$tmp/out" 2>"$tmp/err"
	diag "$(cat "$tmp/err")"
	is "$(cat "$tmp/said")" "$plain" "a 32-bit program has the same result as without probes"
	is "$(fields "$tmp/out" | paste -sd' ')" \
		"work: a=0 b=0 work__return: arg1=1 work: a=1 b=1 work__return: arg1=4 work: a=2 b=2 work__return: arg1=7" \
		"a 32-bit program's arguments and return values are shown"
	uprobe -c "$prog threads 1 3 >$tmp/said" "p:$prog:work x" "r:$prog:work \$retval" --return=sites >"$tmp/out" 2>"$tmp/err"
	is "$(fields "$tmp/out" | grep -c 'work: x=[012]$')" 3 \
		"a 32-bit program's arguments are found by name"
	uprobe count -c "$prog threads 1 1000 >$tmp/said" "p:$prog:*" >"$tmp/out" 2>"$tmp/err"
	is "$(awk '$2 == "work" { print $1 }' "$tmp/out")" 1000 "a 32-bit program's calls are counted"
else
	for what in "runs" "arguments" "names" "counted"; do
		skip "a 32-bit program: $what" "needs the package libc6-i386"
	done
fi
