#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: @+OFFSET reads any segment of the file that is probed, read-only, data and text
# once: what decides here is the module, in the same way on all kernels
# needs: readelf
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
global=$(in_file global)
constant=$(in_file constant)
ktap_plan 7
clear
: >$dir/error_log
check_fails "what is in no segment is refused" define "p $tick x=@+0x7fffff:u8"
is "$(tail -n 1 $dir/error_log)" "$(printf '%*s' $((${#tick} + 14)) '')^" "with a caret"
define "p $tick ro=@+$constant:string rw=@+$global:u8 s32=@+$((global + 4)):s32 name=+0(@+$((global + 16))):string text=@+${tick##*:}:x8"
define "r:back $tick ro=@+$constant:string"
enable
"$prog" ticks 1 1
args=$(lines | fields | sed -n 's/^p_[^)]*) //p')
like "$args" '^ro="a constant string" ' "read-only data"
like "$args" ' rw=241 s32=-123456 ' "writable data, initialized by the file"
like "$args" ' name="global" ' "a pointer in the data"
like "$args" ' text=0xcc$' "the text that runs, breakpoint included"
like "$(lines | fields)" '^back: .* ro="a constant string"' "a return probe finds them from the function"
clear
