#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a bad line changes nothing, and error_log points at the same column as in tracefs
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

# The '^' stands before the character that the caret must point to.  "both": tracefs points to it,
# too.  "ours": tracefs reports no error, or at another column.
# shellcheck disable=SC2016
cases='both p ^/non_exist_file:100
both p ^/sys:100
both p /bin/sh:10(^a)
both p /bin/sh:10(10^
both p /bin/sh:10(10)^a
both p /bin/sh:10^%hoge
both p /bin/sh:^10a
both p:^/bar /bin/sh:10
both p:^a23456789b23456789c23456789d23456789e23456789f23456789g234567890/bar /bin/sh:10
both p:^foo+x/bar /bin/sh:10
both p:foo/^bar-x /bin/sh:10
both p:^ /bin/sh:10
both p /bin/sh:10 ^$retval
both r /bin/sh:10 ^$foo
both p /bin/sh:10 ^%none_reg
both p /bin/sh:10 ^@12345678abcde
both p /bin/sh:10 ^@+ab
both p /bin/sh:10 ^@symbol
both p /bin/sh:10 \^abc
both p /bin/sh:10 \"abc^
both p /bin/sh:10 ^+10
both p /bin/sh:10 ^+0a(%ax)
both p /bin/sh:10 +0(%ax^
both p /bin/sh:10 +0(+0(@0^)
both p /bin/sh:10 +0(+0(+0(@0^))
both p /bin/sh:10 +0(^$comm)
both p /bin/sh:10 ^&1
both p /bin/sh:10 +0(%sp):u32[10^
both p /bin/sh:10 +0(%sp):u32[10]^a
both p /bin/sh:10 +0(%sp):u32[^10a]
both p /bin/sh:10 +0(%sp):u32[^256]
both p /bin/sh:10 %ax:^bad
both p /bin/sh:10 %ax:^string
both p /bin/sh:10 %ax:^b10@64/16
both p /bin/sh:10 ^a23456789b123456789c123456789d123=@11
both p /bin/sh:10 ^=@11
both p /bin/sh:10 ^var.1=@11
both p /bin/sh:10 var1=@11 ^var1=@12
both p /bin/sh:10 arg1=^
ours p /bin/sh^
ours p ^sh:10
ours ^x /bin/sh:10
ours p /bin/sh:^0x7fffffff
ours p /bin/sh:10(^33)
ours p /bin/sh:10(^0x7ffffffe)
ours p:^/bin/sh:10
ours -:^no_such_event
ours p:^enable/x /bin/sh:10'

# column DIR LINE: write LINE, and set $column to where error_log puts the caret.
column() {
	local log

	: >"$1/error_log"
	if printf '%s\n' "$2" 2>/dev/null >>"$1/uprobe_events"; then
		column="was taken"
		return
	fi
	mapfile -t log <"$1/error_log"
	log=${log[-1]%%^*}
	column=$((${#log} - 11))	# "  Command: "
}

count=$(wc -l <<<"$cases")
ktap_plan $((count * 2 + 23))
clear
define "p:stays /bin/sh:0x20 %di"
before=$(cat $dir/uprobe_events)

while IFS= read -r line; do
	who=${line%% *}
	line=${line#* }
	prefix=${line%%^*}
	line=$prefix${line#*^}
	# tracefs reports errors of the file first, and Linux 6.1 does not report all of them.
	column $dir "$line"
	is "$column" ${#prefix} "error_log points at the right column of: $line"
	if [ "$who" = ours ]; then
		skip "tracefs points at the same column" "not comparable"
	elif ! has_tracefs; then
		skip "tracefs points at the same column" "this kernel has no uprobe_events"
	else
		column $tracefs "$line"
		is "$column" ${#prefix} "tracefs points at the same column"
	fi
done <<<"$cases"

is "$(cat $dir/uprobe_events)" "$before" "bad lines have not changed the definitions"
is "$(ls $dir/events/uprobes)" "enable
filter
stays" "bad lines leave no directory of an event"
is "$(find $dir/events -mindepth 1 -maxdepth 1 -type d)" $dir/events/uprobes "bad lines leave no directory of a group"

# Layout of the log.
: >$dir/error_log
is "$(cat $dir/error_log)" "" "writing clears error_log"
define "p /no/such/file:10" 2>/dev/null
like "$(sed -n 1p $dir/error_log)" '^\[ *[0-9]+\.[0-9]{6}\] trace_uprobe: error: [A-Z]' \
	"an error begins with time, place and message"
is "$(sed -n '2,$p' $dir/error_log)" "  Command: p /no/such/file:10
             ^" "an error has the line and the caret"
for i in 1 2 3 4 5 6 7 8 9 10; do
	define "p /no/such/file:$i" 2>/dev/null
done
is "$(grep -c error: $dir/error_log)" 8 "error_log keeps the last eight errors"
is "$(grep Command: $dir/error_log | tail -n 1)" "  Command: p /no/such/file:10" "error_log has the newest error last"

# Several lines in one write.
: >$dir/uprobe_events
: >$dir/error_log
printf 'p:one /bin/sh:0x20\n# comment\n\np:two /bin/sh:0x21\np:three /bin/sh:zzz\np:four /bin/sh:0x22\n' >"$tmp/lines"
check_fails "a write with a bad line fails" dd if="$tmp/lines" of=$dir/uprobe_events bs=4096 oflag=append conv=notrunc
is "$(cut -d' ' -f1 $dir/uprobe_events)" "p:uprobes/one
p:uprobes/two" "the lines before the bad line are defined"
like "$(cat $dir/error_log)" '\(line 5\)$' "error_log has the number of the bad line"

check_fails "a directory is refused" define "p /tmp:0"
# 06 is no instruction in 64-bit code.
printf '\006\006\006\006\006\006\006\006\006\006\006\006\006\006\006\006\006' >"$tmp/no-code"
: >$dir/error_log
column $dir "p $tmp/no-code:1"
is "$column" $((2 + ${#tmp} + 9)) "a place without a valid instruction is refused when it is defined"
like "$(cat $dir/error_log)" "no valid instruction" "error_log says that there is no valid instruction"
libc=$(ldd /bin/bash | awk '/libc.so/ { print $3 }')
jumps=$libc:0x$(readelf -Ws --dyn-syms "$libc" | awk '$8 ~ /^_setjmp@/ { print $2; exit }')
for line in "r $jumps" "p $jumps%return"; do
	: >$dir/error_log
	column $dir "$line"
	is "$column" $((${#libc} + 3)) \
		"a return probe on a function that reads its return address is refused when it is defined: ${line%% *}"
	like "$(cat $dir/error_log)" "cannot be probed; the kernel log names" \
		"error_log refers to the kernel log: ${line%% *}"
done
check_fails "an aggregate file refuses such a return probe, too" sh -c 'echo "r $1" >"$2/aggregate"' - "$jumps" $dir
check "an entry probe on such a function is accepted" define "p:jumps $jumps"
# Errors that only enabling finds.
: >$dir/error_log
base=$(awk -v lib="$(realpath "$libc")" '$6 == lib { print substr($1, 1, index($1, "-") - 1); exit }' /proc/$$/maps)
define "r:late /proc/$$/mem:$((0x$base + 0x${jumps#*:0x}))"
check_fails "such a return probe on a process is refused when it is enabled" enable uprobes/late
like "$(cat $dir/error_log)" "cannot be probed; the kernel log names" \
	"error_log refers to the kernel log for a probe on a process"
mkfifo "$tmp/fifo"
timeout $((20 * ${TEST_TIMEOUT_SCALE:-1})) bash -c "echo 'p $tmp/fifo:0' >>$dir/uprobe_events"
is $? 1 "a pipe is refused without waiting for it"
clear
