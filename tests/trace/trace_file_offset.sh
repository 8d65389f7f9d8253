#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: @+OFFSET reads any segment of the probed file: read-only data, writable data and text
# once: the result depends on the module only, not on the kernel
# needs: readelf
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
global=$(in_file global)
constant=$(in_file constant)
ktap_plan 7
clear
: >$dir/error_log
check_fails "an offset in no segment is refused" define "p $tick x=@+0x7fffff:u8"
is "$(tail -n 1 $dir/error_log)" "$(printf '%*s' $((${#tick} + 14)) '')^" "error_log puts the caret at the offset"
define "p $tick ro=@+$constant:string rw=@+$global:u8 s32=@+$((global + 4)):s32 name=+0(@+$((global + 16))):string text=@+${tick##*:}:x8"
define "r:back $tick ro=@+$constant:string"
enable
"$prog" ticks 1 1
args=$(lines | fields | sed -n 's/^p_[^)]*) //p')
like "$args" '^ro="a constant string" ' "read-only data are fetched"
like "$args" ' rw=241 s32=-123456 ' "writable data are fetched, initialized by the file"
like "$args" ' name="global" ' "a pointer in the data is followed"
like "$args" ' text=0xcc$' "text is fetched as it runs, with the breakpoint"
like "$(lines | fields)" '^back: .* ro="a constant string"' "a return probe finds the data by the function's address"
clear
