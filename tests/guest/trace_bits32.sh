#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: arguments, strings, data and stacks of a 32-bit program are fetched by its own sizes
# once: what decides here is the module, in the same way on all kernels
# needs: /usr/lib32/libc.so.6 objdump
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

prog=$tmp/traced32
cp "$UPROBES_TOP/build/progs/traced32" "$prog"

# arguments EVENT: of its first hit.
arguments() {
	lines | grep -m 1 ": $1: (" | fields | sed 's/^[^)]*) //'
}

ktap_plan 6
clear
define "p:ints $(where ints) \$stack1:s32 \$stack2:s32 \$stack3:s32 \$stack4:s32 \$stack5:s32 \$stack6:x32 +28(%sp):s32 \$stack8:s32"
define "p:text $(where text) s=+0(+4(%sp)):string"
define "p:chain $(where chain) name=+0(+16(+4(%sp))):string next=+0(+16(+20(+4(%sp)))):string data=@+$(in_file global):x8 far=@+$(in_file constant):string"
enable
"$prog" all
is "$(arguments ints)" "arg1=-1 arg2=-2 arg3=-3 arg4=-4 arg5=-1 arg6=0x80000000 arg7=77 arg8=88" \
	"arguments on the stack"
is "$(arguments text)" 's="some text"' "a pointer is four bytes"
is "$(arguments chain)" 'name="global" next="second" data=0xf1 far="a constant string"' \
	"so is each on the way, and data are where the file's segments are"
clear

# inner() begins with endbr32, frame_1() with the push of its frame pointer: the caller is at the stack
# pointer. The end of an address says which it is; the rest is chance.
objdump -d "$prog" | awk '/^[0-9a-f]+ <frame_[1-8]>:/ { calls = 1 }
	after { print substr($1, length($1) - 3, 3); after = 0 }
	calls && /call / { after = 1; calls = 0 }' >"$tmp/returns"
is "$(wc -l <"$tmp/returns")" 8 "eight frames are known"
echo 1 >$dir/options/userstacktrace
# callers FUNCTION: those that the stack shows at its beginning.
callers() {
	define "p:e $(where "$1")"
	enable
	"$prog" deep
	grep '^ => ' $dir/trace | tail -n +2 | sed 's/>$//; s/.*\(...\)$/\1/'
	clear
}
is "$(callers inner)" "$(head -n 7 "$tmp/returns")" "the stack is walked by its frames, from endbr32"
is "$(callers frame_1)" "$(tail -n 7 "$tmp/returns")" "and from the push of the frame pointer"
