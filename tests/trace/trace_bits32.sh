#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: arguments, strings, data and stacks of a 32-bit program are fetched with its own pointer size
# once: the result depends on the module only, not on the kernel
# needs: /usr/lib32/libc.so.6 objdump
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

prog=$tmp/traced32
cp "$UPROBES_TOP/build/progs/traced32" "$prog"

# arguments EVENT: print the arguments of its first hit.
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
	"arguments on the stack are fetched"
is "$(arguments text)" 's="some text"' "a pointer is four bytes"
is "$(arguments chain)" 'name="global" next="second" data=0xf1 far="a constant string"' \
	"each pointer on the way is four bytes, and data are found by the segments of the file"
clear

# inner() begins with endbr32, frame_1() with the push of its frame pointer. There, the return address
# is at the stack pointer. Compare the ends of addresses only: the rest is random.
objdump -d "$prog" | awk '/^[0-9a-f]+ <frame_[1-8]>:/ { calls = 1 }
	after { print substr($1, length($1) - 3, 3); after = 0 }
	calls && /call / { after = 1; calls = 0 }' >"$tmp/returns"
is "$(wc -l <"$tmp/returns")" 8 "eight frames are known"
echo 1 >$dir/options/userstacktrace
# callers FUNCTION: print the callers that the stack shows at the beginning of FUNCTION.
callers() {
	define "p:e $(where "$1")"
	enable
	"$prog" deep
	grep '^ => ' $dir/trace | tail -n +2 | sed 's/>$//; s/.*\(...\)$/\1/'
	clear
}
is "$(callers inner)" "$(head -n 7 "$tmp/returns")" "from endbr32, the stack is walked by its frames"
is "$(callers frame_1)" "$(tail -n 7 "$tmp/returns")" \
	"from the push of the frame pointer, the stack is walked by its frames"
